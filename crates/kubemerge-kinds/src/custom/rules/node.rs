//! The rules of a schema, in its shape.

use std::collections::BTreeMap;

use kubemerge_cel::CelError;
use kubemerge_schema::{Additional, ValueType, ValueTypeId};

use super::{
    compile::{RuleScope, text},
    rule::Rule,
};

/// The rules of a place in the schema, and of the places below it that have some.
#[derive(Debug)]
pub(crate) struct RuleNode {
    /// The rules; those that do not compile with the reason.
    pub(super) rules: Vec<Result<Rule, CelError>>,
    pub(super) properties: BTreeMap<String, RuleNode>,
    pub(super) additional: Option<Box<RuleNode>>,
    pub(super) items: Option<Box<RuleNode>>,
    /// The type of the place.
    pub(super) schema: ValueTypeId,
}

impl RuleNode {
    /// Compiles the rules of a schema and of those below it; none if there are none.
    pub(crate) fn of(schema: ValueType<'_>) -> Option<RuleNode> {
        let below = |(name, schema): (&str, _)| Some((name.to_owned(), RuleNode::of(schema)?));
        let properties: BTreeMap<String, RuleNode> = schema.properties().filter_map(below).collect();
        let boxed = |schema| RuleNode::of(schema).map(Box::new);
        let additional = match schema.additional() {
            Additional::Schema(values) => boxed(values),
            Additional::Unset | Additional::Allowed | Additional::Refused => None,
        };
        let items = schema.items().and_then(boxed);
        let rules = schema.rules();
        if rules.is_empty() && properties.is_empty() && additional.is_none() && items.is_none() {
            return None;
        }
        // Only schemas with rules of their own need a scope.
        let scope = if rules.is_empty() { None } else { RuleScope::of(schema) };
        let compile = |scope: RuleScope| -> Vec<Result<Rule, CelError>> {
            // A rule without an expression says nothing; definitions are refused for it elsewhere.
            let written = rules.iter().filter(|rule| !text(rule, "rule").trim().is_empty());
            written.map(|rule| Rule::compile(rule, schema, &scope)).collect()
        };
        let rules = scope.map(compile).unwrap_or_default();
        Some(RuleNode { rules, properties, additional, items, schema: schema.id() })
    }
}
