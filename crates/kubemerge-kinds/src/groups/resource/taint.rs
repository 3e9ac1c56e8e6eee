//! Taints of devices and tolerations of them.

use crate::field::Field;
use crate::format::{label_value, qualified_name};
use crate::tree::Map;

/// A taint was added now, unless the client says when.
pub(super) fn set_time_added(taint: &mut Map<'_>, now: &str) {
    if !taint.has("timeAdded") {
        taint.set_text("timeAdded", now);
    }
}

const EFFECTS: [&str; 3] = ["NoExecute", "NoSchedule", "None"];

/// Defaults of tolerations.
pub(super) fn default_tolerations(owner: &mut Map<'_>) {
    owner.maps_mut("tolerations").for_each(|toleration| toleration.set_default("operator", "Equal"));
}

/// Validates a taint; an effect that is stored already is fine.
pub(super) fn taint(taint: Field<'_>, old: Field<'_>) {
    taint.field("key").check(qualified_name);
    let (value, effect) = (taint.field("value"), taint.field("effect"));
    if !value.is_empty() {
        value.check(label_value);
    }
    let is_stored = old.is_set() && old.field("effect").str() == effect.str();
    if !is_stored && !effect.require("") {
        effect.one_of(&EFFECTS);
    }
}

/// Validates a list of tolerations.
pub(super) fn tolerations(tolerations: Field<'_>) {
    tolerations.items().for_each(toleration);
}

fn toleration(toleration: Field<'_>) {
    let [key, operator, value, effect] =
        ["key", "operator", "value", "effect"].map(|name| toleration.field(name));
    if !key.is_empty() {
        key.check(qualified_name);
    }
    match operator.str() {
        "" => operator.required(""),
        "Exists" if !value.is_empty() => value.invalid("must be empty for operator `Exists`"),
        "Exists" => {}
        "Equal" => {
            value.check(label_value);
        }
        _ => operator.not_supported(&["Equal", "Exists"]),
    }
    if !effect.is_empty() {
        effect.one_of(&EFFECTS);
    }
}
