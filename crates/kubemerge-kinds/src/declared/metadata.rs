//! ObjectMeta of kinds without Go types: decoded as Go decodes it.

use kubemerge_value::Kind;

use crate::{
    meta::fields::{MetadataField, MetadataShape},
    tree::{Map, Value},
    typed::DecodeError,
};

/// Decodes the metadata of an object: nulls are absent, strings that are null in maps are empty, and what ObjectMeta does
/// not have is dropped. Returns the paths of the dropped fields.
///
/// Types are checked here, values only when the object is validated: Kubernetes does both too.
pub(crate) fn decode(object: &mut Map<'_>) -> Result<Vec<String>, DecodeError> {
    let metadata = match object.get("metadata") {
        None => return Ok(Vec::new()),
        Some(Value::Null) => {
            object.remove("metadata");
            return Ok(Vec::new());
        }
        Some(Value::Map(_)) => object.ensure_map("metadata"),
        Some(other) => {
            let found = kind_of(other).go_name();
            let message = format!("json: cannot unmarshal {found} into Go value of type v1.ObjectMeta");
            return Err(DecodeError::new(message));
        }
    };
    let mut unknown = Vec::new();
    for (name, value) in metadata.iter_mut() {
        match MetadataField::of_bytes(name.as_bytes()) {
            Some(field) => decode_field(field, value)?,
            None => unknown.push(format!("metadata.{name}")),
        }
    }
    metadata.retain(|name, _| MetadataField::of_bytes(name.as_bytes()).is_some());
    Ok(unknown)
}

fn decode_field(field: MetadataField, value: &mut Value<'_>) -> Result<(), DecodeError> {
    let (fits, wanted) = match field.shape() {
        MetadataShape::Text => (matches!(value, Value::Str(_)), "string"),
        MetadataShape::Number => (is_integer(value), "int64"),
        MetadataShape::Texts => (matches!(value, Value::List(list) if list.iter().all(is_text)), "[]string"),
        MetadataShape::TextMap => (is_text_map(value), "map[string]string"),
        MetadataShape::List if field == MetadataField::OwnerReferences => {
            (matches!(value, Value::List(_)), "[]v1.OwnerReference")
        }
        MetadataShape::List => (matches!(value, Value::List(_)), "[]v1.ManagedFieldsEntry"),
    };
    // A null is read as absent, whatever the type of the field.
    if fits || matches!(value, Value::Null) {
        return Ok(());
    }
    let (found, name) = (kind_of(value).go_name(), field.name());
    let place = format!("Go struct field ObjectMeta.{name} of type {wanted}");
    Err(DecodeError::new(format!("json: cannot unmarshal {found} into {place}")))
}

fn is_text(value: &Value<'_>) -> bool {
    matches!(value, Value::Str(_))
}

/// Whether a number is a whole one, however it was written; it is an integer from then on.
fn is_integer(value: &mut Value<'_>) -> bool {
    if let Value::Float(number) = value
        && number.fract() == 0.0
        && number.abs() < 9e15
    {
        *value = Value::Int(*number as i64);
    }
    matches!(value, Value::Int(_))
}

/// Whether a map has strings and nulls only; nulls become empty strings.
fn is_text_map(value: &mut Value<'_>) -> bool {
    let Value::Map(map) = value else { return false };
    for (_, text) in map.iter_mut() {
        if matches!(text, Value::Null) {
            *text = Value::Str("");
        }
    }
    map.iter().all(|(_, text)| is_text(text))
}

fn kind_of(value: &Value<'_>) -> Kind {
    match value {
        Value::Null | Value::Omitted(_) => Kind::Null,
        Value::Bool(_) => Kind::Bool,
        Value::Int(_) => Kind::Int,
        Value::Float(_) => Kind::Float,
        Value::Str(_) => Kind::String,
        Value::List(_) => Kind::List,
        Value::Map(_) => Kind::Map,
    }
}

/// Refuses an `apiVersion` or `kind` that is no string; null is absent.
pub(crate) fn check_type_names(object: &mut Map<'_>) -> Result<(), DecodeError> {
    for name in ["apiVersion", "kind"] {
        match object.get(name) {
            None | Some(Value::Str(_)) => {}
            // Go reads a null into a string as the empty string.
            Some(Value::Null) => drop(object.remove(name)),
            Some(_) => {
                return Err(DecodeError::new(format!("the field {name:?} of the object is not a string")));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{tree::Arena, typed::read_typed_form};

    #[test]
    fn wrong_types_are_refused() {
        let arena = Arena::new();
        let Value::Map(mut object) = read_typed_form(&arena, r#"{"metadata":{"labels":5}}"#) else {
            panic!()
        };
        assert_eq!(
            decode(&mut object).unwrap_err().message(),
            "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string"
        );
    }
}
