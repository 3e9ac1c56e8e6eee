//! Objects that Kubernetes converts from a map instead of decoding them from JSON: the results of strategic merge
//! patches and of applies.
//!
//! Its converter is more lenient than its decoder (numbers are cut to the size of their field, fractions of zero are
//! dropped) and words its errors differently. It walks the fields of a struct in the order of their declaration and
//! stops at the first error.

use kubemerge_schema::{GoKind, GoTypes, GoValue, Schema, StructId};
use kubemerge_value::{PullReader, deep};
use serde_json::Value;

use super::{DecodeError, Decoder, base64, field_order};
use crate::tree::Arena;

/// Converts an object in place, so that the decoder reads what the converter would; an error is the converter's.
pub fn convert(schema: &Schema, root: StructId, object: &mut Value) -> Result<(), DecodeError> {
    let converter = Converter { types: schema.go_types(), root };
    converter.convert(GoValue::plain(GoKind::Struct(root)), object)
}

#[derive(Clone, Copy)]
struct Converter<'s> {
    types: GoTypes<'s>,
    root: StructId,
}

impl Converter<'_> {
    fn convert(self, ty: GoValue, value: &mut Value) -> Result<(), DecodeError> {
        if value.is_null() {
            return Ok(());
        }
        match ty.kind {
            GoKind::Bool | GoKind::String | GoKind::Int32 | GoKind::Int64 | GoKind::Float64 => {
                self.convert_scalar(ty, value)
            }
            GoKind::Bytes => convert_bytes(value),
            GoKind::Struct(id) => deep(|| self.convert_struct(id, value)),
            GoKind::List(item) => match value {
                Value::Array(items) => {
                    let item = self.types.value(item);
                    items.iter_mut().try_for_each(|one| deep(|| self.convert(item, one)))
                }
                other => Err(error(format!("cannot restore slice from {}", go_kind(other)))),
            },
            GoKind::Map(item) => match value {
                Value::Object(members) => {
                    let item = self.types.value(item);
                    members.values_mut().try_for_each(|one| deep(|| self.convert(item, one)))
                }
                other => Err(error(format!("cannot restore map from {}", go_kind(other)))),
            },
            // These types decode their JSON themselves, so that both ways are the same.
            _ => self.decode_alone(ty, value),
        }
    }

    fn convert_struct(self, id: StructId, value: &mut Value) -> Result<(), DecodeError> {
        let Value::Object(members) = value else {
            return Err(error(format!("cannot restore struct from: {}", go_kind(value))));
        };
        let struct_type = self.types.of(id);
        let order = field_order::fields(struct_type.definition_name()).unwrap_or_default();
        let mut fields: Vec<_> = members.iter_mut().collect();
        fields.sort_by_cached_key(|(name, _)| field_order::place(order, name));
        for (name, value) in fields {
            if let Some(field) = struct_type.named(name) {
                self.convert(field.value, value)?;
            }
        }
        Ok(())
    }

    fn convert_scalar(self, ty: GoValue, value: &mut Value) -> Result<(), DecodeError> {
        let whole = whole_number(value);
        match (ty.kind, &*value, whole) {
            (GoKind::Bool, Value::Bool(_), _)
            | (GoKind::String, Value::String(_), _)
            | (GoKind::Float64, Value::Number(_), _) => Ok(()),
            // Upstream: numbers that do not fit lose their highest bits.
            (GoKind::Int32, _, Some(number)) => {
                *value = (number as i32).into();
                Ok(())
            }
            (GoKind::Int64, _, Some(number)) => {
                *value = number.into();
                Ok(())
            }
            // Go converts numbers to texts, so that its converter comes this far before it refuses.
            (GoKind::String, Value::Number(_), _) if go_kind(value) == "int64" => {
                Err(self.not_convertible(value, ty))
            }
            (GoKind::Int32 | GoKind::Int64, Value::Number(_), None) => Err(self.not_convertible(value, ty)),
            (kind, ..) => Err(error(format!("unrecognized type: {}", self.kind_name(kind, ty)))),
        }
    }

    fn not_convertible(self, value: &Value, ty: GoValue) -> DecodeError {
        let type_name = self.types.type_name(ty);
        error(format!("cannot convert {} to {type_name}", go_kind(value)))
    }

    /// The kind of a named type.
    fn kind_name(self, kind: GoKind, ty: GoValue) -> &'static str {
        match kind {
            GoKind::Bool => "bool",
            GoKind::String => "string",
            GoKind::Int32 => "int32",
            GoKind::Float64 => "float64",
            // The schema does not distinguish them, but the name of the type does.
            _ if self.types.type_name(ty) == "int" => "int",
            _ => "int64",
        }
    }

    fn decode_alone(self, ty: GoValue, value: &Value) -> Result<(), DecodeError> {
        let (arena, text) = (Arena::new(), value.to_string());
        let mut decoder = Decoder::new(PullReader::new(&text, &arena), self.types, self.root);
        decoder.is_lenient = true;
        let start = decoder.reader.start();
        decoder.read(ty, start, &mut true)?;
        decoder.mismatch.map_or(Ok(()), Err)
    }
}

fn error(message: String) -> DecodeError {
    DecodeError::new(message)
}

/// A list of numbers is as good as base64.
fn convert_bytes(value: &mut Value) -> Result<(), DecodeError> {
    match value {
        Value::String(text) => base64::check(text)
            .map_err(|at| error(format!("error decoding from json: illegal base64 data at input byte {at}"))),
        Value::Array(items) if items.iter().all(|item| whole_number(item).is_some()) => {
            // Upstream: numbers that do not fit lose their highest bits.
            let numbers = items.iter().filter_map(whole_number);
            *value = base64::encode(&numbers.map(|number| number as u8).collect::<Vec<u8>>()).into();
            Ok(())
        }
        Value::Array(_) => Err(error("unrecognized type: uint8".to_owned())),
        other => Err(error(format!("cannot restore slice from {}", go_kind(other)))),
    }
}

/// A number without a fraction.
fn whole_number(value: &Value) -> Option<i64> {
    let number = value.as_number()?;
    let of_float = || number.as_f64().filter(|float| float.trunc() == *float).map(|float| float as i64);
    number.as_i64().or_else(of_float)
}

/// What Go calls the value of a map that was decoded from JSON.
fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
    }
}
