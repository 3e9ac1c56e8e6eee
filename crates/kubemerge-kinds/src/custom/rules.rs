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

/// The expressions of a rule that cannot be compiled: the member that holds one, and why.
#[cfg(feature = "cel")]
pub(crate) use super::cel::compile_errors;

/// Without an evaluator expressions are not looked at.
#[cfg(not(feature = "cel"))]
pub(crate) fn compile_errors(_: &Value) -> Vec<(&'static str, String)> {
    Vec::new()
}
