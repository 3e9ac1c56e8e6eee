//! RoleBinding and ClusterRoleBinding.

use super::GROUP;
use crate::columns::{AGE, Cell, KindColumn, NAME, control};
use crate::field::{BadValue, Field};
use crate::format::{dns1123_subdomain, path_segment_name};
use crate::go_text::quoted;
use crate::meta::NameRule;
use crate::registry::{
    Context, DecodeRules, KindEntry, OnUpdate, Permission, Presentation, Scope, Strategy, ValidationRules,
};
use crate::tree::Map;

pub(super) const ROLE_BINDING: KindEntry = KindEntry {
    kind: "RoleBinding",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        name: NameRule::PathSegment,
        create_on_update: Permission::Granted,
        ..Strategy::DEFAULT
    },
    validation: ValidationRules {
        object: |binding| validate(binding, None, Scope::Namespaced),
        update: |binding, old| validate(binding, Some(old), Scope::Namespaced),
        on_update: OnUpdate::ValidateMetadata,
        ..ValidationRules::DEFAULT
    },
    presentation: PRESENTATION,
    ..KindEntry::NAMESPACED
};

pub(super) const CLUSTER_ROLE_BINDING: KindEntry = KindEntry {
    kind: "ClusterRoleBinding",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        name: NameRule::PathSegment,
        create_on_update: Permission::Granted,
        ..Strategy::DEFAULT
    },
    validation: ValidationRules {
        object: |binding| validate(binding, None, Scope::Cluster),
        update: |binding, old| validate(binding, Some(old), Scope::Cluster),
        on_update: OnUpdate::ValidateMetadata,
        ..ValidationRules::DEFAULT
    },
    presentation: PRESENTATION,
    ..KindEntry::CLUSTER
};

/// Bindings of both scopes are shown in the same way.
const PRESENTATION: Presentation = Presentation {
    columns: &[
        NAME,
        KindColumn::string("Role", Cell::Computed(control::role)),
        AGE,
        KindColumn::string("Users", Cell::Computed(control::users)).wide(),
        KindColumn::string("Groups", Cell::Computed(control::groups)).wide(),
        KindColumn::string("ServiceAccounts", Cell::Computed(control::service_accounts)).wide(),
    ],
    ..Presentation::DEFAULT
};

fn defaults(binding: &mut Map<'_>, _: Context) {
    if let Some(role) = binding.map_mut("roleRef") {
        role.set_default("apiGroup", GROUP);
    }
    for subject in binding.maps_mut("subjects") {
        if matches!(subject.str("kind"), "User" | "Group") {
            subject.set_default("apiGroup", GROUP);
        }
    }
}

fn validate<'t>(binding: Field<'t>, old: Option<Field<'t>>, scope: Scope) {
    let role = binding.field("roleRef");
    role.field("apiGroup").one_of(&[GROUP]);
    role.field("kind").one_of(match scope {
        Scope::Cluster => &["ClusterRole"],
        Scope::Namespaced => &["Role", "ClusterRole"],
    });
    let name = role.field("name");
    let is_kept = old.is_none_or(|old| role.same_as(old.field("roleRef")));
    if !name.is_empty() {
        name.check(path_segment_name);
    } else if !is_kept {
        // Upstream: declared rules do not look into what may not change and has changed.
        name.required("");
    }
    if !is_kept {
        // Who may bind was checked against the first role.
        role.declared().invalid_as(internal_role_ref(role), "field is immutable");
    }
    binding.field("subjects").items().for_each(|one| subject(one, scope));
    if is_kept {
        name.declared().require("");
    }
}

/// Kubernetes prints its internal type here, whose fields have Go's names.
fn internal_role_ref(role: Field<'_>) -> BadValue {
    let [group, kind, name] = ["apiGroup", "kind", "name"].map(|field| quoted(role.field(field).str()));
    BadValue::verbatim(format!(r#"{{"APIGroup":{group},"Kind":{kind},"Name":{name}}}"#))
}

fn subject(subject: Field<'_>, scope: Scope) {
    let (name, group) = (subject.field("name"), subject.field("apiGroup"));
    let lacks_name = name.declared().require("");
    match subject.field("kind").str() {
        "ServiceAccount" => {
            if !lacks_name {
                name.check(dns1123_subdomain);
            }
            // Service accounts are objects of the core group; users and groups are no objects.
            group.one_of(&[""]);
            if scope == Scope::Cluster {
                subject.field("namespace").require("");
            }
        }
        "User" | "Group" => {
            group.one_of(&[GROUP]);
        }
        _ => subject.field("kind").not_supported(&["ServiceAccount", "User", "Group"]),
    }
}
