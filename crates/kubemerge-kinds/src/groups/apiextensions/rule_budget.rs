//! What the rules of a definition may cost, one by one and all together.

use kubemerge_schema::pattern::MAX_COMPILED_BYTES;
use serde_json::Value;

use crate::field::FieldErrorKind;
use crate::field_error::FieldError;

/// What one expression may cost.
const MAX_EXPRESSION_COST: u64 = 10_000_000;
/// What all expressions of a version may cost.
const MAX_TOTAL_COST: u64 = 100_000_000;
/// How many expressions are told when all together are too expensive.
const MAX_TOLD: usize = 4;

/// The costs of all expressions so far.
#[derive(Default)]
pub(super) struct Budget {
    total: u64,
    /// The most expensive ones first.
    expensive: Vec<(String, u64)>,
    /// How much all regular expressions take when they are compiled.
    pattern_bytes: usize,
}

impl Budget {
    /// What is wrong with an expression of this cost.
    pub(super) fn expression_error(field: &str, name: &str, cost: u64) -> Option<FieldError> {
        (cost > MAX_EXPRESSION_COST)
            .then(|| forbidden(field.to_owned(), exceeded(name, cost, MAX_EXPRESSION_COST)))
    }

    /// Counts an expression.
    pub(super) fn observe(&mut self, field: String, cost: u64) {
        self.total = self.total.saturating_add(cost);
        // What takes less than a hundredth is not told.
        if cost >= MAX_TOTAL_COST / 100 {
            self.expensive.push((field, cost));
            self.expensive.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
            self.expensive.truncate(MAX_TOLD);
        }
    }

    /// Counts the regular expressions of an expression.
    pub(super) fn observe_patterns(&mut self, bytes: usize) {
        self.pattern_bytes = self.pattern_bytes.saturating_add(bytes);
    }

    /// What is wrong with all expressions together.
    pub(super) fn errors(&self, schema: &str) -> Vec<FieldError> {
        let patterns = (self.pattern_bytes > MAX_COMPILED_BYTES).then(|| {
            let detail = "regular expressions of x-kubernetes-validations take too much memory when they are \
                          compiled: repeat less";
            forbidden(schema.to_owned(), detail.to_owned())
        });
        self.cost_errors(schema).into_iter().chain(patterns).collect()
    }

    fn cost_errors(&self, schema: &str) -> Vec<FieldError> {
        const CONTRIBUTED: &str =
            "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
        const NAME: &str = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        if self.total <= MAX_TOTAL_COST {
            return Vec::new();
        }
        let told = self.expensive.iter().map(|(field, _)| forbidden(field.clone(), CONTRIBUTED.to_owned()));
        let total = forbidden(schema.to_owned(), exceeded(NAME, self.total, MAX_TOTAL_COST));
        told.chain([total]).collect()
    }
}

fn forbidden(field: String, detail: String) -> FieldError {
    FieldError { kind: FieldErrorKind::Forbidden, field, bad_value: None, detail }
}

fn exceeded(name: &str, cost: u64, limit: u64) -> String {
    let factor = match cost as f64 / limit as f64 {
        factor if factor > 100.0 => "more than 100x".to_owned(),
        factor if factor < 1.5 => format!("{factor:.6}x"),
        factor => format!("{factor:.1}x"),
    };
    format!(
        "{name} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, \
         and maxLength where arrays, maps, and strings are declared)"
    )
}

/// A product that does not overflow.
pub(super) fn multiplied(cost: u64, count: u64) -> u64 {
    cost.saturating_mul(count)
}

/// How many values a schema may have below it for each of its own; none if there is no limit.
pub(super) fn max_elements(schema: &Value) -> Option<u64> {
    let limit =
        |name: &str| schema.get(name).and_then(Value::as_i64).map(|limit| limit.max(0).unsigned_abs());
    match schema.get("type").and_then(Value::as_str) {
        Some("object") if schema.get("additionalProperties").is_some() => limit("maxProperties"),
        Some("array") => limit("maxItems"),
        _ => Some(1),
    }
}
