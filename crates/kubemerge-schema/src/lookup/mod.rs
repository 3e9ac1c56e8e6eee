//! Finds the rule of a field: by Kubernetes' three look-up behaviours, or as `spec` says.
//!
//! Each behaviour is a file; this one picks it and turns what it found into a rule.

mod go;
mod openapi_v2;
mod openapi_v3;
mod spec;

use std::borrow::Cow;

use crate::compile::Rule;
use crate::cursor::Type;
use crate::error::{LookupError, LookupErrorKind};
use crate::model::{Column, NOWHERE, NodeId};
use crate::rule::{Dialect, ListRule, MapRule};

/// A field that a look-up found.
struct Found {
    /// The node of the property, which carries the rule; [`NOWHERE`] for "no rule".
    property: NodeId,
    /// The node of the value, or of the items when a list was asked for.
    value: NodeId,
}

impl Found {
    const UNTYPED: Found = Found { property: NOWHERE, value: NOWHERE };
}

/// What the caller holds at the field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Map,
    List,
}

pub(crate) fn map_field<'s>(ty: Type<'s>, name: &str) -> Result<MapRule<'s>, LookupError> {
    let found = find(ty, name, Asked::Map)?;
    let rule = rule_of(ty, found.property)?;
    Ok(MapRule { strategy: rule.map, retain_keys: rule.retain_keys, value: ty.at(found.value) })
}

pub(crate) fn list_field<'s>(ty: Type<'s>, name: &str) -> Result<ListRule<'s>, LookupError> {
    let found = find(ty, name, Asked::List)?;
    let rule = rule_of(ty, found.property)?;
    let strategy = ty.schema.rules().list_strategy(rule);
    Ok(ListRule { strategy, retain_keys: rule.retain_keys, item: ty.at(found.value), items: rule.items })
}

fn find(ty: Type<'_>, name: &str, asked: Asked) -> Result<Found, LookupError> {
    if ty.is_untyped() {
        return Ok(Found::UNTYPED);
    }
    match (ty.schema.dialect(), ty.model().node(ty.node).column) {
        (Dialect::Spec, _) => spec::find(ty, name, asked),
        (Dialect::Upstream, Column::Go) => go::find(ty, name, asked),
        (Dialect::Upstream, Column::V2) => openapi_v2::find(ty, name, asked),
        (Dialect::Upstream, Column::V3) => openapi_v3::find(ty, name, asked),
    }
}

fn rule_of(ty: Type<'_>, property: NodeId) -> Result<Rule, LookupError> {
    let rule = ty.schema.rules().of(property);
    if !rule.invalid {
        return Ok(rule);
    }
    let model = ty.model();
    let words: Vec<&str> = model.text(model.node(property).strategy).split(',').collect();
    let message = format!("unexpected patch strategy: [{}]", words.join(" "));
    Err(LookupError { kind: LookupErrorKind::InvalidPatchStrategy, message })
}

pub(crate) fn name(ty: Type<'_>) -> Cow<'_, str> {
    if ty.is_untyped() {
        return Cow::Borrowed("untyped");
    }
    match ty.model().node(ty.node).column {
        Column::Go => Cow::Borrowed(go::kind(ty.model(), ty.node)),
        Column::V2 => Cow::Owned(openapi_v2::name(ty.model(), ty.node)),
        Column::V3 => Cow::Borrowed(openapi_v3::name(ty.model(), ty.node)),
    }
}

fn unknown_field(message: String) -> LookupError {
    LookupError { kind: LookupErrorKind::UnknownField, message }
}

fn mismatch(message: String) -> LookupError {
    LookupError { kind: LookupErrorKind::SchemaMismatch, message }
}

fn unsupported() -> LookupError {
    let message = "strategic merge patch format is not supported".to_owned();
    LookupError { kind: LookupErrorKind::UnsupportedType, message }
}

/// A string in quotes, escaped as Go's `%q` does it.
fn go_quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            c if (c as u32) < 0x80 && c.is_control() => quoted.push_str(&format!("\\x{:02x}", c as u32)),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
