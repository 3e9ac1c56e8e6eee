//! What schemas say about values: defaults, limits, rules. A column of the graph that only some nodes have an entry in.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use serde_json::Value;

use super::{Model, Node, NodeId, Span, UNTYPED};
use crate::pattern::{MAX_COMPILED_BYTES, Matcher, translate};

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

/// A regular expression of Go, compiled when a text is first held against it. Copies share what was compiled.
#[derive(Clone, Debug)]
pub struct Pattern(Arc<SharedPattern>);

#[derive(Debug)]
struct SharedPattern {
    source: Box<str>,
    compiled: OnceLock<Result<Matcher, String>>,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.0.source == other.0.source
    }
}

impl Pattern {
    fn new(source: &str) -> Pattern {
        Pattern(Arc::new(SharedPattern { source: source.into(), compiled: OnceLock::new() }))
    }

    /// Whether a text matches. A pattern that is no regular expression forbids nothing.
    pub fn is_match(&self, text: &str) -> bool {
        let compiled = self.0.compiled.get_or_init(|| Matcher::from_go(&self.0.source));
        compiled.as_ref().map_or(true, |regex| regex.is_match(text))
    }

    /// The pattern as it was written.
    pub fn source(&self) -> &str {
        &self.0.source
    }
}

/// The patterns of all schemas of a model, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patterns(HashMap<Box<str>, Pattern>);

impl Patterns {
    pub(crate) fn shared(&mut self, source: &str) -> Pattern {
        if let Some(known) = self.0.get(source) {
            return known.clone();
        }
        let pattern = Pattern::new(source);
        self.0.insert(source.into(), pattern.clone());
        pattern
    }

    /// Why one of them is no regular expression, or that all of them are too large.
    pub(crate) fn problem(&self) -> Option<String> {
        let mut sources: Vec<&str> = self.0.keys().map(|source| &**source).collect();
        sources.sort_unstable();
        let mut size = 0_usize;
        for source in sources {
            match translate(source) {
                Ok(translation) => size = size.saturating_add(translation.compiled_bytes),
                Err(error) => {
                    return Some(format!("pattern {source:?} is not a regular expression: {error}"));
                }
            }
        }
        (size > MAX_COMPILED_BYTES).then(too_large)
    }
}

/// What is said about patterns that take too much memory.
pub(crate) fn too_large() -> String {
    let most = MAX_COMPILED_BYTES / (1024 * 1024);
    format!("the patterns of a schema must not take more than {most} MiB when they are compiled: repeat less")
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
