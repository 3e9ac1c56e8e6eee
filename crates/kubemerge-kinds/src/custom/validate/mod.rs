//! Validates values against a schema, in the words of the API server.
//!
//! The validator of Kubernetes counts how many checks a value passes, to find the alternative of `anyOf` or `oneOf`
//! that fits best: its errors are the ones reported. `Found` keeps the same count.

mod alternatives;
mod number;
#[cfg(test)]
mod tests;

use kubemerge_schema::{Additional, ValueChecks, ValueType};
use kubemerge_value::deep;
use serde_json::Value as Json;

use super::{correlation::Correlated, format};
use crate::{
    document_path::DocumentPath,
    field::BadValue,
    field_error::{FieldError, has_enough, quoted},
    tree::{Arena, Map, Value, ValueRef},
};
use alternatives::Alternatives;
use number::{Operand, go_float, is_json_integer};

/// Every complaint about a value; what is as it was before passes.
pub fn validate(
    object: &Map<'_>,
    correlated: Option<&Correlated<'_>>,
    schema: ValueType<'_>,
) -> Vec<FieldError> {
    validate_at(object, correlated, schema, "")
}

/// Every complaint about a default, whose path precedes those of the errors.
pub(super) fn validate_default(value: &Value<'_>, schema: ValueType<'_>, base: &str) -> Vec<FieldError> {
    let formats = Formats::AsWritten;
    let alternatives = Alternatives::default();
    let place = Place {
        base,
        path: &DocumentPath::Root,
        correlated: None,
        formats,
        alternatives: &alternatives,
        nested: 0,
    };
    place.check(value.into(), schema).errors
}

/// Every complaint about a part of an object, whose path precedes those of the errors.
pub(super) fn validate_at<'v>(
    value: impl Into<ValueRef<'v>>,
    correlated: Option<&Correlated<'_>>,
    schema: ValueType<'_>,
    base: &str,
) -> Vec<FieldError> {
    let (formats, alternatives) = (Formats::Enforced, Alternatives::default());
    let place = Place {
        base,
        path: &DocumentPath::Root,
        correlated,
        formats,
        alternatives: &alternatives,
        nested: 0,
    };
    place.check(value.into(), schema).errors
}

/// What was found out about a value.
#[derive(Default)]
struct Found {
    errors: Vec<FieldError>,
    /// How many checks passed or were at least made.
    matches: usize,
}

impl Found {
    fn error(error: FieldError) -> Found {
        Found { errors: vec![error], matches: 0 }
    }

    fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// Takes over errors, each once, and counts.
    fn merge(&mut self, other: Found) {
        self.matches += other.matches;
        other.errors.into_iter().for_each(|error| self.add(error));
    }

    fn add(&mut self, error: FieldError) {
        if !has_enough(&self.errors) && !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }
}

/// A place in the object, and what is known about it.
#[derive(Clone, Copy)]
struct Place<'p, 'v> {
    /// What precedes the paths of errors.
    base: &'p str,
    path: &'p DocumentPath<'p>,
    /// The value with the one that it replaces, unless it is new.
    correlated: Option<&'p Correlated<'v>>,
    formats: Formats,
    alternatives: &'p Alternatives,
    /// How many alternatives the schema is in that are about the value as a whole.
    nested: u8,
}

/// Which formats count. Upstream: formats that mean nothing are dropped from schemas, but not for defaults.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Formats {
    Enforced,
    AsWritten,
}

impl<'p, 'v> Place<'p, 'v> {
    /// Validates the value at this place.
    fn check(self, value: ValueRef<'_>, schema: ValueType<'_>) -> Found {
        let mut found = deep(|| self.check_value(value, schema));
        // What was wrong before and is unchanged passes.
        if !found.is_valid() && self.correlated.is_some_and(Correlated::is_unchanged) {
            found.errors.clear();
        }
        found
    }

    fn format(self, schema: ValueType<'_>) -> Option<&str> {
        match self.formats {
            Formats::Enforced => format::enforced(schema),
            Formats::AsWritten => schema.format(),
        }
    }

    fn check_value(self, value: ValueRef<'_>, schema: ValueType<'_>) -> Found {
        let mut found = Found::default();
        if value.is_null() {
            found.merge(self.check_type(value, schema));
            found.merge(self.check_options(value, schema.checks()));
            return found;
        }
        let has_type =
            !schema.types().is_empty() || schema.unknown_type().is_some() || self.format(schema).is_some();
        let mut run = |part: Found| {
            found.merge(part);
            found.matches += 1;
        };
        if has_type {
            run(self.check_type(value, schema));
        }
        run(self.check_alternatives(value, schema));
        match value {
            ValueRef::Str(text) => {
                run(self.check_text(text, schema.checks()));
                if let Some(name) = self.format(schema).filter(|name| format::is_known(name)) {
                    run(self.check_format(text, name));
                }
            }
            ValueRef::Int(number) => run(self.check_number(Operand::Int(number), schema)),
            ValueRef::Float(number) => run(self.check_number(Operand::Float(number), schema)),
            ValueRef::List(list) => run(self.check_list(list, schema)),
            ValueRef::Map(map) => run(self.check_map(map, schema)),
            _ => {}
        }
        run(self.check_options(value, schema.checks()));
        found.matches += 1;
        found
    }

    /// The path of an error: that of the base and of the place in it.
    fn field(self) -> String {
        match (self.base, self.path) {
            ("", DocumentPath::Root) => "<nil>".to_string(),
            ("", path) => path.to_string(),
            (base, DocumentPath::Root) => base.to_string(),
            (base, path) => format!("{base}.{path}"),
        }
    }

    fn invalid(self, value: impl Into<BadValue>, detail: String) -> FieldError {
        FieldError::invalid_as(self.field(), value.into(), &detail)
    }

    /// An error that Kubernetes reports without a place, such as one about alternatives.
    fn placeless(self, detail: String) -> FieldError {
        let field = if self.base.is_empty() { "<nil>" } else { self.base };
        FieldError::invalid_as(field, BadValue::from(""), &detail)
    }

    fn wrong_type(self, wanted: &str, found: &str) -> FieldError {
        let detail = format!("{} in body must be of type {wanted}: {}", self.path, quoted(found));
        FieldError::type_invalid(self.field(), BadValue::from(found), &detail)
    }

    fn check_type(self, value: ValueRef<'_>, schema: ValueType<'_>) -> Found {
        let (unknown, format) = (schema.unknown_type(), self.format(schema));
        let types = if unknown.is_some() { unknown.as_slice() } else { schema.types() };
        let (name, own_format) = type_of(value);
        if value.is_null() {
            if !types.is_empty() && !schema.is_nullable() {
                return Found::error(self.wrong_type(&types.join(","), "null"));
            }
            return Found { errors: Vec::new(), matches: 1 };
        }
        let has = |word: &str| types.contains(&word);
        let is_integral =
            has("integer") && matches!(value, ValueRef::Float(number) if is_json_integer(number));
        let fits = has(name) || is_integral || name == "integer" && has("number");
        let is_text = matches!(value, ValueRef::Str(_) | ValueRef::List(_));
        if let Some(format) = format.filter(|format| !is_text && !fits && own_format != *format) {
            return Found::error(self.wrong_type(format, own_format));
        }
        // Upstream: lists pass where a string with a format is wanted.
        let is_formatted = format.is_some() && is_text && !has("number") && !has("integer");
        if !is_formatted && !fits {
            return Found::error(self.wrong_type(&types.join(","), name));
        }
        Found { errors: Vec::new(), matches: 1 }
    }

    /// The first thing wrong with a text.
    fn check_text(self, text: &str, checks: &ValueChecks) -> Found {
        let length = text.chars().count() as i64;
        if let Some(most) = checks.max_length.filter(|most| length > *most) {
            return Found::error(FieldError::too_long(self.field(), limit(most)));
        }
        if let Some(least) = checks.min_length.filter(|least| length < *least) {
            let detail = format!("{} in body should be at least {least} chars long", self.path);
            return Found::error(self.invalid(text, detail));
        }
        match checks.pattern.as_ref().filter(|pattern| !pattern.is_match(text)) {
            Some(pattern) => {
                let detail = format!("{} in body should match '{}'", self.path, pattern.source());
                Found::error(self.invalid(text, detail))
            }
            None => Found::default(),
        }
    }

    fn check_format(self, text: &str, name: &str) -> Found {
        if format::holds(name, text) { Found::default() } else { Found::error(self.wrong_type(name, text)) }
    }

    fn check_list(self, list: &[Value<'_>], schema: ValueType<'_>) -> Found {
        let (checks, size) = (schema.checks(), list.len() as i64);
        let mut found = Found::default();
        if let Some(items) = schema.items() {
            for (at, item) in list.iter().enumerate() {
                if has_enough(&found.errors) {
                    break;
                }
                let (path, child) =
                    (DocumentPath::Item(self.path, at), self.correlated.and_then(|node| node.index(at)));
                found.merge(self.below(&path, child.as_ref()).check(item.into(), items));
            }
        }
        if let Some(least) = checks.min_items.filter(|least| size < *least) {
            found
                .add(self.invalid(size, format!("{} in body should have at least {least} items", self.path)));
        }
        if let Some(most) = checks.max_items.filter(|most| size > *most) {
            found.add(FieldError::too_many(self.field(), list.len(), limit(most)));
        }
        found.matches += 1;
        found
    }

    fn check_map(self, map: &Map<'_>, schema: ValueType<'_>) -> Found {
        let (checks, count) = (schema.checks(), map.len());
        let size = count as i64;
        let mut found = Found::default();
        if let Some(least) = checks.min_properties.filter(|least| size < *least) {
            found.add(
                self.invalid(size, format!("{} in body should have at least {least} properties", self.path)),
            );
        }
        if let Some(most) = checks.max_properties.filter(|most| size > *most) {
            found.add(FieldError::too_many(self.field(), count, limit(most)));
        }
        for (name, value) in map.iter() {
            if has_enough(&found.errors) {
                break;
            }
            match (schema.property(name), schema.additional()) {
                (Some(property), _) => found.merge(self.check_member(name, value, property)),
                (None, Additional::Schema(schema)) => found.merge(self.check_member(name, value, schema)),
                (None, Additional::Refused) => {
                    let detail = format!("{}.{name} in body is a forbidden property", self.path);
                    found.add(self.invalid(name, detail));
                }
                (None, Additional::Unset | Additional::Allowed) => {}
            }
        }
        for name in schema.required().filter(|name| !map.has(name)) {
            let path = DocumentPath::Field(self.path, name);
            found.add(FieldError::required(Place { path: &path, ..self }.field(), ""));
        }
        found
    }

    fn check_member(self, name: &str, value: &Value<'_>, schema: ValueType<'_>) -> Found {
        let is_type = matches!(self.path, DocumentPath::Root) && matches!(name, "apiVersion" | "kind");
        let child = self.correlated.filter(|_| !is_type).and_then(|node| node.key(name));
        self.below(&DocumentPath::Field(self.path, name), child.as_ref()).check(value.into(), schema)
    }

    /// A child of this place.
    fn below<'c>(self, path: &'c DocumentPath<'c>, child: Option<&'c Correlated<'v>>) -> Place<'c, 'v>
    where
        'p: 'c,
    {
        Place { path, correlated: child, nested: 0, ..self }
    }

    fn check_options(self, value: ValueRef<'_>, checks: &ValueChecks) -> Found {
        let Some(options) = checks.options.as_deref().filter(|options| !options.is_empty()) else {
            return Found::default();
        };
        if options.iter().any(|option| is_option(value, option)) {
            return Found::default();
        }
        let arena = Arena::new();
        let text = |one: &Json| match Value::of_json(one, &arena) {
            Value::Str(text) => text.to_string(),
            other => json_text((&other).into()),
        };
        let texts: Vec<String> = options.iter().map(text).collect();
        Found::error(FieldError::not_supported_as(self.field(), bad_value(value), &texts))
    }
}

/// A limit for a message; one below zero, which nothing can keep, is shown as zero.
fn limit(most: i64) -> usize {
    usize::try_from(most).unwrap_or_default()
}

/// The types and formats of values as Go has them.
fn type_of(value: ValueRef<'_>) -> (&'static str, &'static str) {
    match value {
        ValueRef::Null => ("null", ""),
        ValueRef::Bool(_) => ("boolean", ""),
        ValueRef::Int(_) => ("integer", "int64"),
        ValueRef::Float(_) => ("number", "float64"),
        ValueRef::Str(_) => ("string", ""),
        ValueRef::List(_) => ("array", ""),
        ValueRef::Map(_) => ("object", ""),
    }
}

/// Whether a value is an option. Upstream: Go converts the value to the type of the option first.
fn is_option(value: ValueRef<'_>, option: &Json) -> bool {
    match (value, option) {
        (ValueRef::Int(one), Json::Number(other)) => match other.as_i64() {
            Some(other) => one == other,
            None => Some(one as f64) == other.as_f64(),
        },
        (ValueRef::Float(one), Json::Number(other)) => match other.as_i64() {
            Some(other) => one as i64 == other,
            None => Some(one) == other.as_f64(),
        },
        // A number converts to the character with that code.
        (ValueRef::Int(one), Json::String(other)) => {
            let char = u32::try_from(one).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
            other.chars().eq([char])
        }
        (ValueRef::Str(one), Json::String(other)) => one == other,
        (ValueRef::Bool(one), Json::Bool(other)) => one == *other,
        (ValueRef::List(_), Json::Array(_)) | (ValueRef::Map(_), Json::Object(_)) => {
            let arena = Arena::new();
            value.same_in_go((&Value::of_json(option, &arena)).into())
        }
        _ => false,
    }
}

/// A value as messages of Go print it.
pub(super) fn bad_value(value: ValueRef<'_>) -> BadValue {
    BadValue::verbatim(json_text(value))
}

/// Canonical JSON: floats without a fraction are written without a dot.
fn json_text(value: ValueRef<'_>) -> String {
    let quoted = |text: &str| Json::from(text).to_string();
    deep(|| match value {
        ValueRef::Null => "null".to_string(),
        ValueRef::Bool(truth) => truth.to_string(),
        ValueRef::Int(number) => number.to_string(),
        ValueRef::Float(number) => go_float(number),
        ValueRef::Str(text) => quoted(text),
        ValueRef::List(list) => {
            format!("[{}]", list.iter().map(|item| json_text(item.into())).collect::<Vec<_>>().join(","))
        }
        ValueRef::Map(map) => {
            let member =
                |(name, value): (&str, &Value<'_>)| format!("{}:{}", quoted(name), json_text(value.into()));
            format!("{{{}}}", map.iter().map(member).collect::<Vec<_>>().join(","))
        }
    })
}
