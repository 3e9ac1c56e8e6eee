//! PriorityClass.

use crate::columns::{AGE, Cell, KindColumn, NAME};
use crate::field::Field;
use crate::registry::{
    Context, DecodeRules, GenerationRule, KindEntry, OnUpdate, Presentation, Strategy, ValidationRules,
};
use crate::tree::Map;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "PriorityClass",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy { generation: GenerationRule::Fixed, ..Strategy::DEFAULT },
    validation: ValidationRules {
        object: validate,
        update: validate_update,
        on_update: OnUpdate::ValidateChanges,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::integer("Value", Cell::Number("/value")),
            KindColumn::boolean("Global-Default", Cell::Flag("/globalDefault")),
            AGE,
            KindColumn::string("PreemptionPolicy", Cell::Text("/preemptionPolicy")),
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

/// The highest priority that users may give.
const MAX_USER_PRIORITY: i64 = 1_000_000_000;
/// Names with this prefix belong to the classes of the system.
const SYSTEM_PREFIX: &str = "system-";
/// The classes of the system and their priorities.
const SYSTEM_CLASSES: [(&str, i64); 2] =
    [("system-node-critical", 2_000_001_000), ("system-cluster-critical", 2_000_000_000)];

fn defaults(class: &mut Map<'_>, _: Context) {
    class.set_if_absent("preemptionPolicy", "PreemptLowerPriority");
}

fn validate(class: Field<'_>) {
    let (name, value) = (class.fields(["metadata", "name"]), class.field("value"));
    if name.str().starts_with(SYSTEM_PREFIX) {
        if let Some(problem) = system_class_problem(class) {
            name.forbidden(format!(
                "priority class names with '{SYSTEM_PREFIX}' prefix are reserved for system use only. error: {problem}"
            ));
        }
    // Higher ones would preempt the pods that keep the cluster running.
    } else if value.int() > MAX_USER_PRIORITY {
        value.forbidden(format!("maximum allowed value of a user defined priority is {MAX_USER_PRIORITY}"));
    }
    let policy = class.field("preemptionPolicy");
    match policy.str() {
        "PreemptLowerPriority" | "Never" => {}
        "" => policy.required(""),
        _ => policy.not_supported(&["PreemptLowerPriority", "Never"]),
    }
}

fn system_class_problem(class: Field<'_>) -> Option<String> {
    let name = class.fields(["metadata", "name"]).str();
    let Some((_, value)) = SYSTEM_CLASSES.into_iter().find(|(known, _)| *known == name) else {
        return Some(format!("{name} is not a known system priority class"));
    };
    if class.field("value").int() != value {
        return Some(format!("value of {name} PriorityClass must be {value}"));
    }
    class
        .field("globalDefault")
        .bool()
        .then(|| format!("globalDefault of {name} PriorityClass must be false"))
}

fn validate_update(class: Field<'_>, old: Field<'_>) {
    if class.field("value").int() != old.field("value").int() {
        // Pods hold a copy of the value, which would differ from now on.
        class.field("value").forbidden("may not be changed in an update.");
    }
    class.field("preemptionPolicy").check_immutable(old.field("preemptionPolicy"));
}
