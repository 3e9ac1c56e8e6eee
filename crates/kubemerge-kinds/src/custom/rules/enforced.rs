//! The rules of a custom resource, if an evaluator is built in.

use serde_json::Value;

use crate::field_error::FieldError;

/// The compiled rules of a schema.
#[derive(Debug, Default)]
pub struct CelRules {
    #[cfg(feature = "cel")]
    root: Option<super::node::RuleNode>,
}

impl CelRules {
    /// Compiles the rules; a schema without any costs nothing later.
    #[cfg(feature = "cel")]
    pub fn compile(schema: &Value) -> CelRules {
        CelRules { root: super::node::RuleNode::compile(schema) }
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
        let check = |root| super::walk::check(root, object, old, super::walk::Ratcheting::On, "");
        self.root.as_ref().map(check).unwrap_or_default()
    }

    /// Without an evaluator rules are not enforced.
    #[cfg(not(feature = "cel"))]
    pub fn check(&self, _: &Value, _: Option<&Value>) -> Vec<FieldError> {
        Vec::new()
    }
}

/// The rules of a schema that its default breaks, as a value that is kept and as one that is new.
#[cfg(feature = "cel")]
pub(crate) fn default_errors(schema: &Value, default: &Value, place: &str) -> Vec<FieldError> {
    use super::walk::{Ratcheting, check};
    let Some(node) = super::node::RuleNode::of(schema, super::compile::SchemaLevel::Below) else {
        return Vec::new();
    };
    let kept = check(&node, default, Some(default), Ratcheting::Off, place);
    if kept.is_empty() { check(&node, default, None, Ratcheting::Off, place) } else { kept }
}

/// Without an evaluator rules are not enforced.
#[cfg(not(feature = "cel"))]
pub(crate) fn default_errors(_: &Value, _: &Value, _: &str) -> Vec<FieldError> {
    Vec::new()
}
