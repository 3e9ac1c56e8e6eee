//! The rules of a custom resource, if an evaluator is built in.

#[cfg(not(feature = "cel"))]
use kubemerge_schema::Additional;
use kubemerge_schema::ValueType;

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
    pub fn compile(schema: ValueType<'_>) -> CelRules {
        CelRules { root: super::node::RuleNode::of(schema) }
    }

    /// Without an evaluator, only whether there are any.
    #[cfg(not(feature = "cel"))]
    pub fn compile(schema: ValueType<'_>) -> CelRules {
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

    /// The rules that an object breaks; `schema` is the type that they were compiled from.
    #[cfg(feature = "cel")]
    pub fn check(&self, schema: ValueType<'_>, object: &Map<'_>, old: Option<&Map<'_>>) -> Vec<FieldError> {
        let (object, old) = (object.into(), old.map(Into::into));
        let check = |root| super::walk::check(root, schema, object, old, super::walk::Ratcheting::On, "");
        self.root.as_ref().map(check).unwrap_or_default()
    }

    /// Without an evaluator no object with rules can be stored: it might break them.
    #[cfg(not(feature = "cel"))]
    pub fn check(&self, _: ValueType<'_>, _: &Map<'_>, _: Option<&Map<'_>>) -> Vec<FieldError> {
        if self.is_empty() { Vec::new() } else { vec![FieldError::forbidden("<nil>", NO_EVALUATOR)] }
    }
}

/// The rules of a schema that its default breaks, as a value that is kept and as one that is new.
#[cfg(feature = "cel")]
pub(crate) fn default_errors(schema: ValueType<'_>, default: &Value<'_>, place: &str) -> Vec<FieldError> {
    use super::walk::{Ratcheting, check};
    let Some(node) = super::node::RuleNode::of(schema) else { return Vec::new() };
    let default = default.into();
    let kept = check(&node, schema, default, Some(default), Ratcheting::Off, place);
    if kept.is_empty() { check(&node, schema, default, None, Ratcheting::Off, place) } else { kept }
}

/// Without an evaluator defaults are not checked.
#[cfg(not(feature = "cel"))]
pub(crate) fn default_errors(_: ValueType<'_>, _: &Value<'_>, _: &str) -> Vec<FieldError> {
    Vec::new()
}

#[cfg(not(feature = "cel"))]
fn has_rules(schema: ValueType<'_>) -> bool {
    let additional = match schema.additional() {
        Additional::Schema(values) => Some(values),
        Additional::Unset | Additional::Allowed | Additional::Refused => None,
    };
    let below = schema.properties().map(|(_, schema)| schema).chain(schema.items()).chain(additional);
    !schema.rules().is_empty() || below.into_iter().any(has_rules)
}

#[cfg(all(test, not(feature = "cel")))]
mod tests {
    use kubemerge_schema::DeclaredType;
    use serde_json::json;

    use super::{CelRules, Map};
    use crate::tree::Arena;

    #[test]
    fn an_object_with_rules_is_refused_without_an_evaluator() {
        let rules = json!([{"rule": "self.a == 1"}]);
        let schema = json!({"properties": {"spec": {"type": "object", "x-kubernetes-validations": rules}}});
        let schema = DeclaredType::of_schema(&schema).unwrap();
        let schema = schema.values();
        let errors = CelRules::compile(schema).check(schema, &Map::new_in(&Arena::new()), None);
        assert!(errors[0].detail.contains("enable the feature `cel` of kubemerge-server"), "{errors:?}");
        let schema = DeclaredType::of_schema(&json!({"type": "object"})).unwrap();
        assert!(CelRules::compile(schema.values()).is_empty());
    }
}
