//! Fields that a built-in kind does not have, and values of the wrong type.
//!
//! [`survey`] only reads; [`clean_field`] rewrites a field that has something to drop.

use std::borrow::Cow;

use kubemerge_schema::{Shape, Type};
use kubemerge_value::{Kind, Node, Reader, Scalar, SharedValue, Str};
use serde_json::{Map, Value};

use crate::{document_path::DocumentPath, octets};

/// What the check of a field found.
#[derive(Default)]
pub struct Survey {
    /// There are unknown fields, nulls, or base64 that Go would write in another way.
    pub needs_rewrite: bool,
    /// Why a value cannot be decoded.
    pub mismatch: Option<String>,
}

/// Checks a field, up to the first value that cannot be decoded.
pub fn survey(text: &SharedValue, ty: Type<'_>, name: &str) -> Survey {
    let mut survey = Survey::default();
    check(&mut text.reader(), ty, &DocumentPath::Field(&DocumentPath::Root, name), &mut survey);
    survey
}

/// Checks the next value; `None` ends the walk at the first one that cannot be decoded.
fn check(reader: &mut Reader<'_>, ty: Type<'_>, place: &DocumentPath<'_>, survey: &mut Survey) -> Option<()> {
    let kind = reader.next_kind()?;
    // Scalars that fit are nearly all values, so they come first.
    if !matches!(kind, Kind::Map | Kind::List) && fits(kind, ty) {
        check_scalar(reader.scalar_node()?, ty, place, survey);
        return survey.mismatch.is_none().then_some(());
    }
    if is_free(ty) {
        return reader.pass();
    }
    if kind == Kind::Null {
        survey.needs_rewrite = true;
        return reader.pass();
    }
    if !fits(kind, ty) {
        let (found, wanted) = (kind.go_name(), ty.shape().word());
        survey.mismatch =
            Some(format!("json: cannot unmarshal {found} into Go struct field {place} of type {wanted}"));
        return None;
    }
    match kind {
        Kind::Map => check_members(reader, ty, place, survey),
        _ => check_items(reader, ty, place, survey),
    }
}

fn check_members(
    reader: &mut Reader<'_>,
    ty: Type<'_>,
    place: &DocumentPath<'_>,
    survey: &mut Survey,
) -> Option<()> {
    reader.open_map()?;
    while let Some(name) = reader.name()? {
        let name = Str::given(name).text();
        match member(ty, &name) {
            Some(ty) => check(reader, ty, &DocumentPath::Field(place, &name), survey)?,
            None => {
                survey.needs_rewrite = true;
                reader.pass()?;
            }
        }
    }
    Some(())
}

fn check_items(
    reader: &mut Reader<'_>,
    ty: Type<'_>,
    place: &DocumentPath<'_>,
    survey: &mut Survey,
) -> Option<()> {
    let Some(items) = ty.items() else { return reader.pass() };
    reader.open_list()?;
    let mut at = 0;
    while reader.item()? {
        // Go reads a null item as the zero value, which is written anew.
        if reader.next_kind()? == Kind::Null {
            survey.needs_rewrite |= !is_free(items);
            reader.pass()?;
        } else {
            check(reader, items, &DocumentPath::Item(place, at), survey)?;
        }
        at += 1;
    }
    Some(())
}

/// Whether nothing is known about the values here, so that everything is kept.
pub fn is_free(ty: Type<'_>) -> bool {
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

/// Whether a JSON value can be decoded into a type.
pub fn fits(kind: Kind, ty: Type<'_>) -> bool {
    match ty.shape() {
        Shape::Any => kind != Kind::Null,
        Shape::Object => kind == Kind::Map,
        Shape::List => kind == Kind::List,
        Shape::Boolean => kind == Kind::Bool,
        Shape::Integer => kind == Kind::Int,
        Shape::Number => matches!(kind, Kind::Int | Kind::Float),
        // Two types read numbers although the schema calls them strings.
        Shape::String if matches!(kind, Kind::Int | Kind::Float) => {
            ty.format() == Some("int-or-string")
                || ty.definition_name().is_some_and(|name| name.ends_with(".Quantity"))
        }
        Shape::String => kind == Kind::String,
    }
}

/// Checks a scalar of the right type.
fn check_scalar(node: Node<'_>, ty: Type<'_>, place: &DocumentPath<'_>, survey: &mut Survey) {
    match ty.format() {
        Some("int32") if node.kind() == Kind::Int && !is_int32(node) => {
            let text = format!("json: cannot unmarshal number into Go struct field {place} of type int32");
            survey.mismatch = Some(text);
        }
        Some("byte") => {
            let Some(text) = node.as_str() else { return };
            match octets::canonical(&text.text()) {
                None => survey.mismatch = Some(format!("illegal base64 data in {place}")),
                Some(written) => survey.needs_rewrite |= matches!(written, Cow::Owned(_)),
            }
        }
        _ => {}
    }
}

fn is_int32(node: Node<'_>) -> bool {
    node.scalar().is_some_and(|scalar| matches!(scalar, Scalar::Int(value) if i32::try_from(value).is_ok()))
}

/// A field as the kind has it: without unknown fields and nulls, with bytes in their usual form; the paths of unknown
/// fields are added. A null in a list, or in a map with any names, becomes the zero value of its type.
pub fn clean_field(value: &mut Value, ty: Type<'_>, name: &str, unknown: &mut Vec<String>) {
    clean(value, ty, &DocumentPath::Field(&DocumentPath::Root, name), unknown);
}

fn clean(value: &mut Value, ty: Type<'_>, place: &DocumentPath<'_>, unknown: &mut Vec<String>) {
    if is_free(ty) {
        return;
    }
    match value {
        Value::Object(map) => clean_map(map, ty, place, unknown),
        Value::Array(list) => {
            let Some(items) = ty.items() else { return };
            for (at, item) in list.iter_mut().enumerate() {
                fill_null(item, items);
                clean(item, items, &DocumentPath::Item(place, at), unknown);
            }
        }
        Value::String(text) if ty.format() == Some("byte") => {
            if let Some(Cow::Owned(written)) = octets::canonical(text) {
                *text = written;
            }
        }
        _ => {}
    }
}

fn clean_map(
    map: &mut Map<String, Value>,
    ty: Type<'_>,
    place: &DocumentPath<'_>,
    unknown: &mut Vec<String>,
) {
    map.retain(|name, value| {
        let place = DocumentPath::Field(place, name);
        let Some(inner) = member(ty, name) else {
            place.note(unknown);
            return false;
        };
        // A null field is as absent; in a map of any names the key would be lost, so it gets a zero value.
        if value.is_null() && !is_free(inner) && ty.field(name).is_some() {
            return false;
        }
        fill_null(value, inner);
        clean(value, inner, &place, unknown);
        true
    });
}

/// Replaces a null by the zero value of its type.
fn fill_null(value: &mut Value, ty: Type<'_>) {
    if !value.is_null() || is_free(ty) {
        return;
    }
    *value = match ty.shape() {
        Shape::Any => Value::Null,
        Shape::Object => Value::Object(Map::new()),
        Shape::List => Value::Array(Vec::new()),
        Shape::Boolean => false.into(),
        Shape::Integer | Shape::Number => 0.into(),
        Shape::String => "".into(),
    };
}
