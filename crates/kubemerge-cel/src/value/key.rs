//! Keys of maps.

use crate::error::CelError;
use std::sync::Arc;

use super::CelValue;
use crate::timestamp::CelTimestamp;

/// A key of a map that an expression makes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    /// The bits of a number; zero has no sign.
    Double(u64),
    /// Shared by threads, as sets of constants in a program are.
    String(Arc<str>),
    Timestamp(CelTimestamp),
    Duration(i64),
    Type(&'static str),
}

impl Key {
    /// A value as a key, if it can be one.
    pub(crate) fn of(value: &CelValue<'_>) -> Option<Key> {
        Some(match value {
            CelValue::Null => Key::Null,
            CelValue::Bool(value) => Key::Bool(*value),
            CelValue::Int(value) => Key::Int(*value),
            CelValue::Uint(value) => Key::Uint(*value),
            CelValue::Double(value) => Key::Double((value + 0.0).to_bits()),
            CelValue::String(value) => Key::String((**value).into()),
            CelValue::Timestamp(value) => Key::Timestamp(*value),
            CelValue::Duration(value) => Key::Duration(*value),
            CelValue::Type(name) => Key::Type(name),
            _ => return None,
        })
    }

    /// The key as a value.
    pub(crate) fn value<'v>(&self) -> CelValue<'v> {
        match self {
            Key::Null => CelValue::Null,
            Key::Bool(value) => CelValue::Bool(*value),
            Key::Int(value) => CelValue::Int(*value),
            Key::Uint(value) => CelValue::Uint(*value),
            Key::Double(bits) => CelValue::Double(f64::from_bits(*bits)),
            Key::String(value) => CelValue::text(&**value),
            Key::Timestamp(value) => CelValue::Timestamp(*value),
            Key::Duration(value) => CelValue::Duration(*value),
            Key::Type(name) => CelValue::Type(name),
        }
    }

    /// The keys that a value finds: numbers find those of other types that are the same number.
    pub(crate) fn candidates(value: &CelValue<'_>) -> Vec<Key> {
        let mut found: Vec<Key> = Key::of(value).into_iter().collect();
        match value {
            CelValue::Double(value) => {
                found.extend(whole_int(*value).map(Key::Int));
                found.extend(whole_uint(*value).map(Key::Uint));
            }
            CelValue::Int(value) => found.extend(u64::try_from(*value).ok().map(Key::Uint)),
            CelValue::Uint(value) => found.extend(i64::try_from(*value).ok().map(Key::Int)),
            _ => {}
        }
        found
    }
}

/// 2^63 and 2^64 as floats.
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

/// The integer that a float is. Upstream: the least integer is out of range.
pub(crate) fn whole_int(value: f64) -> Option<i64> {
    let is_in_range = value > -TWO_TO_63 && value < TWO_TO_63;
    let whole = value as i64;
    (is_in_range && whole as f64 == value).then_some(whole)
}

pub(crate) fn whole_uint(value: f64) -> Option<u64> {
    let is_in_range = (0.0..TWO_TO_64).contains(&value);
    let whole = value as u64;
    (is_in_range && whole as f64 == value).then_some(whole)
}

/// The position that a value is in a list.
pub(crate) fn index_of(value: &CelValue<'_>) -> Result<i64, CelError> {
    match value {
        CelValue::Int(index) => Ok(*index),
        CelValue::Double(index) => whole_int(*index)
            .ok_or_else(|| format!("unsupported index value {} in list", value.shown()).into()),
        CelValue::Uint(index) => {
            i64::try_from(*index).map_err(|_| format!("unsupported index value {index} in list").into())
        }
        other => Err(format!("unsupported index type '{}' in list", other.type_name()).into()),
    }
}
