//! RuntimeClass.

use crate::columns::{AGE, Cell, KindColumn, NAME};
use crate::field::{BadValue, Field};
use crate::format::{dns1123_label, short_name};
use crate::groups::core_v1::pod_spec::{overhead, resource_list, tolerations};
use crate::meta::labels;
use crate::registry::{
    Context, DecodeRules, KindEntry, MetadataRule, Permission, Presentation, Strategy, ValidationRules,
};
use crate::tree::Map;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "RuntimeClass",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        unconditional_update: Permission::Denied,
        create_on_update: Permission::Granted,
        ..Strategy::DEFAULT
    },
    validation: ValidationRules {
        metadata: MetadataRule::AnyFinalizers,
        object: validate,
        new_only: |class| handler(class.field("handler")),
        update: validate_update,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[NAME, KindColumn::string("Handler", Cell::Text("/handler")), AGE],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

fn defaults(class: &mut Map<'_>, _: Context) {
    if let Some(overhead) = class.map_mut("overhead") {
        resource_list(overhead, "podFixed");
    }
}

fn handler(handler: Field<'_>) {
    if !handler.require("") {
        handler.check(short_name);
    }
}

fn validate(class: Field<'_>) {
    // Upstream leaves `podFixed` out of the path.
    overhead(class.field("overhead").with_value_of(class.fields(["overhead", "podFixed"])));
    let scheduling = class.field("scheduling");
    labels(scheduling.field("nodeSelector"));
    tolerations(scheduling.field("tolerations"));
    unique_tolerations(scheduling.field("tolerations"));
}

/// How long a toleration lasts does not make it another one.
fn unique_tolerations(tolerations: Field<'_>) {
    let key = |toleration: Field<'_>| {
        ["key", "operator", "value", "effect"].map(|name| toleration.field(name).str().to_owned())
    };
    let mut seen = std::collections::BTreeSet::new();
    for toleration in tolerations.items().filter(|one| !seen.insert(key(*one))) {
        toleration.duplicate_as(BadValue::internal("core.Toleration", toleration));
    }
}

fn validate_update(class: Field<'_>, old: Field<'_>) {
    let handler = class.field("handler");
    if !handler.same_as(old.field("handler")) {
        // Upstream: the declarative rule does not tell the value.
        handler.invalid_as(BadValue::null(), "field is immutable");
        // Upstream: after that rule only the hand-written one tells the length, in characters.
        if !handler.require("") {
            handler.check(dns1123_label);
        }
    }
}
