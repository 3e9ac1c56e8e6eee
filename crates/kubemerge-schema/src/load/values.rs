//! Reads what a schema says about values: defaults, limits, alternatives and rules.

use serde_json::{Map, Value};

use super::reader::{AllOf, SchemaReader, shape_of};
use crate::document::DocumentPath;
use crate::error::LoadError;
use crate::model::{NodeId, UNTYPED, ValueChecks, ValueFacts};

/// Words beside `allOf` with one reference that make it more than a reference.
const DESCRIBING: [&str; 4] = ["type", "properties", "items", "additionalProperties"];

impl SchemaReader<'_> {
    /// Reads what a schema says about values; returns its place.
    pub(super) fn value_facts(
        &mut self,
        map: &Map<String, Value>,
        place: DocumentPath<'_>,
    ) -> Result<u32, LoadError> {
        // Words beside a reference have no effect.
        if map.contains_key("$ref") {
            return Ok(UNTYPED);
        }
        let mut checks = checks_of(map);
        let pattern = map.get("pattern").and_then(Value::as_str).filter(|pattern| !pattern.is_empty());
        checks.pattern = pattern.map(|pattern| self.model.patterns.shared(pattern));
        let mut stands_for = UNTYPED;
        match only_reference(map) {
            // The node refers to the type itself.
            Some(_) if self.syntax.all_of == AllOf::Describes => {}
            Some(reference) => stands_for = self.schema(reference, place.keyword("allOf[0]"))?,
            None => checks.all_of = self.alternatives(map, "allOf", place)?,
        }
        checks.any_of = self.alternatives(map, "anyOf", place)?;
        checks.one_of = self.alternatives(map, "oneOf", place)?;
        if let Some(not) = map.get("not").filter(|not| not.is_object()) {
            checks.not = Some(self.schema(not, place.keyword("not"))?);
        }
        let rules = map.get("x-kubernetes-validations").and_then(Value::as_array);
        let facts = ValueFacts {
            default: map.get("default").filter(|default| !default.is_null()).cloned(),
            checks: (checks != ValueChecks::default()).then(|| Box::new(checks)),
            rules: rules.map(|rules| rules.as_slice().into()).unwrap_or_default(),
            stands_for,
            ..ValueFacts::default()
        };
        Ok(self.model.add_value_facts(facts))
    }

    fn alternatives(
        &mut self,
        map: &Map<String, Value>,
        keyword: &str,
        place: DocumentPath<'_>,
    ) -> Result<Vec<NodeId>, LoadError> {
        let listed = map.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate();
        let place = place.keyword(keyword);
        listed.map(|(at, schema)| self.schema(schema, place.index(at))).collect()
    }
}

fn checks_of(map: &Map<String, Value>) -> ValueChecks {
    let number = |keyword: &str| map.get(keyword).and_then(Value::as_f64);
    let count = |keyword: &str| map.get(keyword).and_then(Value::as_i64);
    let flag = |keyword: &str| map.get(keyword).and_then(Value::as_bool).unwrap_or(false);
    let required = map.get("required").and_then(Value::as_array).into_iter().flatten();
    let type_name = map.get("type").and_then(Value::as_str).filter(|name| !name.is_empty());
    ValueChecks {
        unknown_type: type_name.filter(|name| shape_of(name).is_none()).map(Box::from),
        required: required.filter_map(Value::as_str).map(Box::from).collect(),
        options: map.get("enum").and_then(Value::as_array).cloned(),
        minimum: number("minimum"),
        maximum: number("maximum"),
        exclusive_minimum: flag("exclusiveMinimum"),
        exclusive_maximum: flag("exclusiveMaximum"),
        multiple_of: number("multipleOf"),
        min_length: count("minLength"),
        max_length: count("maxLength"),
        min_items: count("minItems"),
        max_items: count("maxItems"),
        min_properties: count("minProperties"),
        max_properties: count("maxProperties"),
        ..ValueChecks::default()
    }
}

/// The reference of a schema that is nothing else: `allOf` with one item, since words beside `$ref` have no effect.
fn only_reference(map: &Map<String, Value>) -> Option<&Value> {
    let [only] = map.get("allOf")?.as_array()?.as_slice() else { return None };
    let is_reference = only.get("$ref").is_some() && !DESCRIBING.iter().any(|word| map.contains_key(*word));
    is_reference.then_some(only)
}
