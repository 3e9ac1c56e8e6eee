//! Conditions of a status in the form that all newer kinds share.

use std::collections::BTreeSet;

use crate::field::Field;
use crate::format::{Problems, qualified_name, regex_error};

const MAX_REASON_BYTES: usize = 1024;
const MAX_MESSAGE_BYTES: usize = 32 * 1024;

/// Validates `status.conditions`.
pub fn conditions(conditions: Field<'_>) {
    let mut types = BTreeSet::new();
    for condition in conditions.items() {
        let kind = condition.field("type");
        if !types.insert(kind.str()) {
            // Upstream reports the condition, not its type.
            condition.duplicate_as(kind.str());
        }
        if !kind.require("is required") {
            kind.check(qualified_name);
        }
        self::condition(condition);
    }
}

fn condition(condition: Field<'_>) {
    let (status, generation) = (condition.field("status"), condition.field("observedGeneration"));
    if !status.require("") {
        status.one_of(&["False", "True", "Unknown"]);
    }
    if generation.int() < 0 {
        generation.invalid("must be greater than or equal to zero");
    }
    condition.field("lastTransitionTime").require("");
    let (reason, message) = (condition.field("reason"), condition.field("message"));
    if !reason.require("") {
        reason.check(condition_reason);
        if reason.str().len() > MAX_REASON_BYTES {
            reason.too_long(MAX_REASON_BYTES);
        }
    }
    if message.str().len() > MAX_MESSAGE_BYTES {
        message.too_long(MAX_MESSAGE_BYTES);
    }
}

fn condition_reason(reason: &str) -> Problems {
    let bytes = reason.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let is_fine = bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.last().is_some_and(is_word)
        && bytes.iter().all(|byte| is_word(byte) || b",:".contains(byte));
    if is_fine {
        return Problems::new();
    }
    let message = "a condition reason must start with alphabetic character, optionally followed by a string of \
                   alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
    let examples = ["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"];
    vec![regex_error(message, "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?", &examples)]
}
