//! Tolerations of taints.

use crate::field::Field;
use crate::format::{decimal_integer, label_value, qualified_name};
use crate::go_text::quoted;

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
                operator.invalid_as(value.str(), problems.join(";"));
            }
        }
        "Exists" if !value.is_empty() => {
            operator.invalid_as(value.str(), "value must be empty when `operator` is 'Exists'");
        }
        "Exists" => {}
        "Lt" | "Gt" => compared_value(value),
        _ => operator.not_supported(&["Equal", "Exists"]),
    }
    if !effect.is_empty() {
        taint_effect(effect);
    }
}

fn compared_value(value: Field<'_>) {
    value.check(decimal_integer);
    let text = value.str();
    if text.parse::<i64>().is_err() {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let cause = if is_number { "value out of range" } else { "invalid syntax" };
        value.invalid(format!("strconv.ParseInt: parsing {}: {cause}", quoted(text)));
    }
}

/// The effect of a taint, which must be given.
pub(crate) fn taint_effect(effect: Field<'_>) {
    if !effect.require("") {
        effect.one_of(&["NoSchedule", "PreferNoSchedule", "NoExecute"]);
    }
}
