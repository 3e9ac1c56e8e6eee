//! RoleBinding and ClusterRoleBinding.

use super::GROUP;
use crate::columns::{AGE, Cell, KindColumn, NAME, control};
use crate::field::{BadValue, Field};
use crate::format::{dns1123_subdomain, path_segment_name};
use crate::go_text::quoted;
use crate::meta::NameRule;
use crate::registry::{
    Context, DecodeRules, KindEntry, Permission, Presentation, Scope, Strategy, ValidationRules,
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
        object: |binding| validate(binding, &["Role", "ClusterRole"], Scope::Namespaced),
        update: validate_update,
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
        object: |binding| validate(binding, &["ClusterRole"], Scope::Cluster),
        update: validate_update,
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

fn validate(binding: Field<'_>, role_kinds: &[&str], scope: Scope) {
    let role = binding.field("roleRef");
    role.field("apiGroup").one_of(&[GROUP]);
    role.field("kind").one_of(role_kinds);
    if !role.field("name").require("") {
        role.field("name").check(path_segment_name);
    }
    binding.field("subjects").items().for_each(|one| subject(one, scope));
}

fn validate_update(binding: Field<'_>, old: Field<'_>) {
    let role = binding.field("roleRef");
    if !role.same_as(old.field("roleRef")) {
        // Who may bind was checked against the first role.
        role.invalid_as(internal_role_ref(role), "field is immutable");
    }
}

/// Kubernetes prints its internal type here, whose fields have Go's names.
fn internal_role_ref(role: Field<'_>) -> BadValue {
    let [group, kind, name] = ["apiGroup", "kind", "name"].map(|field| quoted(role.field(field).str()));
    BadValue::verbatim(format!(r#"{{"APIGroup":{group},"Kind":{kind},"Name":{name}}}"#))
}

fn subject(subject: Field<'_>, scope: Scope) {
    let (name, group) = (subject.field("name"), subject.field("apiGroup"));
    let lacks_name = name.require("");
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
