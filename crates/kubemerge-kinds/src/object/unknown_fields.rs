//! Decoding of kinds that only an OpenAPI document describes: fields that their types do not have, and values of the wrong
//! type.

use std::borrow::Cow;

use kubemerge_schema::{Shape, Type};
use kubemerge_value::deep;

use crate::{
    base64_bytes,
    document_path::DocumentPath,
    tree::{Arena, List, Map, Value},
    typed::DecodeError,
};

/// Brings an object into the form of its type: without unknown fields and nulls, with bytes in their usual form. A null in
/// a list, or in a map with any names, becomes the zero value of its type. Answers the paths of unknown fields.
///
/// # Errors
/// The first value that Go could not decode.
pub fn drop_unknown(object: &mut Map<'_>, ty: Type<'_>) -> Result<Vec<String>, DecodeError> {
    let mut walk = UnknownFieldWalk { arena: object.arena(), unknown: Vec::new(), mismatch: None };
    walk.members(object, ty, &DocumentPath::Root);
    walk.mismatch.map_or(Ok(walk.unknown), |text| Err(DecodeError::new(text)))
}

struct UnknownFieldWalk<'a> {
    arena: &'a Arena,
    unknown: Vec<String>,
    mismatch: Option<String>,
}

impl<'a> UnknownFieldWalk<'a> {
    fn refuse(&mut self, text: String) {
        // The first one is the one that Go's decoder stops at.
        self.mismatch.get_or_insert(text);
    }

    fn members(&mut self, map: &mut Map<'a>, ty: Type<'_>, place: &DocumentPath<'_>) {
        let mut dropped: Vec<&str> = Vec::new();
        for (name, value) in map.iter_mut() {
            // The type and the metadata of an object have rules of their own.
            if matches!(place, DocumentPath::Root) && matches!(name, "apiVersion" | "kind" | "metadata") {
                continue;
            }
            let place = DocumentPath::Field(place, name);
            let Some(inner) = member(ty, name) else {
                place.note(&mut self.unknown);
                dropped.push(name);
                continue;
            };
            // A null field is as absent; in a map of any names the key would be lost, so it gets a zero value.
            if matches!(value, Value::Null) && !is_free(inner) && ty.field(name).is_some() {
                dropped.push(name);
                continue;
            }
            self.value(value, inner, &place);
        }
        if !dropped.is_empty() {
            // In the order of the map, which is sorted.
            map.retain(|name, _| dropped.binary_search(&name).is_err());
        }
    }

    fn value(&mut self, value: &mut Value<'a>, ty: Type<'_>, place: &DocumentPath<'_>) {
        if is_free(ty) {
            return;
        }
        if matches!(value, Value::Null) {
            *value = self.zero(ty);
        } else if !fits(value, ty) {
            let (found, wanted) = (go_name(value), ty.shape().word());
            return self.refuse(format!(
                "json: cannot unmarshal {found} into Go struct field {place} of type {wanted}"
            ));
        }
        match value {
            Value::Map(map) => deep(|| self.members(map, ty, place)),
            Value::List(list) => deep(|| self.items(list, ty, place)),
            Value::Int(number) if ty.format() == Some("int32") && i32::try_from(*number).is_err() => {
                self.refuse(format!(
                    "json: cannot unmarshal number into Go struct field {place} of type int32"
                ));
            }
            _ => {}
        }
        if ty.format() == Some("byte") {
            self.bytes(value, place);
        }
    }

    /// The zero value of a type.
    fn zero(&self, ty: Type<'_>) -> Value<'a> {
        match ty.shape() {
            Shape::Any => Value::Null,
            Shape::Object => Value::Map(Map::new_in(self.arena)),
            Shape::List => Value::List(List::new_in(self.arena)),
            Shape::Boolean => Value::Bool(false),
            Shape::Integer | Shape::Number => Value::Int(0),
            Shape::String => Value::Str(""),
        }
    }

    fn items(&mut self, list: &mut List<'a>, ty: Type<'_>, place: &DocumentPath<'_>) {
        let Some(items) = ty.items() else { return };
        for (at, item) in list.iter_mut().enumerate() {
            self.value(item, items, &DocumentPath::Item(place, at));
        }
    }

    fn bytes(&mut self, value: &mut Value<'a>, place: &DocumentPath<'_>) {
        let Value::Str(text) = value else { return };
        match base64_bytes::canonical(text) {
            None => self.refuse(format!("illegal base64 data in {place}")),
            // Go writes it in another way.
            Some(Cow::Owned(written)) => *value = Value::Str(self.arena.alloc_str(&written)),
            Some(Cow::Borrowed(_)) => {}
        }
    }
}

/// Whether nothing is known about the values here, so that everything is kept.
fn is_free(ty: Type<'_>) -> bool {
    ty.is_untyped()
        || ty.preserves_unknown_fields()
        // Either type is kept as it is.
        || ty.is_int_or_string()
        || match ty.shape() {
            Shape::Any => true,
            Shape::Object => ty.fields().next().is_none() && ty.additional_properties().is_none(),
            _ => false,
        }
}

fn member<'s>(ty: Type<'s>, name: &str) -> Option<Type<'s>> {
    ty.field(name).map(|field| field.ty).or_else(|| ty.additional_properties())
}

/// Whether a value can be decoded into a type.
fn fits(value: &Value<'_>, ty: Type<'_>) -> bool {
    let is_number = matches!(value, Value::Int(_) | Value::Float(_));
    match ty.shape() {
        Shape::Any => true,
        Shape::Object => matches!(value, Value::Map(_)),
        Shape::List => matches!(value, Value::List(_)),
        Shape::Boolean => matches!(value, Value::Bool(_)),
        // Canonical text has no other form for a whole number.
        Shape::Integer => match value {
            Value::Float(number) => number.fract() == 0.0,
            other => matches!(other, Value::Int(_)),
        },
        Shape::Number => is_number,
        // Two types read numbers although the schema calls them strings.
        Shape::String if is_number => {
            ty.format() == Some("int-or-string")
                || ty.definition_name().is_some_and(|name| name.ends_with(".Quantity"))
        }
        Shape::String => matches!(value, Value::Str(_)),
    }
}

fn go_name(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null | Value::Omitted(_) => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Float(_) => "number",
        Value::Str(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) => "object",
    }
}
