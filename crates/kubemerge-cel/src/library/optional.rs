//! Optional values.

use super::answer::Answer;
use crate::value::CelValue;

pub(super) fn apply<'v>(function: &str, arguments: &[CelValue<'v>]) -> Option<Answer<'v>> {
    Some(match (function, arguments) {
        ("optional.of", [value]) => Ok(CelValue::optional(Some(value.clone()))),
        ("optional.ofNonZeroValue", [value]) => {
            Ok(CelValue::optional((!is_zero(value)).then(|| value.clone())))
        }
        ("optional.none", []) => Ok(CelValue::Optional(None)),
        ("hasValue", [CelValue::Optional(value)]) => Ok(CelValue::Bool(value.is_some())),
        ("value", [CelValue::Optional(Some(value))]) => Ok((**value).clone()),
        ("value", [CelValue::Optional(None)]) => Err("optional.none() dereference".into()),
        ("optional.unwrap" | "unwrapOpt", [CelValue::List(list)]) => {
            let mut values = Vec::new();
            for item in list.iter() {
                match item {
                    CelValue::Optional(value) => values.extend(value.map(|value| (*value).clone())),
                    other => return Some(Err(format!("value {} is not optional", other.shown()).into())),
                }
            }
            Ok(CelValue::list(values))
        }
        _ => return None,
    })
}

/// Whether a value is the zero of its type. Upstream: lists and maps of objects have none.
fn is_zero(value: &CelValue<'_>) -> bool {
    match value {
        CelValue::Null => true,
        CelValue::Bool(value) => !value,
        CelValue::Int(value) => *value == 0,
        CelValue::Uint(value) => *value == 0,
        CelValue::Double(value) => *value == 0.0,
        CelValue::String(text) => text.is_empty(),
        CelValue::Bytes(bytes) => bytes.is_empty(),
        CelValue::Duration(nanos) => *nanos == 0,
        CelValue::Timestamp(time) => time.is_first(),
        CelValue::List(list) => !list.is_strict() && list.is_empty(),
        CelValue::Map(map) => !map.is_strict() && map.is_empty(),
        _ => false,
    }
}
