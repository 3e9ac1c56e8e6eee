//! What `<` and its relatives answer.

use crate::error::CelError;
use std::cmp::Ordering;

use super::CelValue;

/// Why two values have no order.
const NO_OVERLOAD: &str = "no such overload";
const NOT_A_NUMBER: &str = "NaN values cannot be ordered";

impl CelValue<'_> {
    /// Whether values of its type can have an order.
    pub(crate) fn is_comparable(&self) -> bool {
        matches!(
            self,
            CelValue::Bool(_)
                | CelValue::Int(_)
                | CelValue::Uint(_)
                | CelValue::Double(_)
                | CelValue::String(_)
                | CelValue::Bytes(_)
                | CelValue::Timestamp(_)
                | CelValue::Duration(_)
        )
    }

    /// The order of two values; numbers of different types have one.
    pub(crate) fn compare(&self, other: &CelValue<'_>) -> Result<Ordering, CelError> {
        Ok(match (self, other) {
            (CelValue::Bool(one), CelValue::Bool(other)) => one.cmp(other),
            (CelValue::String(one), CelValue::String(other)) => one.as_bytes().cmp(other.as_bytes()),
            (CelValue::Bytes(one), CelValue::Bytes(other)) => one.cmp(other),
            (CelValue::Timestamp(one), CelValue::Timestamp(other)) => one.cmp(other),
            (CelValue::Duration(one), CelValue::Duration(other)) => one.cmp(other),
            _ => return numeric_order(self, other),
        })
    }
}

fn numeric_order(one: &CelValue<'_>, other: &CelValue<'_>) -> Result<Ordering, CelError> {
    let is_nan = |value: &CelValue<'_>| matches!(value, CelValue::Double(value) if value.is_nan());
    // Upstream: the type of the second value is looked at only where the first is a number.
    if is_nan(one) {
        return Err(NOT_A_NUMBER.into());
    }
    if matches!(one, CelValue::Int(_) | CelValue::Uint(_) | CelValue::Double(_)) && is_nan(other) {
        return Err(NOT_A_NUMBER.into());
    }
    compare_numbers(one, other).ok_or_else(|| NO_OVERLOAD.into())
}

/// The order of two numbers; none if one of them is not a number.
pub(super) fn compare_numbers(one: &CelValue<'_>, other: &CelValue<'_>) -> Option<Ordering> {
    Some(match (one, other) {
        (CelValue::Int(one), CelValue::Int(other)) => one.cmp(other),
        (CelValue::Uint(one), CelValue::Uint(other)) => one.cmp(other),
        (CelValue::Double(one), CelValue::Double(other)) => return one.partial_cmp(other),
        (CelValue::Int(one), CelValue::Uint(other)) => i128::from(*one).cmp(&i128::from(*other)),
        (CelValue::Uint(one), CelValue::Int(other)) => i128::from(*one).cmp(&i128::from(*other)),
        // Upstream: the integer is rounded to a float.
        (CelValue::Double(one), CelValue::Int(other)) => return one.partial_cmp(&(*other as f64)),
        (CelValue::Int(one), CelValue::Double(other)) => return (*one as f64).partial_cmp(other),
        (CelValue::Double(one), CelValue::Uint(other)) => return one.partial_cmp(&(*other as f64)),
        (CelValue::Uint(one), CelValue::Double(other)) => return (*one as f64).partial_cmp(other),
        _ => return None,
    })
}
