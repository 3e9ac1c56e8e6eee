//! Paths to fields of a schema, as definitions name them: `.spec.color`, `.spec['my-field']`.

use kubemerge_schema::{Additional, ValueType};
use serde_json::Value;

use crate::text::message_error::message_error;

/// A schema that paths lead through: one that was read, or one that is still to be judged.
pub trait PathSchema: Copy {
    /// The schema of a declared field.
    fn field(self, name: &str) -> Option<Self>;
    /// Whether any field is declared.
    fn has_fields(self) -> bool;
    /// The schema of fields that are not declared, if they are mentioned at all; none inside if it says nothing about them.
    fn others(self) -> Option<Option<Self>>;
}

impl PathSchema for ValueType<'_> {
    fn field(self, name: &str) -> Option<Self> {
        self.property(name)
    }

    fn has_fields(self) -> bool {
        self.properties().next().is_some()
    }

    fn others(self) -> Option<Option<Self>> {
        match self.additional() {
            Additional::Unset => None,
            Additional::Allowed | Additional::Refused => Some(None),
            Additional::Schema(values) => Some(Some(values)),
        }
    }
}

impl PathSchema for &Value {
    fn field(self, name: &str) -> Option<Self> {
        self.get("properties")?.get(name)
    }

    fn has_fields(self) -> bool {
        self.get("properties").and_then(Value::as_object).is_some_and(|fields| !fields.is_empty())
    }

    fn others(self) -> Option<Option<Self>> {
        let values = self.get("additionalProperties").filter(|values| !values.is_null())?;
        Some(Some(values).filter(|values| values.is_object()))
    }
}

/// A path that leads to a field.
#[derive(Debug)]
pub struct SchemaFieldPath<S> {
    /// The path as messages print it: `spec.color`, `map[key]`.
    pub text: String,
    /// Its first name.
    pub root: String,
    /// The schema of the field.
    pub schema: Option<S>,
}

/// Whether `['name']` may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayNotation {
    /// It may.
    Allowed,
    /// It may not.
    Refused,
}

message_error! {
    /// Why a path leads to no field, in the words of kube-apiserver.
    pub struct FieldPathError
}

/// Follows a path through a schema; an error says why it leads nowhere.
pub fn valid_field_path<S: PathSchema>(
    path: &str,
    schema: S,
    notation: ArrayNotation,
) -> Result<SchemaFieldPath<S>, FieldPathError> {
    const END: &str = "unexpected end of JSON path";
    let mut found = SchemaFieldPath { text: String::new(), root: String::new(), schema: Some(schema) };
    let mut tokens = Tokens(path);
    while let Some(token) = tokens.next() {
        match token {
            "[" if notation == ArrayNotation::Refused => {
                return Err("array notation is not allowed".into());
            }
            "[" => {
                let quoted = tokens.next().ok_or(END)?;
                let name = quoted.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
                let name = name.ok_or_else(|| format!("expected single quoted string but got {quoted}"))?;
                found.step(&unescape(name)?)?;
                match tokens.next().ok_or(END)? {
                    "]" => {}
                    other => return Err(format!("expected ] but got {other}").into()),
                }
            }
            "." => found.step(tokens.next().ok_or(END)?)?,
            other => return Err(format!("expected [ or . but got: {other}").into()),
        }
    }
    Ok(found)
}

impl<S: PathSchema> SchemaFieldPath<S> {
    fn step(&mut self, name: &str) -> Result<(), FieldPathError> {
        const NO_FIELD: &str = "does not refer to a valid field";
        if let Some(schema) = self.schema.filter(|schema| schema.has_fields()) {
            self.schema = Some(schema.field(name).ok_or(NO_FIELD)?);
            if !self.text.is_empty() {
                self.text.push('.');
            }
            self.text.push_str(name);
        } else if let Some(values) = self.schema.and_then(S::others) {
            // `additionalProperties: true` says nothing about the values.
            self.schema = values;
            self.text.push_str(&format!("[{name}]"));
        } else {
            return Err(NO_FIELD.into());
        }
        if self.root.is_empty() {
            name.clone_into(&mut self.root);
        }
        Ok(())
    }
}

/// The parts of a path: `.`, `[`, `]`, quoted texts and names.
struct Tokens<'t>(&'t str);

impl<'t> Iterator for Tokens<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let text = self.0;
        let first = text.bytes().next()?;
        let end = match first {
            b'\'' => quoted_end(text),
            b'.' | b'[' | b']' => 1,
            _ => text.find(['.', '[', ']']).unwrap_or(text.len()),
        };
        let (token, rest) = text.split_at(end);
        self.0 = rest;
        Some(token)
    }
}

/// The end of a quoted text; a quote after a backslash does not end it.
fn quoted_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let after = text.as_bytes().iter().zip(bytes.iter().skip(1));
    let mut quotes = after.enumerate().filter(|(_, (before, byte))| **byte == b'\'' && **before != b'\\');
    quotes.next().map_or(text.len(), |(at, _)| at + 2)
}

fn unescape(text: &str) -> Result<String, FieldPathError> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some(escaped @ ('\'' | '\\' | '"')) => out.push(escaped),
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                _ => return Err("invalid string literal: invalid syntax".into()),
            },
            other => out.push(other),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_lead_to_schemas_or_say_why_not() {
        let schema = json!({"properties": {"spec": {"properties": {"a.b": {"type": "string"}}},
            "map": {"additionalProperties": {"type": "integer"}}}});
        let text = |path: &str, notation| match valid_field_path(path, &schema, notation) {
            Ok(found) => found.text,
            Err(why) => why.to_string(),
        };
        assert_eq!(text(".spec['a.b']", ArrayNotation::Allowed), "spec.a.b");
        assert_eq!(text(".map.x", ArrayNotation::Allowed), "map[x]");
        assert_eq!(text(".spec['a.b']", ArrayNotation::Refused), "array notation is not allowed");
        assert_eq!(text(".spec.x", ArrayNotation::Allowed), "does not refer to a valid field");
        assert_eq!(text("spec", ArrayNotation::Allowed), "expected [ or . but got: spec");
        assert_eq!(text(".spec.", ArrayNotation::Allowed), "unexpected end of JSON path");
        assert_eq!(text(".spec[0]", ArrayNotation::Allowed), "expected single quoted string but got 0");
    }
}
