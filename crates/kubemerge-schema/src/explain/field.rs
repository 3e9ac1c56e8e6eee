//! Explains one field: what it is, how it merges, and why.

use super::explanation::{FieldExplanation, Merge};
use super::reasons::{UnionRule, because, of_unions};
use crate::compile::{Dialect, MapStrategy, MergeKey, Rule};
use crate::model::field_path::{self, NoSuchField};
use crate::model::{Flags, Model, NodeId, Required, Shape, UNTYPED, item_of, target};
use crate::schema::{Schema, Type};

/// Why a field cannot be explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainError {
    message: String,
}

impl std::fmt::Display for ExplainError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ExplainError {}

impl From<NoSuchField> for ExplainError {
    fn from(missing: NoSuchField) -> ExplainError {
        ExplainError { message: missing.to_string() }
    }
}

impl<'s> Type<'s> {
    /// Explains the field at a path such as `spec.ports`; an empty path means the root.
    ///
    /// Lists on the way are stepped through silently.
    pub fn explain(self, path: &str) -> Result<FieldExplanation<'s>, ExplainError> {
        if self.is_untyped() {
            return Err(ExplainError { message: "nothing is known about an untyped value".to_owned() });
        }
        let model = self.model();
        let Some(place) = field_path::follow(model, self.node, path)? else {
            return Ok(explain(self.schema, UNTYPED, "", self.node));
        };
        Ok(explain(self.schema, place.parent, place.name, place.property))
    }
}

/// Explains a property of a parent; a root has no parent.
pub(crate) fn explain<'s>(
    schema: &'s Schema,
    parent: NodeId,
    field: &str,
    property: NodeId,
) -> FieldExplanation<'s> {
    let model = schema.model();
    let rule = schema.rules().of(property);
    let is_root = parent == UNTYPED;
    let ty = Type { schema, node: property };
    let root_clears = || schema.dialect() == Dialect::Spec && !ty.unions().is_empty();
    let has_unions = if is_root { root_clears() } else { rule.unions };
    // No rule of a property applies to the root, even if the definition carries one.
    let merge = if is_root { Merge::Map(MapStrategy::Merge) } else { merge(schema, property, rule) };
    let reasons = if is_root {
        vec!["the root of an object always merges".to_owned()]
    } else {
        because(schema, property, &merge)
    };
    FieldExplanation {
        dialect: schema.dialect(),
        definition: (!is_root).then(|| model.owner_name(model.node(parent))).filter(|name| !name.is_empty()),
        field: field.to_owned(),
        ty,
        value: value_words(model, property),
        retain_keys: rule.retain_keys && !is_root,
        // Of a value that is replaced nothing is left to clear.
        clears_unions: has_unions && merge.is_by_parts(),
        because: reasons.into_iter().chain(of_unions(ty, UnionRule::of(schema, has_unions))).collect(),
        merge,
    }
}

fn merge(schema: &Schema, property: NodeId, rule: Rule) -> Merge<'_> {
    let model = schema.model();
    let node = model.node(model.resolve(property));
    match node.shape {
        _ if rule.invalid => Merge::Invalid,
        Shape::List => Merge::List {
            strategy: schema.rules().list_strategy(rule),
            items: rule.items,
            optional: optional_keys(schema, property, rule),
        },
        Shape::Object => Merge::Map(rule.map),
        // Older documents leave out `type: object`.
        Shape::Any if node.flags.has(Flags::HAS_PROPERTIES) => Merge::Map(rule.map),
        // Int-or-string has no type either, but is always a scalar.
        Shape::Any if !(Type { schema, node: property }).is_int_or_string() => Merge::Untyped,
        _ => Merge::Scalar,
    }
}

/// Published documents give required fields a default too, which never comes into play.
fn optional_keys(schema: &Schema, property: NodeId, rule: Rule) -> Vec<&MergeKey> {
    let model = schema.model();
    let item = item_of(model, model.node(property)).map(|item| target(model, item));
    let is_optional = |key: &&MergeKey| {
        let field = item.and_then(|item| model.find_field(item, &key.name));
        field.is_some_and(|field| model.field(field).required == Required::No)
    };
    schema.rules().keys_of(rule).iter().filter(is_optional).collect()
}

/// What a value is: a definition, a list or a map of something, or a scalar.
fn value_words(model: &Model, id: NodeId) -> String {
    let node = model.node(id);
    if let Some(definition) = model.definitions.get(node.refers_to as usize) {
        return model.text(definition.name).to_owned();
    }
    match node.shape {
        Shape::List if node.items != UNTYPED => format!("list of {}", value_words(model, node.items)),
        Shape::List => "list".to_owned(),
        Shape::Object if node.additional != UNTYPED => {
            format!("map of {}", value_words(model, node.additional))
        }
        Shape::Object => "map".to_owned(),
        _ if node.flags.has(Flags::INT_OR_STRING) => "integer or string".to_owned(),
        Shape::Any => "anything".to_owned(),
        shape if node.format.is_given() => format!("{} ({})", shape.word(), model.text(node.format)),
        shape => shape.word().to_owned(),
    }
}
