//! The rules of a schema, in its shape.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    super::structural::Structural,
    compile::{RuleScope, SchemaLevel, text},
    declaration::with_metadata,
    rule::Rule,
};

/// The rules of a place in the schema, and of the places below it that have some.
#[derive(Debug)]
pub(crate) struct RuleNode {
    /// The rules; those that do not compile with the reason.
    pub(super) rules: Vec<Result<Rule, String>>,
    pub(super) properties: BTreeMap<String, RuleNode>,
    pub(super) additional: Option<Box<RuleNode>>,
    pub(super) items: Option<Box<RuleNode>>,
    /// The type of the place.
    pub(super) schema: Structural,
}

impl RuleNode {
    /// Compiles the rules of a custom resource; none if there are none.
    pub(crate) fn compile(schema: &Value) -> Option<RuleNode> {
        RuleNode::of(schema, SchemaLevel::Root)
    }

    /// Compiles the rules of a schema and of those below it; none if there are none.
    pub(super) fn of(schema: &Value, level: SchemaLevel) -> Option<RuleNode> {
        if !has_rules(schema) {
            return None;
        }
        let rules = schema.get("x-kubernetes-validations").and_then(Value::as_array);
        let rules = rules.map(Vec::as_slice).unwrap_or_default();
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let below = |schema: &Value| RuleNode::of(schema, SchemaLevel::Below);
        let child = |keyword: &str| schema.get(keyword).and_then(below).map(Box::new);
        let compiled = Structural::compile(schema).ok()?;
        let is_whole = compiled.embedded || level == SchemaLevel::Root;
        // Only schemas with rules of their own need a scope.
        let scope = if rules.is_empty() { None } else { RuleScope::of(&compiled, level) };
        let compile = |scope: RuleScope| -> Vec<Result<Rule, String>> {
            // A rule without an expression says nothing; definitions are refused for it elsewhere.
            let written = rules.iter().filter(|rule| !text(rule, "rule").trim().is_empty());
            written.map(|rule| Rule::compile(rule, schema, &scope)).collect()
        };
        Some(RuleNode {
            rules: scope.map(compile).unwrap_or_default(),
            properties: properties
                .filter_map(|(name, schema)| Some((name.clone(), below(schema)?)))
                .collect(),
            additional: child("additionalProperties"),
            items: child("items"),
            schema: if is_whole { with_metadata(compiled) } else { compiled },
        })
    }
}

fn has_rules(schema: &Value) -> bool {
    let Some(map) = schema.as_object() else { return false };
    map.get("x-kubernetes-validations").and_then(Value::as_array).is_some_and(|rules| !rules.is_empty())
        || ["items", "additionalProperties"].iter().any(|keyword| map.get(*keyword).is_some_and(has_rules))
        || map.get("properties").and_then(Value::as_object).is_some_and(|all| all.values().any(has_rules))
}
