//! Validates values against a schema, in the words of the API server.
//!
//! The validator of Kubernetes counts how many checks a value passes, to find the alternative of `anyOf` or `oneOf`
//! that fits best: its errors are the ones reported. `Found` keeps the same count.

mod alternatives;
mod number;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use super::{
    correlation::Correlated,
    format,
    structural::{Additional, Checks, Structural},
};
use crate::{
    document_path::DocumentPath,
    field::BadValue,
    field_error::{FieldError, has_enough, quoted},
};
use number::{go_float, is_json_integer};

/// Every complaint about a value; what is as it was before passes.
pub fn validate(value: &Value, correlated: Option<&Correlated<'_>>, schema: &Structural) -> Vec<FieldError> {
    validate_at(value, correlated, schema, "")
}

/// Every complaint about a default, whose path precedes those of the errors.
pub(super) fn validate_default(value: &Value, schema: &Structural, base: &str) -> Vec<FieldError> {
    let formats = Formats::AsWritten;
    Place { base, path: &DocumentPath::Root, correlated: None, formats }.check(value, schema).errors
}

/// Every complaint about a part of an object, whose path precedes those of the errors.
pub fn validate_at(
    value: &Value,
    correlated: Option<&Correlated<'_>>,
    schema: &Structural,
    base: &str,
) -> Vec<FieldError> {
    let place = Place { base, path: &DocumentPath::Root, correlated, formats: Formats::Enforced };
    place.check(value, schema).errors
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
}

/// Which formats count. Upstream: formats that mean nothing are dropped from schemas, but not for defaults.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Formats {
    Enforced,
    AsWritten,
}

impl<'p, 'v> Place<'p, 'v> {
    /// Validates the value at this place.
    fn check(self, value: &Value, schema: &Structural) -> Found {
        let mut found = self.check_value(value, schema);
        // What was wrong before and is unchanged passes.
        if !found.is_valid() && self.correlated.is_some_and(Correlated::is_unchanged) {
            found.errors.clear();
        }
        found
    }

    fn format(self, schema: &Structural) -> Option<&str> {
        match self.formats {
            Formats::Enforced => schema.checks.format.as_deref(),
            Formats::AsWritten => schema.format.as_deref(),
        }
    }

    fn check_value(self, value: &Value, schema: &Structural) -> Found {
        let mut found = Found::default();
        if value.is_null() {
            found.merge(self.check_type(value, schema));
            found.merge(self.check_options(value, &schema.checks));
            return found;
        }
        let has_type = !schema.types.is_empty() || self.format(schema).is_some();
        let mut run = |part: Found| {
            found.merge(part);
            found.matches += 1;
        };
        if has_type {
            run(self.check_type(value, schema));
        }
        run(self.check_alternatives(value, &schema.checks));
        match value {
            Value::String(text) => {
                run(self.check_text(text, &schema.checks));
                if let Some(name) = self.format(schema).filter(|name| format::is_known(name)) {
                    run(self.check_format(text, name));
                }
            }
            Value::Number(number) => run(self.check_number(number, schema)),
            Value::Array(list) => run(self.check_list(list, schema)),
            Value::Object(map) => run(self.check_map(map, schema)),
            _ => {}
        }
        run(self.check_options(value, &schema.checks));
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
        FieldError::type_invalid(self.field(), &Value::from(found), &detail)
    }

    fn check_type(self, value: &Value, schema: &Structural) -> Found {
        let (types, format) = (&schema.types, self.format(schema));
        let (name, own_format) = type_of(value);
        if value.is_null() {
            if !types.is_empty() && !schema.nullable {
                return Found::error(self.wrong_type(&types.join(","), "null"));
            }
            return Found { errors: Vec::new(), matches: 1 };
        }
        let has = |word: &str| types.iter().any(|known| known == word);
        let is_integral = name == "number" && has("integer") && value.as_f64().is_some_and(is_json_integer);
        let fits = has(name) || is_integral || name == "integer" && has("number");
        let is_text = value.is_string() || value.is_array();
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
    fn check_text(self, text: &str, checks: &Checks) -> Found {
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

    fn check_list(self, list: &[Value], schema: &Structural) -> Found {
        let (checks, size) = (&schema.checks, list.len() as i64);
        let mut found = Found::default();
        if let Some(items) = schema.items.as_deref() {
            for (at, item) in list.iter().enumerate() {
                if has_enough(&found.errors) {
                    break;
                }
                let (path, child) =
                    (DocumentPath::Item(self.path, at), self.correlated.and_then(|node| node.index(at)));
                found.merge(self.below(&path, child.as_ref()).check(item, items));
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

    fn check_map(self, map: &Map<String, Value>, schema: &Structural) -> Found {
        let (checks, size) = (&schema.checks, map.len() as i64);
        let mut found = Found::default();
        if let Some(least) = checks.min_properties.filter(|least| size < *least) {
            found.add(
                self.invalid(size, format!("{} in body should have at least {least} properties", self.path)),
            );
        }
        if let Some(most) = checks.max_properties.filter(|most| size > *most) {
            found.add(FieldError::too_many(self.field(), map.len(), limit(most)));
        }
        for (name, value) in map {
            if has_enough(&found.errors) {
                break;
            }
            match (schema.properties.get(name), &schema.additional) {
                (Some(property), _) => found.merge(self.check_member(name, value, property)),
                (None, Additional::Schema(schema)) => found.merge(self.check_member(name, value, schema)),
                (None, Additional::Refused) => {
                    let detail = format!("{}.{name} in body is a forbidden property", self.path);
                    found.add(self.invalid(name.as_str(), detail));
                }
                (None, Additional::Unset | Additional::Allowed) => {}
            }
        }
        for name in checks.required.iter().filter(|name| !map.contains_key(*name)) {
            let path = DocumentPath::Field(self.path, name);
            found.add(FieldError::required(Place { path: &path, ..self }.field(), ""));
        }
        found
    }

    fn check_member(self, name: &str, value: &Value, schema: &Structural) -> Found {
        let is_type = matches!(self.path, DocumentPath::Root) && matches!(name, "apiVersion" | "kind");
        let child = self.correlated.filter(|_| !is_type).and_then(|node| node.key(name));
        self.below(&DocumentPath::Field(self.path, name), child.as_ref()).check(value, schema)
    }

    /// A child of this place.
    fn below<'c>(self, path: &'c DocumentPath<'c>, child: Option<&'c Correlated<'v>>) -> Place<'c, 'v>
    where
        'p: 'c,
    {
        Place { path, correlated: child, base: self.base, formats: self.formats }
    }

    fn check_options(self, value: &Value, checks: &Checks) -> Found {
        let Some(options) = checks.options.as_deref().filter(|options| !options.is_empty()) else {
            return Found::default();
        };
        if options.iter().any(|option| is_option(value, option)) {
            return Found::default();
        }
        let text = |one: &Value| one.as_str().map_or_else(|| json_text(one), str::to_string);
        let texts: Vec<String> = options.iter().map(text).collect();
        Found::error(FieldError::not_supported_as(self.field(), bad_value(value), &texts))
    }
}

/// A limit for a message; one below zero, which nothing can keep, is shown as zero.
fn limit(most: i64) -> usize {
    usize::try_from(most).unwrap_or_default()
}

/// The types and formats of values as Go has them.
fn type_of(value: &Value) -> (&'static str, &'static str) {
    match value {
        Value::Null => ("null", ""),
        Value::Bool(_) => ("boolean", ""),
        Value::Number(number) if number.is_i64() => ("integer", "int64"),
        Value::Number(_) => ("number", "float64"),
        Value::String(_) => ("string", ""),
        Value::Array(_) => ("array", ""),
        Value::Object(_) => ("object", ""),
    }
}

/// Whether a value is an option. Upstream: Go converts the value to the type of the option first.
fn is_option(value: &Value, option: &Value) -> bool {
    match (value, option) {
        (Value::Number(one), Value::Number(other)) => match (one.as_i64(), other.as_i64()) {
            (Some(one), Some(other)) => one == other,
            (None, Some(other)) => one.as_f64().is_some_and(|one| one as i64 == other),
            _ => one.as_f64() == other.as_f64(),
        },
        // A number converts to the character with that code.
        (Value::Number(one), Value::String(other)) => {
            let char = one
                .as_i64()
                .map(|code| u32::try_from(code).ok().and_then(char::from_u32).unwrap_or('\u{fffd}'));
            char.is_some_and(|char| other.chars().eq([char]))
        }
        (Value::Null, _) | (_, Value::Null) => false,
        (value, option) => value == option,
    }
}

/// A value as messages of Go print it.
pub(super) fn bad_value(value: &Value) -> BadValue {
    match value {
        Value::Number(number) if !number.is_i64() => {
            BadValue::verbatim(go_float(number.as_f64().unwrap_or_default()))
        }
        other => BadValue::verbatim(json_text(other)),
    }
}

/// Canonical JSON: floats without a fraction are written without a dot.
fn json_text(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_f64() => go_float(number.as_f64().unwrap_or_default()),
        Value::Array(list) => format!("[{}]", list.iter().map(json_text).collect::<Vec<_>>().join(",")),
        Value::Object(map) => {
            let member = |(name, value): (&String, &Value)| {
                format!("{}:{}", Value::from(name.as_str()), json_text(value))
            };
            format!("{{{}}}", map.iter().map(member).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}
