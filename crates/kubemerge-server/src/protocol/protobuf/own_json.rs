//! Messages that Kubernetes writes as strings, numbers or any JSON.

use kubemerge_kinds::{timestamp::Timestamp, typed::duration_text};
use kubemerge_value::{Canonical, to_value};
use serde_json::{Value, json};

use super::{
    table::OwnJson,
    wire::{self, Payload, WireField},
};

/// Go's zero time, in seconds since 1970.
const ZERO_TIME: i64 = -62_135_596_800;

const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// The JSON of a message; null for schemas, which the reader of messages reads.
pub(super) fn read(bytes: &[u8], own: OwnJson) -> Result<Value, String> {
    let fields: Vec<WireField<'_>> = wire::fields(bytes).collect::<Result<_, _>>()?;
    // Of a field that is sent twice, the last counts.
    let find = |number: u32| fields.iter().rfind(|field| field.number == number).map(|field| field.payload);
    let number = |at: u32| find(at).map_or(Ok(0), Payload::varint);
    let text = |at: u32| find(at).map_or(Ok(String::new()), Payload::text);
    Ok(match own {
        OwnJson::Quantity => find(1).map_or(Ok("0".into()), Payload::text)?.into(),
        OwnJson::IntOrString => match number(1)? {
            0 => json!(number(2)? as i32),
            1 => text(3)?.into(),
            other => return Err(format!("an integer or string of the unknown type {other}")),
        },
        // An empty message is Go's zero time, and not the second that 1970 began with.
        OwnJson::Time | OwnJson::MicroTime if bytes.is_empty() => Value::Null,
        // Kubernetes reads whole seconds only, as JSON has them.
        OwnJson::Time => time(number(1)? as i64),
        OwnJson::MicroTime => micro_time(number(1)? as i64, number(2)? as i32),
        OwnJson::Duration => duration_text(number(1)? as i64).into(),
        OwnJson::JsonText => find(1).map_or(Ok(Value::Null), |raw| json_text(raw.bytes()?))?,
        OwnJson::SchemaOrBool | OwnJson::SchemaOrArray | OwnJson::SchemaOrStringArray => Value::Null,
    })
}

/// Objects inside of objects travel as JSON.
fn json_text(bytes: &[u8]) -> Result<Value, String> {
    let text = Canonical::from_bytes(bytes).map_err(|error| format!("an embedded object: {error}"))?;
    to_value((&text).into()).map_err(|error| format!("an embedded object: {error}"))
}

/// A time as Kubernetes prints it; null if it is Go's zero time.
fn time(seconds: i64) -> Value {
    match seconds {
        ZERO_TIME => Value::Null,
        _ => Timestamp::at(seconds).to_string().into(),
    }
}

fn micro_time(seconds: i64, nanos: i32) -> Value {
    // Nanoseconds may be negative, or more than a second.
    let seconds = seconds.saturating_add(i64::from(nanos).div_euclid(NANOS_PER_SECOND));
    let nanos = i64::from(nanos).rem_euclid(NANOS_PER_SECOND);
    if seconds == ZERO_TIME && nanos == 0 {
        return Value::Null;
    }
    let text = Timestamp::at(seconds).to_string();
    format!("{}.{:06}Z", text.trim_end_matches('Z'), nanos / 1_000).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_go() {
        assert_eq!(read(b"", OwnJson::Time), Ok(Value::Null));
        assert_eq!(read(&[8, 0], OwnJson::Time), Ok(json!("1970-01-01T00:00:00Z")));
        assert_eq!(micro_time(ZERO_TIME, 0), Value::Null);
        assert_eq!(micro_time(0, -1_000), json!("1969-12-31T23:59:59.999999Z"));
        assert_eq!(
            micro_time(i64::MAX, i32::MAX).as_str().map(|text| text.ends_with(".147483Z")),
            Some(true)
        );
    }

    #[test]
    fn what_has_no_json_is_an_error() {
        assert!(read(&[8, 2], OwnJson::IntOrString).is_err());
        assert!(read(&[10, 1, b'{'], OwnJson::JsonText).is_err());
        assert!(read(&[10, 0], OwnJson::JsonText).is_err());
        let deep = [&[10, 200, 3][..], &[b'['; 456]].concat();
        assert!(read(&deep, OwnJson::JsonText).is_err());
    }
}
