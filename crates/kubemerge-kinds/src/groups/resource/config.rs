//! Configuration of devices that only their driver understands, and data that drivers report.

use super::names::declared_driver_name;
use crate::field::Field;
use crate::tree::Value;

/// What parameters and data may measure.
const MAX_RAW_BYTES: usize = 10 * 1024;

/// Validates `opaque` of a configuration.
pub(super) fn configuration(config: Field<'_>) {
    let opaque = config.field("opaque");
    if !opaque.is_set() {
        return opaque.required("");
    }
    declared_driver_name(opaque.field("driver"));
    raw_object(opaque.field("parameters"));
}

/// A JSON object of limited size.
pub(super) fn raw_object(raw: Field<'_>) {
    let Some(value) = raw.value() else { return raw.required("") };
    if value.to_text().len() > MAX_RAW_BYTES {
        return raw.too_long(MAX_RAW_BYTES);
    }
    if !matches!(value, Value::Map(_)) {
        raw.invalid_as("<value omitted>", "must be a valid JSON object");
    }
}
