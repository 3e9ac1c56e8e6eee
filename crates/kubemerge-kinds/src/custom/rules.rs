//! Rules in `x-kubernetes-validations`, if an evaluator is built in.

use serde_json::Value;

use crate::field_error::FieldError;

/// The compiled rules of a schema.
#[derive(Debug, Default)]
pub struct CelRules {
    #[cfg(feature = "cel")]
    root: Option<super::cel::RuleNode>,
}

impl CelRules {
    /// Compiles the rules; a schema without any costs nothing later.
    #[cfg(feature = "cel")]
    pub fn compile(schema: &Value) -> CelRules {
        CelRules { root: super::cel::RuleNode::compile(schema) }
    }

    /// Without an evaluator rules are not enforced.
    #[cfg(not(feature = "cel"))]
    pub fn compile(_: &Value) -> CelRules {
        CelRules {}
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        #[cfg(feature = "cel")]
        return self.root.is_none();
        #[cfg(not(feature = "cel"))]
        true
    }

    /// The rules that an object breaks.
    #[cfg(feature = "cel")]
    pub fn check(&self, object: &Value, old: Option<&Value>) -> Vec<FieldError> {
        self.root.as_ref().map(|root| super::cel::check(root, object, old, "")).unwrap_or_default()
    }

    /// Without an evaluator rules are not enforced.
    #[cfg(not(feature = "cel"))]
    pub fn check(&self, _: &Value, _: Option<&Value>) -> Vec<FieldError> {
        Vec::new()
    }
}

/// What is wrong with the expressions of a rule of a schema: the member that it is about, and why. `uncorrelated` is
/// the path of the list above whose items cannot be told apart.
#[cfg(feature = "cel")]
pub(crate) fn compile_errors(
    rule: &Value,
    schema: &Value,
    level: SchemaLevel,
    uncorrelated: Option<&str>,
) -> Vec<(&'static str, String)> {
    let Ok(compiled) = super::structural::Structural::compile(schema) else { return Vec::new() };
    let is_whole = level == SchemaLevel::Root || compiled.embedded;
    let compiled = if is_whole { super::cel::with_metadata(compiled) } else { compiled };
    super::cel::compile_errors(rule, super::cel::RuleScope { schema: &compiled, uncorrelated })
}

/// Without an evaluator expressions are not looked at.
#[cfg(not(feature = "cel"))]
pub(crate) fn compile_errors(
    _: &Value,
    _: &Value,
    _: SchemaLevel,
    _: Option<&str>,
) -> Vec<(&'static str, String)> {
    Vec::new()
}

/// Whether a schema is that of a whole object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchemaLevel {
    Root,
    Below,
}
