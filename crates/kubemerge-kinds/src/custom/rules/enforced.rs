//! The rules of a custom resource, if an evaluator is built in.

use serde_json::Value as Json;

use crate::{
    field_error::FieldError,
    tree::{Map, Value},
};

#[cfg(not(feature = "cel"))]
const NO_EVALUATOR: &str = "the definition has rules in x-kubernetes-validations, which this build cannot evaluate: \
                            enable the feature `cel` of kubemerge-server, or turn validation off";

/// The compiled rules of a schema.
#[derive(Debug, Default)]
pub struct CelRules {
    #[cfg(feature = "cel")]
    root: Option<super::node::RuleNode>,
    #[cfg(not(feature = "cel"))]
    has_rules: bool,
}

impl CelRules {
    /// Compiles the rules; a schema without any costs nothing later.
    #[cfg(feature = "cel")]
    pub fn compile(schema: &Json) -> CelRules {
        CelRules { root: super::node::RuleNode::compile(schema) }
    }

    /// Without an evaluator, only whether there are any.
    #[cfg(not(feature = "cel"))]
    pub fn compile(schema: &Json) -> CelRules {
        CelRules { has_rules: has_rules(schema) }
    }

    /// Complaints about an object without the one that there is no evaluator: a verdict that no store depends on leaves
    /// rules out then.
    pub(crate) fn that_were_evaluated(errors: Vec<FieldError>) -> Vec<FieldError> {
        #[cfg(not(feature = "cel"))]
        let errors = errors.into_iter().filter(|error| error.detail != NO_EVALUATOR).collect();
        errors
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        #[cfg(feature = "cel")]
        return self.root.is_none();
        #[cfg(not(feature = "cel"))]
        return !self.has_rules;
    }

    /// The rules that an object breaks.
    #[cfg(feature = "cel")]
    pub fn check(&self, object: &Map<'_>, old: Option<&Map<'_>>) -> Vec<FieldError> {
        let (object, old) = (object.into(), old.map(Into::into));
        let check = |root| super::walk::check(root, object, old, super::walk::Ratcheting::On, "");
        self.root.as_ref().map(check).unwrap_or_default()
    }

    /// Without an evaluator no object with rules can be stored: it might break them.
    #[cfg(not(feature = "cel"))]
    pub fn check(&self, _: &Map<'_>, _: Option<&Map<'_>>) -> Vec<FieldError> {
        if self.is_empty() { Vec::new() } else { vec![FieldError::forbidden("<nil>", NO_EVALUATOR)] }
    }
}

/// The rules of a schema that its default breaks, as a value that is kept and as one that is new.
#[cfg(feature = "cel")]
pub(crate) fn default_errors(schema: &Json, default: &Value<'_>, place: &str) -> Vec<FieldError> {
    use super::walk::{Ratcheting, check};
    let Some(node) = super::node::RuleNode::of(schema, super::compile::SchemaLevel::Below) else {
        return Vec::new();
    };
    let default = default.into();
    let kept = check(&node, default, Some(default), Ratcheting::Off, place);
    if kept.is_empty() { check(&node, default, None, Ratcheting::Off, place) } else { kept }
}

/// Without an evaluator defaults are not checked.
#[cfg(not(feature = "cel"))]
pub(crate) fn default_errors(_: &Json, _: &Value<'_>, _: &str) -> Vec<FieldError> {
    Vec::new()
}

#[cfg(not(feature = "cel"))]
fn has_rules(schema: &Json) -> bool {
    kubemerge_value::deep(|| match schema {
        Json::Object(map) => map.contains_key("x-kubernetes-validations") || map.values().any(has_rules),
        Json::Array(items) => items.iter().any(has_rules),
        _ => false,
    })
}

#[cfg(all(test, not(feature = "cel")))]
mod tests {
    use serde_json::json;

    use super::{CelRules, Map};
    use crate::tree::Arena;

    #[test]
    fn an_object_with_rules_is_refused_without_an_evaluator() {
        let rules = json!([{"rule": "self.a == 1"}]);
        let schema = json!({"properties": {"spec": {"type": "object", "x-kubernetes-validations": rules}}});
        let errors = CelRules::compile(&schema).check(&Map::new_in(&Arena::new()), None);
        assert!(errors[0].detail.contains("enable the feature `cel` of kubemerge-server"), "{errors:?}");
        assert!(CelRules::compile(&json!({"type": "object"})).is_empty());
    }
}
