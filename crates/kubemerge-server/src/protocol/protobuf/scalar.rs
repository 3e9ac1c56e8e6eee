//! Values that are not messages in JSON: scalars, and the messages that Kubernetes writes as strings or numbers.

use base64::{Engine, engine::general_purpose::STANDARD};
use kubemerge_kinds::timestamp::Timestamp;
use serde_json::{Value, json};

use super::wire::{self, Field, Payload};

/// Go's zero time, in seconds since 1970.
const ZERO_TIME: i64 = -62_135_596_800;

/// Up to here every whole number is a float of its own.
const MAX_EXACT_INTEGER: u64 = 1 << 53;

/// Messages with a JSON form of their own.
const SPECIAL: &[&str] = &[
    "k8s.io.apimachinery.pkg.api.resource.Quantity",
    "k8s.io.apimachinery.pkg.util.intstr.IntOrString",
    "k8s.io.apimachinery.pkg.apis.meta.v1.Time",
    "k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime",
    "k8s.io.apimachinery.pkg.apis.meta.v1.Duration",
    "k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1",
    "k8s.io.apimachinery.pkg.apis.meta.v1.Verbs",
    "k8s.io.apimachinery.pkg.runtime.RawExtension",
    "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON",
    "k8s.io.api.authentication.v1.ExtraValue",
    "k8s.io.api.authorization.v1.ExtraValue",
    "k8s.io.api.certificates.v1.ExtraValue",
];

pub(super) fn is_special(kind: &str) -> bool {
    SPECIAL.contains(&kind)
}

/// The value of a scalar or of a special message; none for ordinary messages.
pub(super) fn read(payload: Payload<'_>, kind: &str) -> Result<Option<Value>, String> {
    Ok(Some(match kind {
        "string" => json!(payload.text()?),
        "bytes" => json!(STANDARD.encode(payload.bytes()?)),
        "bool" => json!(payload.number()? != 0),
        "int32" | "int64" => json!(payload.number()? as i64),
        "uint32" | "uint64" => json!(payload.number()?),
        "double" => number(f64::from_bits(payload.number()?)),
        "float" => number(f32::from_bits(payload.number()? as u32).into()),
        special if is_special(special) => message(payload.bytes()?, special)?,
        _ => return Ok(None),
    }))
}

/// Go writes whole numbers without a fraction.
fn number(value: f64) -> Value {
    let whole = value as i64;
    if whole as f64 == value && whole.unsigned_abs() <= MAX_EXACT_INTEGER {
        json!(whole)
    } else {
        json!(value)
    }
}

/// The value of a field that is not sent.
pub(super) fn zero(kind: &str) -> Value {
    match kind {
        "string" | "bytes" => json!(""),
        "bool" => json!(false),
        "int32" | "int64" | "uint32" | "uint64" | "double" | "float" => json!(0),
        _ => json!({}),
    }
}

fn message(bytes: &[u8], kind: &str) -> Result<Value, String> {
    let fields: Vec<Field<'_>> = wire::fields(bytes).collect::<Result<_, _>>()?;
    let find = |number: u32| fields.iter().find(|field| field.number == number).map(|field| field.payload);
    let number = |at: u32| find(at).map_or(Ok(0), Payload::number);
    let text = |at: u32| find(at).map_or(Ok(String::new()), Payload::text);
    Ok(match kind.rsplit('.').next().unwrap_or_default() {
        "Quantity" => json!(text(1)?),
        "IntOrString" if number(1)? == 0 => json!(number(2)? as i64),
        "IntOrString" => json!(text(3)?),
        "Time" | "MicroTime" => time(number(1)? as i64, number(2)?, kind, fields.is_empty()),
        "Duration" => json!(format!("{}ns", number(1)? as i64)),
        "Verbs" | "ExtraValue" => {
            let items = fields.iter().filter(|field| field.number == 1).map(|field| field.payload.text());
            json!(items.collect::<Result<Vec<_>, _>>()?)
        }
        // Objects inside of objects travel as JSON.
        _ => match find(1) {
            None => Value::Null,
            Some(raw) => serde_json::from_slice(raw.bytes()?)
                .map_err(|error| format!("an embedded object: {error}"))?,
        },
    })
}

/// A time as Kubernetes prints it; null if it is Go's zero time.
fn time(seconds: i64, nanos: u64, kind: &str, absent: bool) -> Value {
    // An empty Time message is Go's zero time, which JSON shows as null.
    if absent || seconds == ZERO_TIME {
        return Value::Null;
    }
    let text = Timestamp::at(seconds).to_string();
    if kind.ends_with("MicroTime") {
        let text = text.trim_end_matches('Z');
        return json!(format!("{text}.{:06}Z", nanos / 1_000));
    }
    json!(text)
}
