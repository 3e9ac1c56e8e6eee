//! The rules of a schema, in its shape.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    super::structural::{Additional, Structural},
    rule::Rule,
};

/// The rules of a place in the schema, and of the places below it that have some.
#[derive(Debug)]
pub(crate) struct RuleNode {
    pub(super) rules: Vec<Rule>,
    pub(super) properties: BTreeMap<String, RuleNode>,
    pub(super) additional: Option<Box<RuleNode>>,
    pub(super) items: Option<Box<RuleNode>>,
    /// The type of the place.
    pub(super) schema: Structural,
}

impl RuleNode {
    /// Compiles the rules of a custom resource; none if there are none.
    pub(crate) fn compile(schema: &Value) -> Option<RuleNode> {
        if !has_rules(schema) {
            return None;
        }
        let mut node = RuleNode::of(schema)?;
        node.schema = with_metadata(node.schema);
        Some(node)
    }

    fn of(schema: &Value) -> Option<RuleNode> {
        if !has_rules(schema) {
            return None;
        }
        let rules = schema.get("x-kubernetes-validations").and_then(Value::as_array).into_iter().flatten();
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let child = |keyword: &str| schema.get(keyword).and_then(RuleNode::of).map(Box::new);
        let compiled = Structural::compile(schema).ok()?;
        Some(RuleNode {
            rules: rules.filter_map(|rule| Rule::compile(rule, schema)).collect(),
            properties: properties
                .filter_map(|(name, schema)| Some((name.clone(), RuleNode::of(schema)?)))
                .collect(),
            additional: child("additionalProperties"),
            items: child("items"),
            schema: if compiled.embedded { with_metadata(compiled) } else { compiled },
        })
    }
}

/// Rules of whole objects see their type and, of their metadata, the names.
pub(crate) fn with_metadata(mut schema: Structural) -> Structural {
    let string = || Structural { types: vec!["string".to_string()], ..Structural::default() };
    let names = ["name", "generateName"].map(|name| (name.to_string(), string()));
    let metadata = Structural {
        types: vec!["object".to_string()],
        properties: names.into(),
        additional: Additional::Unset,
        ..Structural::default()
    };
    schema.properties.insert("apiVersion".to_string(), string());
    schema.properties.insert("kind".to_string(), string());
    schema.properties.insert("metadata".to_string(), metadata);
    schema
}

fn has_rules(schema: &Value) -> bool {
    let Some(map) = schema.as_object() else { return false };
    map.get("x-kubernetes-validations").and_then(Value::as_array).is_some_and(|rules| !rules.is_empty())
        || ["items", "additionalProperties"].iter().any(|keyword| map.get(*keyword).is_some_and(has_rules))
        || map.get("properties").and_then(Value::as_object).is_some_and(|all| all.values().any(has_rules))
}
