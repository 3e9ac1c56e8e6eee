//! Operators, and functions that have one implementation for all types.

use crate::error::CelError;
use std::cmp::Ordering;

use super::answer::{Answer, no_overload};
use crate::value::{CelList, CelValue};

const INTEGER_OVERFLOW: &str = "integer overflow";
const UNSIGNED_OVERFLOW: &str = "unsigned integer overflow";
const DIVISION_BY_ZERO: &str = "division by zero";
const MODULUS_BY_ZERO: &str = "modulus by zero";

/// Applies an operator; none if it is another function.
pub(super) fn apply<'v>(function: &str, arguments: &[CelValue<'v>]) -> Option<Answer<'v>> {
    Some(match (function, arguments) {
        ("_+_", [one, other]) => add(one, other).unwrap_or_else(|| missing(function, one, has_sum)),
        ("_-_", [one, other]) => {
            subtract(one, other).unwrap_or_else(|| missing(function, one, has_difference))
        }
        ("_*_", [one, other]) => multiply(one, other).unwrap_or_else(|| missing(function, one, has_product)),
        ("_/_", [one, other]) => divide(one, other).unwrap_or_else(|| missing(function, one, has_product)),
        ("_%_", [one, other]) => remainder(one, other).unwrap_or_else(|| missing(function, one, is_integer)),
        ("_<_", [one, other]) => ordered(function, one, other, Ordering::is_lt),
        ("_<=_", [one, other]) => ordered(function, one, other, Ordering::is_le),
        ("_>_", [one, other]) => ordered(function, one, other, Ordering::is_gt),
        ("_>=_", [one, other]) => ordered(function, one, other, Ordering::is_ge),
        ("!_", [CelValue::Bool(value)]) => Ok(CelValue::Bool(!value)),
        ("!_", _) => no_overload(),
        ("-_", [operand]) => negated(operand),
        ("@in", [item, container]) => contained(container, item),
        ("size", [value]) => match value.length() {
            Some(length) => Ok(CelValue::Int(length as i64)),
            None => missing(function, value, |_| false),
        },
        ("type", [value]) => Ok(CelValue::Type(value.type_name())),
        ("dyn", [value]) => Ok(value.clone()),
        _ => return None,
    })
}

/// The error for an operator that a type does not have at all, or not with the other value.
fn missing<'v>(function: &str, value: &CelValue<'v>, has_operator: fn(&CelValue<'v>) -> bool) -> Answer<'v> {
    let has_methods = matches!(value, CelValue::String(_) | CelValue::Duration(_) | CelValue::Timestamp(_));
    if has_operator(value) || has_methods {
        no_overload()
    } else {
        Err(format!("no such overload: {function}").into())
    }
}

fn has_sum(value: &CelValue<'_>) -> bool {
    has_difference(value) || matches!(value, CelValue::Bytes(_) | CelValue::List(_) | CelValue::String(_))
}

fn has_difference(value: &CelValue<'_>) -> bool {
    has_product(value) || matches!(value, CelValue::Duration(_) | CelValue::Timestamp(_))
}

fn has_product(value: &CelValue<'_>) -> bool {
    is_integer(value) || matches!(value, CelValue::Double(_))
}

fn is_integer(value: &CelValue<'_>) -> bool {
    matches!(value, CelValue::Int(_) | CelValue::Uint(_))
}

fn int<'v>(result: Option<i64>) -> Answer<'v> {
    result.map(CelValue::Int).ok_or_else(|| INTEGER_OVERFLOW.into())
}

fn uint<'v>(result: Option<u64>) -> Answer<'v> {
    result.map(CelValue::Uint).ok_or_else(|| UNSIGNED_OVERFLOW.into())
}

fn duration<'v>(result: Option<i64>) -> Answer<'v> {
    result.map(CelValue::Duration).ok_or_else(|| INTEGER_OVERFLOW.into())
}

fn add<'v>(one: &CelValue<'v>, other: &CelValue<'v>) -> Option<Answer<'v>> {
    Some(match (one, other) {
        (CelValue::Int(one), CelValue::Int(other)) => int(one.checked_add(*other)),
        (CelValue::Uint(one), CelValue::Uint(other)) => uint(one.checked_add(*other)),
        (CelValue::Double(one), CelValue::Double(other)) => Ok(CelValue::Double(one + other)),
        (CelValue::String(one), CelValue::String(other)) => Ok(CelValue::text([&**one, &**other].concat())),
        (CelValue::Bytes(one), CelValue::Bytes(other)) => {
            Ok(CelValue::Bytes([&**one, &**other].concat().into()))
        }
        (CelValue::List(one), CelValue::List(other)) => one.clone().plus(other.clone()).map(CelValue::List),
        (CelValue::Duration(one), CelValue::Duration(other)) => duration(one.checked_add(*other)),
        (CelValue::Duration(span), CelValue::Timestamp(time))
        | (CelValue::Timestamp(time), CelValue::Duration(span)) => time.plus(*span).map(CelValue::Timestamp),
        _ => return None,
    })
}

fn subtract<'v>(one: &CelValue<'v>, other: &CelValue<'v>) -> Option<Answer<'v>> {
    Some(match (one, other) {
        (CelValue::Int(one), CelValue::Int(other)) => int(one.checked_sub(*other)),
        (CelValue::Uint(one), CelValue::Uint(other)) => uint(one.checked_sub(*other)),
        (CelValue::Double(one), CelValue::Double(other)) => Ok(CelValue::Double(one - other)),
        (CelValue::Duration(one), CelValue::Duration(other)) => duration(one.checked_sub(*other)),
        (CelValue::Timestamp(one), CelValue::Timestamp(other)) => one.since(*other).map(CelValue::Duration),
        (CelValue::Timestamp(time), CelValue::Duration(span)) => match span.checked_neg() {
            Some(span) => time.plus(span).map(CelValue::Timestamp),
            None => Err(INTEGER_OVERFLOW.into()),
        },
        _ => return None,
    })
}

fn multiply<'v>(one: &CelValue<'v>, other: &CelValue<'v>) -> Option<Answer<'v>> {
    Some(match (one, other) {
        (CelValue::Int(one), CelValue::Int(other)) => int(one.checked_mul(*other)),
        (CelValue::Uint(one), CelValue::Uint(other)) => uint(one.checked_mul(*other)),
        (CelValue::Double(one), CelValue::Double(other)) => Ok(CelValue::Double(one * other)),
        _ => return None,
    })
}

fn divide<'v>(one: &CelValue<'v>, other: &CelValue<'v>) -> Option<Answer<'v>> {
    Some(match (one, other) {
        (CelValue::Int(_), CelValue::Int(0)) | (CelValue::Uint(_), CelValue::Uint(0)) => {
            Err(DIVISION_BY_ZERO.into())
        }
        (CelValue::Int(one), CelValue::Int(other)) => int(one.checked_div(*other)),
        (CelValue::Uint(one), CelValue::Uint(other)) => uint(one.checked_div(*other)),
        (CelValue::Double(one), CelValue::Double(other)) => Ok(CelValue::Double(one / other)),
        _ => return None,
    })
}

fn remainder<'v>(one: &CelValue<'v>, other: &CelValue<'v>) -> Option<Answer<'v>> {
    Some(match (one, other) {
        (CelValue::Int(_), CelValue::Int(0)) | (CelValue::Uint(_), CelValue::Uint(0)) => {
            Err(MODULUS_BY_ZERO.into())
        }
        (CelValue::Int(one), CelValue::Int(other)) => int(one.checked_rem(*other)),
        (CelValue::Uint(one), CelValue::Uint(other)) => uint(one.checked_rem(*other)),
        _ => return None,
    })
}

fn ordered<'v>(
    function: &str,
    one: &CelValue<'v>,
    other: &CelValue<'v>,
    test: fn(Ordering) -> bool,
) -> Answer<'v> {
    if !one.is_comparable() {
        return missing(function, one, |_| false);
    }
    one.compare(other).map(|order| CelValue::Bool(test(order)))
}

fn negated<'v>(operand: &CelValue<'v>) -> Answer<'v> {
    match operand {
        CelValue::Int(value) => int(value.checked_neg()),
        CelValue::Double(value) => Ok(CelValue::Double(-value)),
        CelValue::Duration(value) => duration(value.checked_neg()),
        CelValue::Bool(_) => no_overload(),
        _ => missing("-_", operand, |_| false),
    }
}

fn contained<'v>(container: &CelValue<'v>, item: &CelValue<'v>) -> Answer<'v> {
    match container {
        CelValue::List(list) => contains(list, item).map(CelValue::Bool),
        CelValue::Map(map) => Ok(CelValue::Bool(map.find(item)?.is_some())),
        _ => no_overload(),
    }
}

/// Whether a list has an item. Lists of objects complain about values of other types.
pub(super) fn contains<'v>(list: &CelList<'v>, item: &CelValue<'v>) -> Result<bool, CelError> {
    let mut problem = None;
    for member in list.iter() {
        let is_same = if list.is_strict() { member.is_same(item) } else { item.is_same(&member) };
        match is_same {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(_) if !list.is_strict() => {}
            Err(text) => problem = Some(text),
        }
    }
    problem.map_or(Ok(false), Err)
}
