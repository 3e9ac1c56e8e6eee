//! Fields that a built-in kind does not have, and values of the wrong type.
//!
//! [`survey`] only reads; [`clean_field`] rewrites a field that has something to drop.

use std::borrow::Cow;

use kubemerge_schema::{Shape, Type};
use kubemerge_value::{Kind, Node, Scalar, SharedValue, Token, Tokens};
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
    check(&mut text.tokens(), ty, &DocumentPath::Field(&DocumentPath::Root, name), &mut survey);
    survey
}

/// Checks the next value, up to the first one that cannot be decoded.
fn check(tokens: &mut Tokens<'_>, ty: Type<'_>, place: &DocumentPath<'_>, survey: &mut Survey) {
    let Some(token) = tokens.next() else { return };
    if let Token::Scalar(node) = token
        && fits(node.kind(), ty)
    {
        return check_scalar(node, ty, place, survey);
    }
    if is_free(ty) {
        return tokens.pass_rest(token);
    }
    let kind = match token {
        Token::MapStart => Kind::Map,
        Token::ListStart => Kind::List,
        Token::Scalar(node) => node.kind(),
        Token::Name(_) | Token::MapEnd | Token::ListEnd => return,
    };
    if kind == Kind::Null {
        survey.needs_rewrite = true;
    } else if !fits(kind, ty) {
        let (found, wanted) = (json_name(kind), ty.shape().word());
        survey.mismatch =
            Some(format!("json: cannot unmarshal {found} into Go struct field {place} of type {wanted}"));
    } else if kind == Kind::Map {
        check_members(tokens, ty, place, survey);
    } else if kind == Kind::List {
        check_items(tokens, ty, place, survey);
    }
}

fn check_members(tokens: &mut Tokens<'_>, ty: Type<'_>, place: &DocumentPath<'_>, survey: &mut Survey) {
    while let Some(Token::Name(name)) = tokens.next() {
        let name = name.text();
        match member(ty, &name) {
            Some(ty) => check(tokens, ty, &DocumentPath::Field(place, &name), survey),
            None => {
                survey.needs_rewrite = true;
                tokens.pass();
            }
        }
        if survey.mismatch.is_some() {
            return;
        }
    }
}

fn check_items(tokens: &mut Tokens<'_>, ty: Type<'_>, place: &DocumentPath<'_>, survey: &mut Survey) {
    let Some(items) = ty.items() else { return tokens.pass_rest(Token::ListStart) };
    for at in 0.. {
        let mut ahead = tokens.clone();
        match ahead.next() {
            None | Some(Token::ListEnd) => {
                *tokens = ahead;
                return;
            }
            Some(Token::Scalar(node)) if node.is_null() => {
                survey.needs_rewrite |= !is_free(items);
                *tokens = ahead;
            }
            Some(_) => check(tokens, items, &DocumentPath::Item(place, at), survey),
        }
        if survey.mismatch.is_some() {
            return;
        }
    }
}

/// Whether nothing is known about the values here, so that everything is kept.
pub fn is_free(ty: Type<'_>) -> bool {
    ty.is_untyped()
        || ty.preserves_unknown_fields()
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

/// The name of a JSON type in Go's errors.
pub fn json_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "bool",
        Kind::Int | Kind::Float => "number",
        Kind::String => "string",
        Kind::List => "array",
        Kind::Map => "object",
    }
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
