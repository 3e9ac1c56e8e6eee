//! `x-kubernetes-validations` in the schema of a version.

use kubemerge_schema::check::SchemaFinding;
use serde_json::Value;

use crate::custom::{
    field_path::{ArrayNotation, valid_field_path},
    rules::{SchemaLevel, compile_errors},
};
use crate::field::{BadValue, Field};
use crate::field_error::FieldError;

const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// The walk over the schemas of a version.
struct Rules<'v> {
    /// What is wrong with keywords: expressions of schemas around them are not compiled.
    keywords: &'v [SchemaFinding],
    /// Whether expressions are compiled at all.
    is_structural: bool,
    errors: Vec<FieldError>,
}

/// Where a schema is.
#[derive(Clone, Copy)]
struct Position<'p> {
    level: SchemaLevel,
    /// The path of the list above whose items cannot be told apart.
    uncorrelated: Option<&'p str>,
}

/// Validates all rules; `keywords` are what else is wrong with the schema.
pub(super) fn validate(
    place: Field<'_>,
    schema: &Value,
    keywords: &[SchemaFinding],
    is_structural: bool,
    _old: Option<Field<'_>>,
) {
    let mut rules = Rules { keywords, is_structural, errors: Vec::new() };
    rules.walk(schema, &place.path(), Position { level: SchemaLevel::Root, uncorrelated: None });
    rules.errors.into_iter().for_each(|error| place.report(error));
}

impl Rules<'_> {
    /// Checks a schema and all below it; answers whether nothing but expressions is wrong there.
    fn walk(&mut self, schema: &Value, path: &str, position: Position<'_>) -> bool {
        let below = Position { level: SchemaLevel::Below, ..position };
        // Items of other lists than those with keys cannot be told apart.
        let is_keyed = schema.get("x-kubernetes-list-type").and_then(Value::as_str) == Some("map");
        let of_items = if is_keyed {
            below
        } else {
            Position { uncorrelated: below.uncorrelated.or(Some(path)), ..below }
        };
        let mut is_fine = true;
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            let place = || format!("{path}.{keyword}");
            match (keyword.as_str(), value) {
                ("properties" | "definitions" | "dependencies", Value::Object(map)) => {
                    for (name, schema) in map {
                        is_fine &= self.walk(schema, &format!("{path}.{keyword}[{name}]"), below);
                    }
                }
                ("allOf" | "anyOf" | "oneOf" | "items", Value::Array(list)) => {
                    for (at, schema) in list.iter().enumerate() {
                        is_fine &= self.walk(schema, &format!("{path}.{keyword}[{at}]"), below);
                    }
                }
                ("items", Value::Object(_)) => is_fine &= self.walk(value, &place(), of_items),
                ("additionalProperties" | "not", Value::Object(_)) => {
                    is_fine &= self.walk(value, &place(), below);
                }
                _ => {}
            }
        }
        is_fine &=
            !self.keywords.iter().any(|finding| finding.violation.is_some() && is_below(&finding.path, path));
        let rules = schema.get("x-kubernetes-validations").and_then(Value::as_array);
        for (at, rule) in rules.into_iter().flatten().enumerate() {
            let place = format!("{path}.x-kubernetes-validations[{at}]");
            let count = self.errors.len();
            self.check_form(schema, rule, &place);
            is_fine &= self.errors.len() == count;
        }
        // Expressions are only compiled where the schema around them means something.
        for (at, rule) in rules.into_iter().flatten().enumerate().filter(|_| is_fine && self.is_structural) {
            for (member, detail) in compile_errors(rule, schema, position.level, position.uncorrelated) {
                let field = format!("{path}.x-kubernetes-validations[{at}].{member}");
                // Upstream: what is shown depends on the complaint.
                let value = match member {
                    "optionalOldSelf" => BadValue::from(&rule["optionalOldSelf"]),
                    _ if detail.starts_with("oldSelf cannot") => BadValue::from(&rule["rule"]),
                    _ => shown(rule),
                };
                self.errors.push(FieldError::invalid_as(field, value, &detail));
            }
        }
        is_fine
    }

    /// What a rule says besides its expression.
    fn check_form(&mut self, schema: &Value, rule: &Value, place: &str) {
        let text = |name: &str| rule.get(name).and_then(Value::as_str).unwrap_or_default();
        let invalid = |name: &str, detail: &str| {
            FieldError::invalid(format!("{place}.{name}"), &Value::from(text(name)), detail)
        };
        let required = |name: &str, detail: &str| FieldError::required(format!("{place}.{name}"), detail);
        let has_lines = |text: &str| text.contains(['\n', '\r']);
        let (expression, message) = (text("rule").trim(), text("message").trim());
        if expression.is_empty() {
            self.errors.push(required("rule", "rule is not specified"));
        // Upstream reports one problem of rule and message, the first in this order.
        } else if !text("message").is_empty() && message.is_empty() {
            self.errors.push(invalid("message", "must be non-empty if specified"));
        } else if has_lines(message) {
            self.errors.push(invalid("message", "must not contain line breaks"));
        // The expression is the message if there is no other.
        } else if has_lines(expression) && message.is_empty() {
            self.errors.push(required("message", "message must be specified if rule contains line breaks"));
        }
        if !text("messageExpression").is_empty() && text("messageExpression").trim().is_empty() {
            self.errors
                .push(required("messageExpression", "messageExpression must be non-empty if specified"));
        }
        if let Some(reason) = rule.get("reason").filter(|reason| !REASONS.iter().any(|known| reason == known))
        {
            let supported = REASONS.map(str::to_owned);
            self.errors.push(FieldError::not_supported(format!("{place}.reason"), reason, &supported));
        }
        let path = text("fieldPath");
        if path.is_empty() {
            return;
        }
        if path.trim().is_empty() {
            self.errors.push(invalid("fieldPath", "must be non-empty if specified"));
        }
        if has_lines(path) {
            self.errors.push(invalid("fieldPath", "must not contain line breaks"));
        }
        if valid_field_path(path, schema, ArrayNotation::Allowed).is_err() {
            self.errors.push(invalid("fieldPath", "must be a valid path"));
        }
    }
}

/// A rule as messages show it: with all members of its Go type.
fn shown(rule: &Value) -> BadValue {
    let text = |name: &str| rule.get(name).and_then(Value::as_str).unwrap_or_default();
    let any = |name: &str| rule.get(name).cloned().unwrap_or_default();
    let members = [
        ("Rule", text("rule").into()),
        ("Message", text("message").into()),
        ("MessageExpression", text("messageExpression").into()),
        ("Reason", any("reason")),
        ("FieldPath", text("fieldPath").into()),
        ("OptionalOldSelf", any("optionalOldSelf")),
    ];
    let texts: Vec<String> = members
        .iter()
        .map(|(name, value): &(&str, Value)| format!("\"{name}\":{}", go_json(value)))
        .collect();
    BadValue::verbatim(format!("{{{}}}", texts.join(",")))
}

/// JSON as Go writes it: some characters are escaped that need not be.
fn go_json(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Whether one path is another one or leads on from it.
fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
