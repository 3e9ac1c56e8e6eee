//! Conversions, and types as values.

use kubemerge_value::go_duration;

use super::answer::Answer;
use crate::timestamp::{CelTimestamp, TimestampError};
use crate::value::{CelValue, show::float_text};

/// Functions that convert one value: of a constant they are a constant.
const CONVERSIONS: [&str; 10] =
    ["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"];

/// A function by its name, if it converts a value.
pub(crate) fn conversion(function: &str) -> Option<&'static str> {
    CONVERSIONS.into_iter().find(|known| *known == function)
}

/// The type that a name means, by the name that it has at run time.
pub(crate) fn named_type(name: &str) -> Option<&'static str> {
    const NAMES: [&str; 11] = [
        "bool",
        "int",
        "uint",
        "double",
        "string",
        "bytes",
        "list",
        "map",
        "null_type",
        "type",
        "optional_type",
    ];
    NAMES.into_iter().find(|known| *known == name)
}

/// Converts a value.
pub(crate) fn convert<'v>(function: &str, value: &CelValue<'v>) -> Answer<'v> {
    let arguments = std::slice::from_ref(value);
    let unknown = || Err(format!("no such overload: {function}({})", value.type_name()).into());
    super::operators::apply(function, arguments)
        .or_else(|| apply(function, arguments))
        .unwrap_or_else(unknown)
}

pub(super) fn apply<'v>(function: &str, arguments: &[CelValue<'v>]) -> Option<Answer<'v>> {
    let [value] = arguments else { return None };
    let answer = match function {
        "bool" => to_bool(value),
        "bytes" => to_bytes(value),
        "double" => to_double(value),
        "duration" => to_duration(value),
        "int" => to_int(value),
        "string" => to_string(value),
        "timestamp" => to_timestamp(value),
        "uint" => to_uint(value),
        _ => return None,
    };
    Some(answer.unwrap_or_else(|| Err(format!("no such overload: {function}({})", value.type_name()).into())))
}

fn failed<'v>(to: &str) -> Answer<'v> {
    Err(format!("type conversion error from 'string' to '{to}'").into())
}

fn to_bool<'v>(value: &CelValue<'v>) -> Option<Answer<'v>> {
    Some(match value {
        CelValue::Bool(_) => Ok(value.clone()),
        CelValue::String(text) => match &**text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(CelValue::Bool(true)),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(CelValue::Bool(false)),
            _ => failed("bool"),
        },
        _ => return None,
    })
}

fn to_bytes<'v>(value: &CelValue<'v>) -> Option<Answer<'v>> {
    Some(match value {
        CelValue::Bytes(_) => Ok(value.clone()),
        CelValue::String(text) => Ok(CelValue::Bytes(text.as_bytes().into())),
        _ => return None,
    })
}

fn to_double<'v>(value: &CelValue<'v>) -> Option<Answer<'v>> {
    Some(match value {
        CelValue::Double(_) => Ok(value.clone()),
        CelValue::Int(number) => Ok(CelValue::Double(*number as f64)),
        CelValue::Uint(number) => Ok(CelValue::Double(*number as f64)),
        CelValue::String(text) => {
            parse_float(text).map_or_else(|| failed("double"), |number| Ok(CelValue::Double(number)))
        }
        _ => return None,
    })
}

/// A float as `strconv.ParseFloat` reads it.
pub(super) fn parse_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let word = unsigned.to_ascii_lowercase();
    if matches!(word.as_str(), "inf" | "infinity") {
        return Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    if word == "nan" {
        return (unsigned.len() == text.len()).then_some(f64::NAN);
    }
    if let Some(digits) = word.strip_prefix("0x") {
        return hex_float(digits).map(|number| if text.starts_with('-') { -number } else { number });
    }
    let is_decimal = unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && unsigned.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    let number: f64 = text.parse().ok().filter(|_| is_decimal)?;
    number.is_finite().then_some(number)
}

/// A hexadecimal float needs an exponent, of two.
fn hex_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || digits.len() > 13 {
        return None;
    }
    let number = u64::from_str_radix(&digits, 16).ok()?;
    let exponent: i32 = exponent.parse().ok().filter(|power: &i32| power.abs() < 2_000)?;
    let result = number as f64 * 2f64.powi(exponent - 4 * fraction.len() as i32);
    result.is_finite().then_some(result)
}

fn to_duration<'v>(value: &CelValue<'v>) -> Option<Answer<'v>> {
    Some(match value {
        CelValue::Duration(_) => Ok(value.clone()),
        CelValue::String(text) => go_duration::parse(text)
            .map_or_else(|| failed("google.protobuf.Duration"), |nanos| Ok(CelValue::Duration(nanos))),
        _ => return None,
    })
}

/// 2^63 and 2^64 as floats.
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

fn to_int<'v>(value: &CelValue<'v>) -> Option<Answer<'v>> {
    let overflow = || Err("integer overflow".into());
    Some(match value {
        CelValue::Int(_) => Ok(value.clone()),
        CelValue::Uint(number) => {
            i64::try_from(*number).map_or_else(|_| overflow(), |number| Ok(CelValue::Int(number)))
        }
        // Upstream: the least integer is out of range.
        CelValue::Double(number) if *number > -TWO_TO_63 && *number < TWO_TO_63 => {
            Ok(CelValue::Int(*number as i64))
        }
        CelValue::Double(_) => overflow(),
        CelValue::Duration(nanos) => Ok(CelValue::Int(*nanos)),
        CelValue::Timestamp(time) => Ok(CelValue::Int(time.seconds())),
        CelValue::String(text) => match text.parse() {
            Ok(number) => Ok(CelValue::Int(number)),
            Err(_) => failed("int"),
        },
        _ => return None,
    })
}

fn to_uint<'v>(value: &CelValue<'v>) -> Option<Answer<'v>> {
    let overflow = || Err("unsigned integer overflow".into());
    Some(match value {
        CelValue::Uint(_) => Ok(value.clone()),
        CelValue::Int(number) => {
            u64::try_from(*number).map_or_else(|_| overflow(), |number| Ok(CelValue::Uint(number)))
        }
        CelValue::Double(number) if (0.0..TWO_TO_64).contains(number) => Ok(CelValue::Uint(*number as u64)),
        CelValue::Double(_) => overflow(),
        // Go reads no sign here.
        CelValue::String(text) if text.starts_with('+') => failed("uint"),
        CelValue::String(text) => match text.parse() {
            Ok(number) => Ok(CelValue::Uint(number)),
            Err(_) => failed("uint"),
        },
        _ => return None,
    })
}

fn to_string<'v>(value: &CelValue<'v>) -> Option<Answer<'v>> {
    if let CelValue::Bytes(bytes) = value {
        return Some(match std::str::from_utf8(bytes) {
            Ok(text) => Ok(CelValue::text(text)),
            Err(_) => Err("invalid UTF-8 in bytes, cannot convert to string".into()),
        });
    }
    if let CelValue::String(_) = value {
        return Some(Ok(value.clone()));
    }
    text_of(value).map(|text| Ok(CelValue::text(text)))
}

/// The text that a value is converted to, if it is one of those that `string` takes or a type.
pub(super) fn text_of(value: &CelValue<'_>) -> Option<String> {
    Some(match value {
        CelValue::Bool(value) => value.to_string(),
        CelValue::Int(value) => value.to_string(),
        CelValue::Uint(value) => value.to_string(),
        CelValue::Double(value) => float_text(*value),
        CelValue::String(text) => text.to_string(),
        CelValue::Timestamp(time) => time.text(),
        CelValue::Duration(nanos) => {
            let seconds = (nanos / 1_000_000_000) as f64 + (nanos % 1_000_000_000) as f64 / 1e9;
            format!("{seconds}s")
        }
        CelValue::Ip(address) => address.to_string(),
        CelValue::Cidr(cidr) => cidr.to_string(),
        _ => return None,
    })
}

fn to_timestamp<'v>(value: &CelValue<'v>) -> Option<Answer<'v>> {
    Some(match value {
        CelValue::Timestamp(_) => Ok(value.clone()),
        CelValue::Int(seconds) => CelTimestamp::at(*seconds).map(CelValue::Timestamp),
        CelValue::String(text) => match CelTimestamp::read(text) {
            Ok(time) => Ok(CelValue::Timestamp(time)),
            Err(TimestampError::Form) => failed("google.protobuf.Timestamp"),
            Err(TimestampError::Range) => Err("timestamp overflow".into()),
        },
        _ => return None,
    })
}
