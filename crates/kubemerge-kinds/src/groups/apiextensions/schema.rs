//! The schema of a version: first what its keywords say, then whether it is structural, then its defaults, then its
//! validation rules. Later steps need a schema that passed the earlier ones.

use kubemerge_schema::{
    DeclaredType,
    check::{KEYWORDS, RootUse, SchemaFinding, ViolationKind, schema_keywords, structural_schema},
};
use kubemerge_value::{MAX_VALUE_DEPTH, deep};
use serde_json::Value;

use super::validation_rules::{self, Surroundings};
use crate::custom::default;
use crate::field::{BadValue, Field};
use crate::field_error::{FieldError, has_enough};
use crate::tree::Value as TreeValue;

const ONLY_WITH_STATUS: &str = "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum \
    MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example \
    XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is \
    enabled";

/// How long the path to a field may be: every error has a path, so longer ones would multiply.
const MAX_PATH_BYTES: usize = 16 * 1024;

/// The schema in a validation as a document; none if it is nested too deep for one.
pub(super) fn document(validation: Field<'_>) -> Option<Value> {
    let schema = validation.field("openAPIV3Schema");
    let is_document = |value: &&TreeValue<'_>| schema.is_set() && !value.is_deeper_than(MAX_VALUE_DEPTH);
    Some(json(schema.value().filter(is_document)?))
}

/// A value as JSON. Its text would not tell `7.0` from `7`, and only the first is a multiple of 0.5 for Kubernetes.
fn json(value: &TreeValue<'_>) -> Value {
    deep(|| match value {
        TreeValue::Null | TreeValue::Omitted(_) => Value::Null,
        TreeValue::Bool(flag) => Value::Bool(*flag),
        TreeValue::Int(number) => Value::from(*number),
        TreeValue::Float(number) => Value::from(*number),
        TreeValue::Str(text) => Value::from(&**text),
        TreeValue::List(list) => list.iter().map(json).collect(),
        TreeValue::Map(map) => {
            // What Go does not write is not there.
            let is_written =
                |value: &TreeValue<'_>| !matches!(value, TreeValue::Omitted(what) if !what.is_null);
            let written = map.iter().filter(|(_, value)| is_written(value));
            written.map(|(name, value)| (name.to_string(), json(value))).collect()
        }
    })
}

/// Whether a schema in a validation has a default anywhere.
pub(super) fn has_default(validation: Field<'_>) -> bool {
    document(validation).is_some_and(|schema| any_schema(&schema, &|schema| schema.get("default").is_some()))
}

/// Whether a schema or one below it satisfies a test.
pub(super) fn any_schema(schema: &Value, test: &impl Fn(&Value) -> bool) -> bool {
    let listed =
        |list: &Value| list.as_array().is_some_and(|list| list.iter().any(|one| any_schema(one, test)));
    let named =
        |map: &Value| map.as_object().is_some_and(|map| map.values().any(|one| any_schema(one, test)));
    let Some(map) = schema.as_object() else { return false };
    test(schema)
        || map.iter().any(|(keyword, value)| match keyword.as_str() {
            "allOf" | "anyOf" | "oneOf" => listed(value),
            // Either one schema or, in older drafts, a list of them.
            "items" => listed(value) || any_schema(value, test),
            "not" | "additionalProperties" | "additionalItems" => any_schema(value, test),
            "properties" | "patternProperties" | "definitions" | "dependencies" => named(value),
            _ => false,
        })
}

/// Validates `schema` of a version, or what all versions share; `old` is the stored schema of the same version.
pub(super) fn validate(validation: Field<'_>, has_status: bool, old: Option<Field<'_>>) {
    let place = validation.field("openAPIV3Schema");
    // The server refuses such a body before; here it would be too deep for every walk over its schemas.
    if place.value().is_some_and(|schema| schema.is_deeper_than(MAX_VALUE_DEPTH)) {
        return place.forbidden(format!("a schema may be nested {MAX_VALUE_DEPTH} levels deep"));
    }
    let Some(schema) = document(validation) else { return };
    if longest_path(&schema) > MAX_PATH_BYTES {
        return place.forbidden(format!("the names on the way to a field may take {MAX_PATH_BYTES} bytes"));
    }
    let before = place.errors_so_far();
    if has_status {
        root_keywords(place, &schema);
    }
    let path = place.path();
    let keywords = schema_keywords(&schema, &path);
    let unsupported = unsupported_keyword(&schema);
    let structural = if unsupported.is_none() { check_structure(place, &schema) } else { None };
    report(place, keywords.iter().cloned().filter_map(field_error));
    let is_unchanged = old.is_some_and(|old| document(old).as_ref() == Some(&schema));
    validation_rules::validate(
        place,
        &schema,
        structural.as_ref().map(DeclaredType::values),
        Surroundings { keywords: &keywords, is_unchanged },
    );
    // Upstream converts the schema last and only if nothing else is wrong.
    if let (Some(keyword), true) = (unsupported, place.errors_so_far() == before) {
        place.invalid_as("", format!("OpenAPIV3Schema '{keyword}' is not supported"));
    }
}

/// Reports what makes a schema not structural, and defaults that it would not accept; returns the type if all is well.
fn check_structure(place: Field<'_>, schema: &Value) -> Option<DeclaredType> {
    let before = place.errors_so_far();
    let path = place.path();
    report(place, structural_schema(schema, &path).into_iter().filter_map(field_error));
    let is_fine = || place.errors_so_far() == before;
    if !is_fine() {
        return None;
    }
    let mut errors = Vec::new();
    let read = DeclaredType::of_schema(schema);
    match &read {
        Ok(ty) => default::check(ty.values(), &path, &mut errors),
        Err(why) => errors.push(FieldError::invalid(path, &Value::from(""), why.message())),
    }
    report(place, errors);
    read.ok().filter(|_| is_fine())
}

fn report(place: Field<'_>, errors: impl IntoIterator<Item = FieldError>) {
    let mut reported = Vec::new();
    for error in errors {
        if has_enough(&reported) {
            break;
        }
        reported.push(error.clone());
        place.report(error);
    }
}

/// The first keyword for which Kubernetes makes no structural schema at all.
fn unsupported_keyword(schema: &Value) -> Option<&'static str> {
    const WORDS: [(&str, &str); 7] = [
        ("id", "id"),
        ("$schema", "schema"),
        ("$ref", "$ref"),
        ("patternProperties", "patternProperties"),
        ("dependencies", "dependencies"),
        ("additionalItems", "additionalItems"),
        ("definitions", "definitions"),
    ];
    let has = |word: &str| any_schema(schema, &|schema| schema.get(word).is_some());
    let odd = |schema: &Value| {
        schema.get("items").is_some_and(Value::is_array)
            || schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false))
    };
    let word = WORDS.iter().find(|(word, _)| has(word)).map(|(_, name)| *name);
    word.or_else(|| any_schema(schema, &odd).then_some("items"))
}

/// Where the status is a part of its own, only some keywords can be used at the root.
fn root_keywords(place: Field<'_>, schema: &Value) {
    for (keyword, usage) in KEYWORDS {
        // Upstream compares fields with Go's zero value, and false is that of a keyword.
        let Some(value) = schema.get(keyword).filter(|value| **value != Value::Bool(false)) else { continue };
        if keyword == "type" {
            if value != "object" {
                let detail = "only \"object\" is allowed as the type at the root of the schema if the status \
                              subresource is enabled";
                return place.field("type").invalid(detail);
            }
        } else if usage == RootUse::WithoutStatus {
            let bad_value = BadValue::internal("apiextensions.JSONSchemaProps", place);
            return place.invalid_as(bad_value, ONLY_WITH_STATUS);
        }
    }
}

/// The length of the longest path to a field.
fn longest_path(schema: &Value) -> usize {
    let members = schema.as_object().into_iter().flatten();
    let nested = members.map(|(name, value)| name.len() + 1 + longest_path(value));
    // An index in brackets takes about so much.
    let listed = schema.as_array().into_iter().flatten().map(|value| 4 + longest_path(value));
    nested.chain(listed).max().unwrap_or_default()
}

/// The error with which the API server refuses the field; none for what only `schema check` reports.
fn field_error(finding: SchemaFinding) -> Option<FieldError> {
    let violation = finding.violation?;
    let (path, detail) = (finding.path, violation.detail.as_str());
    Some(match violation.kind {
        ViolationKind::Required => FieldError::required(path, detail),
        ViolationKind::Forbidden => FieldError::forbidden(path, detail),
        ViolationKind::Invalid(value) => FieldError::invalid(path, &value, detail),
        ViolationKind::NotSupported { value, supported } => {
            let supported: Vec<String> = supported.iter().map(ToString::to_string).collect();
            FieldError::not_supported(path, &value, &supported)
        }
    })
}
