//! The schema of one version of a custom resource, compiled from its definition.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::Value;

/// A schema for values at one place.
#[derive(Clone, Debug, Default)]
pub struct Structural {
    pub(crate) kind: Option<String>,
    pub(crate) nullable: bool,
    pub(crate) preserve_unknown: bool,
    pub(crate) embedded: bool,
    pub(crate) int_or_string: bool,
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
    /// `true` or `false`, which pruning treats alike.
    Boolean,
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
    pub(crate) pattern: Option<Regex>,
    pub(crate) format: Option<String>,
    pub(crate) minimum: Option<f64>,
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) exclusive_maximum: bool,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
    pub(crate) min_properties: Option<u64>,
    pub(crate) max_properties: Option<u64>,
    pub(crate) all_of: Vec<Structural>,
    pub(crate) any_of: Vec<Structural>,
    pub(crate) one_of: Vec<Structural>,
    pub(crate) not: Option<Box<Structural>>,
}

impl Structural {
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
            kind: text("type").filter(|kind| !kind.is_empty()),
            nullable: flag("nullable"),
            preserve_unknown: flag("x-kubernetes-preserve-unknown-fields"),
            embedded: flag("x-kubernetes-embedded-resource"),
            int_or_string: flag("x-kubernetes-int-or-string"),
            default: schema.get("default").filter(|default| !default.is_null()).cloned(),
            properties: properties
                .map(|(name, schema)| Ok((name.clone(), Structural::compile(schema)?)))
                .collect::<Result<_, String>>()?,
            additional: match schema.get("additionalProperties") {
                None | Some(Value::Null) => Additional::Unset,
                Some(Value::Bool(_)) => Additional::Boolean,
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
        let count = |key: &str| schema.get(key).and_then(Value::as_u64);
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
            format: schema.get("format").and_then(Value::as_str).map(str::to_string),
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

fn compile_pattern(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| format!("pattern {pattern:?} is not a regular expression: {error}"))
}

fn texts(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|one| one.as_str().map(str::to_string)).collect()
}
