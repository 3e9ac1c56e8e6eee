//! Rules in `x-kubernetes-validations`, evaluated by kube-cel.

use serde_json::Value;

use crate::field_error::FieldError;

/// The compiled rules of a schema.
#[derive(Debug, Default)]
pub struct CelRules {
    #[cfg(feature = "cel")]
    compiled: Option<kube_cel::CompiledSchema>,
}

impl CelRules {
    /// Compiles the rules; a schema without any costs nothing later.
    #[cfg(feature = "cel")]
    pub fn compile(schema: &Value) -> CelRules {
        CelRules { compiled: has_rules(schema).then(|| kube_cel::compile_schema(schema)) }
    }

    /// Without an evaluator rules are not enforced.
    #[cfg(not(feature = "cel"))]
    pub fn compile(_: &Value) -> CelRules {
        CelRules {}
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        #[cfg(feature = "cel")]
        return self.compiled.is_none();
        #[cfg(not(feature = "cel"))]
        true
    }

    /// The rules an object breaks.
    #[cfg(feature = "cel")]
    pub fn check(&self, object: &Value, old: Option<&Value>) -> Vec<FieldError> {
        let Some(compiled) = &self.compiled else { return Vec::new() };
        let Err(errors) = kube_cel::Validator::new().validate_compiled(compiled, object, old) else {
            return Vec::new();
        };
        let errors = errors.into_vec();
        let news = errors.iter().filter(|error| !is_old_news(error, object, old));
        news.map(|error| complaint(error, object)).collect()
    }

    /// Without an evaluator rules are not enforced.
    #[cfg(not(feature = "cel"))]
    pub fn check(&self, _: &Value, _: Option<&Value>) -> Vec<FieldError> {
        Vec::new()
    }
}

/// Complaints about rules that cannot be compiled, of one node of a schema.
#[cfg(feature = "cel")]
pub(crate) fn check_syntax(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let rules = schema.get("x-kubernetes-validations").and_then(Value::as_array).into_iter().flatten();
    for (at, rule) in rules.enumerate() {
        let alone = serde_json::json!({"x-kubernetes-validations": [rule]});
        for error in kube_cel::compile_schema(&alone).compilation_errors() {
            let (field, why) = (format!("{path}.x-kubernetes-validations[{at}].rule"), error.to_string());
            let text = rule.get("rule").cloned().unwrap_or_default();
            errors.push(FieldError::invalid(field, &text, &format!("compilation failed: {why}")));
        }
    }
}

/// Without an evaluator rules are not looked at.
#[cfg(not(feature = "cel"))]
pub(crate) fn check_syntax(_: &Value, _: &str, _: &mut Vec<FieldError>) {}

/// Whether a rule was broken before, at a place that did not change; rules about changes always count.
#[cfg(feature = "cel")]
fn is_old_news(error: &kube_cel::ValidationError, object: &Value, old: Option<&Value>) -> bool {
    let at = |value: &Value| super::jsonpath::find(value, &error.field_path);
    old.is_some_and(|old| !error.rule.contains("oldSelf") && at(object).is_some() && at(object) == at(old))
}

#[cfg(feature = "cel")]
fn has_rules(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.contains_key("x-kubernetes-validations") || map.values().any(has_rules),
        Value::Array(list) => list.iter().any(has_rules),
        _ => false,
    }
}

#[cfg(feature = "cel")]
fn complaint(error: &kube_cel::ValidationError, object: &Value) -> FieldError {
    let field = if error.field_path.is_empty() { "<nil>" } else { &error.field_path };
    let value = super::jsonpath::find(object, &error.field_path).unwrap_or_default();
    // Maps and lists are named by their type, as the API server does.
    let value = match value {
        Value::Object(_) => Value::String("object".into()),
        Value::Array(_) => Value::String("array".into()),
        scalar => scalar,
    };
    match error.reason.as_deref() {
        Some("FieldValueRequired") => FieldError::required(field, &error.message),
        Some("FieldValueForbidden") => FieldError::forbidden(field, &error.message),
        Some("FieldValueDuplicate") => FieldError::duplicate(field, &value),
        _ => FieldError::invalid(field, &value, &error.message),
    }
}
