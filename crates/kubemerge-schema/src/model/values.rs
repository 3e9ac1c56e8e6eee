//! What schemas say about values: defaults, limits, rules. A column of the graph that only some nodes have an entry in.

use std::sync::OnceLock;

use serde_json::Value;

use super::{Model, Node, NodeId, Span, UNTYPED};
use crate::pattern::Matcher;

/// What a schema says about values beyond their shape.
#[derive(Clone, Debug)]
pub(crate) struct ValueFacts {
    /// A default of null is none: Go cannot tell them apart.
    pub(crate) default: Option<Value>,
    pub(crate) checks: Option<Box<ValueChecks>>,
    /// `x-kubernetes-validations`.
    pub(crate) rules: Box<[Value]>,
    /// The fields of a whole object as they were written, without those that are implied.
    pub(crate) written: Option<Span>,
    /// The fields of a whole object that its rules see.
    pub(crate) in_rules: Option<Span>,
    /// The schema in whose place this one is: `allOf` with nothing but a reference to it.
    pub(crate) stands_for: NodeId,
}

impl Default for ValueFacts {
    fn default() -> ValueFacts {
        ValueFacts {
            default: None,
            checks: None,
            rules: Box::default(),
            written: None,
            in_rules: None,
            stands_for: UNTYPED,
        }
    }
}

impl ValueFacts {
    /// Whether a schema says nothing of the kind.
    pub(crate) fn is_empty(&self) -> bool {
        self.default.is_none()
            && self.checks.is_none()
            && self.rules.is_empty()
            && self.written.is_none()
            && self.stands_for == UNTYPED
    }
}

/// What values must satisfy beyond their type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueChecks {
    pub(crate) required: Vec<Box<str>>,
    /// A `type` that names none, so that no value is of it.
    pub unknown_type: Option<Box<str>>,
    /// `enum`: the values that are allowed.
    pub options: Option<Vec<Value>>,
    /// `pattern`
    pub pattern: Option<Pattern>,
    /// `minimum`
    pub minimum: Option<f64>,
    /// `maximum`
    pub maximum: Option<f64>,
    /// `exclusiveMinimum`
    pub exclusive_minimum: bool,
    /// `exclusiveMaximum`
    pub exclusive_maximum: bool,
    /// `multipleOf`
    pub multiple_of: Option<f64>,
    /// `minLength`
    pub min_length: Option<i64>,
    /// `maxLength`
    pub max_length: Option<i64>,
    /// `minItems`
    pub min_items: Option<i64>,
    /// `maxItems`
    pub max_items: Option<i64>,
    /// `minProperties`
    pub min_properties: Option<i64>,
    /// `maxProperties`
    pub max_properties: Option<i64>,
    pub(crate) all_of: Vec<NodeId>,
    pub(crate) any_of: Vec<NodeId>,
    pub(crate) one_of: Vec<NodeId>,
    pub(crate) not: Option<NodeId>,
}

impl ValueChecks {
    /// The checks of a schema that has none.
    pub(crate) const NONE: &'static ValueChecks = &ValueChecks {
        required: Vec::new(),
        unknown_type: None,
        options: None,
        pattern: None,
        minimum: None,
        maximum: None,
        exclusive_minimum: false,
        exclusive_maximum: false,
        multiple_of: None,
        min_length: None,
        max_length: None,
        min_items: None,
        max_items: None,
        min_properties: None,
        max_properties: None,
        all_of: Vec::new(),
        any_of: Vec::new(),
        one_of: Vec::new(),
        not: None,
    };
}

/// A regular expression of Go, compiled when a text is first held against it.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: Box<str>,
    compiled: OnceLock<Result<Matcher, String>>,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.source == other.source
    }
}

impl Pattern {
    pub(crate) fn new(source: &str) -> Pattern {
        Pattern { source: source.into(), compiled: OnceLock::new() }
    }

    /// Whether a text matches. A pattern that is no regular expression forbids nothing.
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled().as_ref().map_or(true, |regex| regex.is_match(text))
    }

    /// The pattern as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Why it is no regular expression, if it is none.
    pub(crate) fn problem(&self) -> Option<String> {
        let error = self.compiled().as_ref().err()?;
        Some(format!("pattern {:?} is not a regular expression: {error}", self.source))
    }

    fn compiled(&self) -> &Result<Matcher, String> {
        self.compiled.get_or_init(|| Matcher::from_go(&self.source))
    }
}

impl Model {
    /// What a node says about values, if it says anything.
    pub(crate) fn value_facts(&self, node: &Node) -> Option<&ValueFacts> {
        self.values.get(node.values as usize)
    }

    /// The place of what is said about the values of a node; [`UNTYPED`] if that is nothing.
    pub(crate) fn add_value_facts(&mut self, facts: ValueFacts) -> u32 {
        if facts.is_empty() {
            return UNTYPED;
        }
        self.values.push(facts);
        self.values.len() as u32 - 1
    }
}
