//! The schema of one version of a custom resource, compiled from its definition.

use std::collections::BTreeMap;

use kubemerge_schema::pattern::from_go;
use regex::Regex;
use serde_json::Value;

use super::format;

/// A schema for values at one place.
#[derive(Clone, Debug, Default)]
pub struct Structural {
    /// The types that values may have; any if there are none.
    pub(crate) types: Vec<String>,
    pub(crate) nullable: bool,
    pub(crate) preserve_unknown: bool,
    pub(crate) embedded: bool,
    /// The format as it was written; [`Checks::format`] is the one that is enforced.
    pub(crate) format: Option<String>,
    pub(crate) default: Option<Value>,
    pub(crate) properties: BTreeMap<String, Structural>,
    pub(crate) additional: Additional,
    pub(crate) items: Option<Box<Structural>>,
    pub(crate) list_type: ListType,
    pub(crate) list_map_keys: Vec<String>,
    pub(crate) checks: Checks,
}

/// What is said about properties that are not declared.
#[derive(Clone, Debug, Default)]
pub(crate) enum Additional {
    /// Nothing.
    #[default]
    Unset,
    /// They may have any value.
    Allowed,
    /// There are none; pruning treats this as [`Additional::Allowed`].
    Refused,
    /// They have this schema.
    Schema(Box<Structural>),
}

/// How the items of a list are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ListType {
    #[default]
    Atomic,
    Set,
    Map,
}

/// What values must satisfy beyond their type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checks {
    pub(crate) required: Vec<String>,
    pub(crate) options: Option<Vec<Value>>,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) format: Option<String>,
    pub(crate) minimum: Option<f64>,
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) exclusive_maximum: bool,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) min_length: Option<i64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) min_items: Option<i64>,
    pub(crate) max_items: Option<i64>,
    pub(crate) min_properties: Option<i64>,
    pub(crate) max_properties: Option<i64>,
    pub(crate) all_of: Vec<Structural>,
    pub(crate) any_of: Vec<Structural>,
    pub(crate) one_of: Vec<Structural>,
    pub(crate) not: Option<Box<Structural>>,
}

impl Structural {
    /// The type of values, if there is one and only one.
    pub(crate) fn only_type(&self) -> Option<&str> {
        match self.types.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The same schema with all unknown fields of the object kept.
    pub fn preserve_unknown_fields(self) -> Structural {
        Structural { preserve_unknown: true, ..self }
    }

    /// Compiles an `openAPIV3Schema`.
    ///
    /// # Errors
    /// If a pattern is no regular expression.
    pub fn compile(schema: &Value) -> Result<Structural, String> {
        let flag = |key: &str| schema.get(key).and_then(Value::as_bool).unwrap_or(false);
        let text = |key: &str| schema.get(key).and_then(Value::as_str).map(str::to_string);
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        Ok(Structural {
            // Whatever `type` says: structural schemas with this mark have none.
            types: if flag("x-kubernetes-int-or-string") {
                vec!["integer".to_string(), "string".to_string()]
            } else {
                text("type").filter(|name| !name.is_empty()).into_iter().collect()
            },
            nullable: flag("nullable"),
            preserve_unknown: flag("x-kubernetes-preserve-unknown-fields"),
            embedded: flag("x-kubernetes-embedded-resource"),
            format: text("format").filter(|format| !format.is_empty()),
            // A default of null is none: Go cannot tell them apart.
            default: schema.get("default").filter(|default| !default.is_null()).cloned(),
            properties: properties
                .map(|(name, schema)| Ok((name.clone(), Structural::compile(schema)?)))
                .collect::<Result<_, String>>()?,
            additional: match schema.get("additionalProperties") {
                // Go decodes a null pointer as one that is not there.
                None | Some(Value::Null) => Additional::Unset,
                Some(Value::Bool(true)) => Additional::Allowed,
                Some(Value::Bool(false)) => Additional::Refused,
                Some(schema) => Additional::Schema(Box::new(Structural::compile(schema)?)),
            },
            items: match schema.get("items").filter(|items| items.is_object()) {
                Some(items) => Some(Box::new(Structural::compile(items)?)),
                None => None,
            },
            list_type: match text("x-kubernetes-list-type").as_deref() {
                Some("set") => ListType::Set,
                Some("map") => ListType::Map,
                _ => ListType::Atomic,
            },
            list_map_keys: texts(schema.get("x-kubernetes-list-map-keys")),
            checks: Checks::compile(schema)?,
        })
    }
}

impl Checks {
    fn compile(schema: &Value) -> Result<Checks, String> {
        let number = |key: &str| schema.get(key).and_then(Value::as_f64);
        let count = |key: &str| schema.get(key).and_then(Value::as_i64);
        let flag = |key: &str| schema.get(key).and_then(Value::as_bool).unwrap_or(false);
        let several = |key: &str| -> Result<Vec<Structural>, String> {
            let list = schema.get(key).and_then(Value::as_array).into_iter().flatten();
            list.map(Structural::compile).collect()
        };
        let pattern = schema.get("pattern").and_then(Value::as_str).filter(|pattern| !pattern.is_empty());
        Ok(Checks {
            required: texts(schema.get("required")),
            options: schema.get("enum").and_then(Value::as_array).cloned(),
            pattern: pattern.map(compile_pattern).transpose()?,
            format: schema
                .get("format")
                .and_then(Value::as_str)
                .filter(|name| is_enforced(name, schema))
                .map(str::to_string),
            minimum: number("minimum"),
            maximum: number("maximum"),
            exclusive_minimum: flag("exclusiveMinimum"),
            exclusive_maximum: flag("exclusiveMaximum"),
            multiple_of: number("multipleOf"),
            min_length: count("minLength"),
            max_length: count("maxLength"),
            min_items: count("minItems"),
            max_items: count("maxItems"),
            min_properties: count("minProperties"),
            max_properties: count("maxProperties"),
            all_of: several("allOf")?,
            any_of: several("anyOf")?,
            one_of: several("oneOf")?,
            not: match schema.get("not").filter(|not| not.is_object()) {
                Some(not) => Some(Box::new(Structural::compile(not)?)),
                None => None,
            },
        })
    }
}

fn compile_pattern(source: &str) -> Result<Pattern, String> {
    let unusable = |error: String| format!("pattern {source:?} is not a regular expression: {error}");
    let pattern = from_go(source).map_err(|error| unusable(error.to_string()))?;
    let regex = Regex::new(&pattern).map_err(|error| unusable(error.to_string()))?;
    Ok(Pattern { regex, source: source.to_string() })
}

/// A regular expression as it was written.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    regex: Regex,
    source: String,
}

impl Pattern {
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    pub(crate) fn source(&self) -> &str {
        &self.source
    }
}

/// Whether a format means something for the type of its schema.
pub(crate) fn is_enforced(format: &str, schema: &Value) -> bool {
    // The type may be a number then, which the formats of strings do not mean.
    let is_either = schema.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true));
    match schema.get("type").and_then(Value::as_str).filter(|_| !is_either).unwrap_or_default() {
        // Without a type the format applies to the strings among the values.
        "" | "string" => format::is_known(format),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    }
}

fn texts(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|one| one.as_str().map(str::to_string)).collect()
}
