//! `x-kubernetes-validations` in the schema of a version.

use kubemerge_cel as cel;
use kubemerge_schema::{Additional, ValueType, check::SchemaFinding};
use serde_json::Value;

use super::rule_budget::{Budget, max_elements, multiplied};
use crate::custom::{
    field_path::{ArrayNotation, valid_field_path},
    rules::compile::{RuleCheck, RuleScope},
};
use crate::field::{BadValue, Field, FieldErrorKind};
use crate::field_error::FieldError;

const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// What is known about the schema around rules.
pub(super) struct Surroundings<'v> {
    /// What is wrong with keywords: expressions of schemas around them are not compiled.
    pub(super) keywords: &'v [SchemaFinding],
    /// Whether the stored definition has the same schema: then single rules may be as expensive as they are.
    pub(super) is_unchanged: bool,
}

/// The walk over the schemas of a version.
struct Rules<'v> {
    surroundings: Surroundings<'v>,
    errors: Vec<FieldError>,
    budget: Budget,
}

/// Where a schema is.
#[derive(Clone, Copy)]
struct Position<'p> {
    /// The schema as it was read; none if it is not structural, or restricts one that is: then expressions are not compiled.
    ty: Option<ValueType<'p>>,
    /// The path of the list above whose items cannot be distinguished.
    uncorrelated: Option<&'p str>,
    /// How many values there can be, if all lists and maps above are limited.
    cardinality: Option<u64>,
}

/// Validates all rules; `ty` is the schema as it was read, if it is structural.
pub(super) fn validate(
    place: Field<'_>,
    schema: &Value,
    ty: Option<ValueType<'_>>,
    surroundings: Surroundings<'_>,
) {
    let mut rules = Rules { surroundings, errors: Vec::new(), budget: Budget::default() };
    let root = Position { ty, uncorrelated: None, cardinality: Some(1) };
    rules.walk(schema, &place.path(), root);
    if ty.is_some() {
        rules.errors.extend(rules.budget.errors(&place.path()));
    }
    rules.errors.into_iter().for_each(|error| place.report(error));
}

impl Rules<'_> {
    /// Checks a schema and all below it; returns whether nothing but expressions is wrong there.
    fn walk(&mut self, schema: &Value, path: &str, position: Position<'_>) -> bool {
        let cardinality = match (position.cardinality, max_elements(schema)) {
            (Some(count), Some(factor)) => Some(multiplied(count, factor)),
            _ => None,
        };
        let text = |name: &str| schema.get(name).and_then(Value::as_str);
        let ty = position.ty;
        let below = Position { ty: None, cardinality, ..position };
        let uncorrelated = Position { uncorrelated: below.uncorrelated.or(Some(path)), ..below };
        // Items of other lists than those with keys cannot be distinguished, nor fields of atomic maps.
        let of_items = if text("x-kubernetes-list-type") == Some("map") { below } else { uncorrelated };
        let of_fields = if text("x-kubernetes-map-type") == Some("atomic") { uncorrelated } else { below };
        let mut is_fine = true;
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            let place = || format!("{path}.{keyword}");
            match (keyword.as_str(), value) {
                ("properties", Value::Object(map)) => {
                    for (name, schema) in map {
                        let position = Position { ty: ty.and_then(|ty| ty.property(name)), ..of_fields };
                        is_fine &= self.walk(schema, &format!("{path}.{keyword}[{name}]"), position);
                    }
                }
                ("definitions" | "dependencies", Value::Object(map)) => {
                    for (name, schema) in map {
                        is_fine &= self.walk(schema, &format!("{path}.{keyword}[{name}]"), below);
                    }
                }
                ("allOf" | "anyOf" | "oneOf" | "items", Value::Array(list)) => {
                    for (at, schema) in list.iter().enumerate() {
                        is_fine &= self.walk(schema, &format!("{path}.{keyword}[{at}]"), below);
                    }
                }
                ("items", Value::Object(_)) => {
                    let position = Position { ty: ty.and_then(ValueType::items), ..of_items };
                    is_fine &= self.walk(value, &place(), position);
                }
                ("additionalProperties", Value::Object(_)) => {
                    let values = ty.and_then(|ty| match ty.additional() {
                        Additional::Schema(values) => Some(values),
                        Additional::Unset | Additional::Allowed | Additional::Refused => None,
                    });
                    is_fine &= self.walk(value, &place(), Position { ty: values, ..below });
                }
                ("not", Value::Object(_)) => is_fine &= self.walk(value, &place(), below),
                _ => {}
            }
        }
        let keywords = self.surroundings.keywords;
        is_fine &=
            !keywords.iter().any(|finding| finding.violation.is_some() && is_below(&finding.path, path));
        let rules = schema.get("x-kubernetes-validations").and_then(Value::as_array);
        let rules = rules.map(Vec::as_slice).unwrap_or_default();
        for (at, rule) in rules.iter().enumerate() {
            let count = self.errors.len();
            self.check_form(schema, rule, &format!("{path}.x-kubernetes-validations[{at}]"));
            is_fine &= self.errors.len() == count;
        }
        // Expressions are only compiled where the schema around them means something.
        if let Some(ty) = ty.filter(|_| cel::IS_BUILT_IN && is_fine && !rules.is_empty()) {
            self.check_expressions(ty, rules, path, position);
        }
        is_fine
    }

    fn check_expressions(&mut self, ty: ValueType<'_>, rules: &[Value], path: &str, position: Position<'_>) {
        let Some(scope) = RuleScope::of(ty) else {
            let detail = "internal error: failed to construct type information for x-kubernetes-validations rules: \
                          unable to convert structural schema to CEL declarations";
            self.errors.push(FieldError {
                kind: FieldErrorKind::Internal,
                field: format!("{path}.x-kubernetes-validations"),
                bad_value: None,
                detail: detail.to_owned(),
            });
            return;
        };
        for (at, rule) in rules.iter().enumerate() {
            let place = format!("{path}.x-kubernetes-validations[{at}]");
            let check = scope.check(rule);
            let cardinality = position.cardinality.unwrap_or_else(|| scope.max_cardinality());
            self.budget.observe_patterns(check.pattern_bytes);
            self.check_costs(&check, cardinality, &place);
            self.report_problems(rule, check, position, &place);
        }
    }

    fn check_costs(&mut self, check: &RuleCheck, cardinality: u64, place: &str) {
        let cost = multiplied(check.cost, cardinality);
        let message_cost = check.message.as_ref().and_then(|message| message.as_ref().ok().copied());
        let costs = [
            ("rule", "estimated rule cost", Some(cost)),
            ("messageExpression", "estimated messageExpression cost", message_cost),
        ];
        for (member, name, cost) in costs {
            let Some(cost) = cost else { continue };
            let field = format!("{place}.{member}");
            if !self.surroundings.is_unchanged {
                self.errors.extend(Budget::expression_error(&field, name, cost));
            }
            self.budget.observe(field, cost);
        }
    }

    fn report_problems(&mut self, rule: &Value, check: RuleCheck, position: Position<'_>, place: &str) {
        let mut report = |member: &str, value: BadValue, detail: &str| {
            self.errors.push(FieldError::invalid_as(format!("{place}.{member}"), value, detail));
        };
        // Upstream: what is shown depends on the complaint.
        if let Some(problem) = &check.problem {
            report("rule", shown(rule), problem);
        }
        if let Some(Err(problem)) = &check.message {
            report("messageExpression", shown(rule), problem);
        }
        match (check.uses_old_self, position.uncorrelated, rule.get("optionalOldSelf")) {
            (true, Some(path), _) => {
                let detail = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within {path}"
                );
                report("rule", BadValue::from(&rule["rule"]), &detail);
            }
            (false, _, Some(flag)) => {
                let detail = "may not be set if oldSelf is not used in rule";
                report("optionalOldSelf", BadValue::from(flag), detail);
            }
            _ => {}
        }
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
