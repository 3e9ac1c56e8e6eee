//! `maxUnavailable` and `maxSurge`: numbers or percentages.

use crate::field::Field;
use crate::format::percent;
use crate::tree::{Map, Value};

/// Fields that internal types hold by value: where a client leaves them out, they are 0.
pub(super) fn absent_is_zero(strategy: &mut Map<'_>) {
    if let Some(update) = strategy.map_mut("rollingUpdate") {
        update.set_if_absent("maxUnavailable", 0);
        update.set_if_absent("maxSurge", 0);
    }
}

/// A number that is not negative, or a percentage.
pub(crate) fn int_or_percent(field: Field<'_>) {
    match field.value() {
        Some(Value::Str(_)) => {
            field.check(percent);
        }
        _ => field.check_not_negative(),
    }
}

/// A percentage is at most 100 %.
pub(crate) fn at_most_100_percent(field: Field<'_>) {
    if percentage(field).is_some_and(|value| value > 100) {
        field.invalid("must not be greater than 100%");
    }
}

/// The number, be it a percentage or not; texts that are neither count as 0.
pub(super) fn number(field: Field<'_>) -> i64 {
    match field.value() {
        Some(Value::Str(text)) => percentage(field).or_else(|| text.parse().ok()).unwrap_or_default(),
        _ => field.int(),
    }
}

fn percentage(field: Field<'_>) -> Option<i64> {
    let text = field.value().and_then(Value::as_str).filter(|text| percent(text).is_empty())?;
    // Go's Atoi answers the largest number for one that is too large.
    Some(text.trim_end_matches('%').parse().unwrap_or(i64::MAX))
}
