//! Tolerations of taints.

use crate::field::Field;
use crate::format::{label_value, qualified_name};

pub(crate) fn tolerations(tolerations: Field<'_>) {
    tolerations.items().for_each(toleration);
}

fn toleration(toleration: Field<'_>) {
    let (key, operator) = (toleration.field("key"), toleration.field("operator"));
    let (value, effect) = (toleration.field("value"), toleration.field("effect"));
    if !key.is_empty() {
        key.check(qualified_name);
    } else if operator.str() != "Exists" {
        operator.invalid(
            "operator must be Exists when `key` is empty, which means \"match all values and all keys\"",
        );
    }
    if toleration.field("tolerationSeconds").is_set() && effect.str() != "NoExecute" {
        effect.invalid("effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    match operator.str() {
        "Equal" | "" => {
            let problems = label_value(value.str());
            if !problems.is_empty() {
                // Upstream reports the value at the operator, with all its problems in one error.
                operator.invalid_as(value.str(), problems.join(";"));
            }
        }
        "Exists" if !value.is_empty() => {
            operator.invalid_as(value.str(), "value must be empty when `operator` is 'Exists'");
        }
        "Exists" => {}
        // Comparisons are known and disabled.
        "Lt" | "Gt" => operator.not_supported(&["Equal", "Exists", "Lt", "Gt"]),
        _ => operator.not_supported(&["Equal", "Exists"]),
    }
    if !effect.is_empty() {
        taint_effect(effect);
    }
}

/// The effect of a taint, which must be given.
pub(crate) fn taint_effect(effect: Field<'_>) {
    if !effect.require("") {
        effect.one_of(&["NoSchedule", "PreferNoSchedule", "NoExecute"]);
    }
}
