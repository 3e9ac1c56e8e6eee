//! Field paths such as `spec.template.spec.containers.ports`: from a root to the field they name.
//!
//! Lists are stepped through silently; `containers[].ports` and `containers[0].ports` say the same.

use super::{Model, NodeId, UNTYPED};
use crate::document::MAX_SCHEMA_DEPTH;

/// A field that a path named.
pub(crate) struct FieldPlace<'p> {
    /// The object that holds the field, after references.
    pub(crate) parent: NodeId,
    /// The node of the field as its parent gives it.
    pub(crate) property: NodeId,
    /// The place of a declared field in the model; none for a field below `additionalProperties`.
    pub(crate) entry: Option<usize>,
    pub(crate) name: &'p str,
}

/// Why a path leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoSuchField {
    /// The part of the path that was understood.
    pub(crate) known: String,
    /// The field that is not there.
    pub(crate) field: String,
    /// The fields that are.
    pub(crate) declared: Vec<String>,
}

impl std::fmt::Display for NoSuchField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = if self.known.is_empty() { "the root" } else { &self.known };
        write!(f, "there is no field {:?} in {place}", self.field)?;
        match self.declared.as_slice() {
            [] => f.write_str(", which declares no fields"),
            fields => write!(f, "; it has {}", fields.join(", ")),
        }
    }
}

/// Follows a path of field names from a node. An empty path names no field.
pub(crate) fn follow<'p>(
    model: &Model,
    root: NodeId,
    path: &'p str,
) -> Result<Option<FieldPlace<'p>>, NoSuchField> {
    let mut found = None;
    let mut node = root;
    let mut known = String::new();
    for step in path.split('.').filter(|step| !step.is_empty()) {
        let name = step.split_once('[').map_or(step, |(name, _)| name);
        let parent = object_or_item(model, node);
        let Some((property, entry)) = field(model, parent, name) else {
            let declared = model.fields(model.node(parent)).iter();
            let declared = declared.map(|field| model.text(field.name).to_owned()).collect();
            return Err(NoSuchField { known, field: name.to_owned(), declared });
        };
        node = property;
        if !known.is_empty() {
            known.push('.');
        }
        known.push_str(name);
        found = Some(FieldPlace { parent, property, entry, name });
    }
    Ok(found)
}

/// The object that a value is, or that the items of a list are.
fn object_or_item(model: &Model, id: NodeId) -> NodeId {
    let mut id = model.resolve(id);
    // Lists of lists are nested no deeper than the loaders allow.
    for _ in 0..MAX_SCHEMA_DEPTH {
        match model.node(id).items {
            UNTYPED => break,
            items => id = model.resolve(items),
        }
    }
    id
}

fn field(model: &Model, parent: NodeId, name: &str) -> Option<(NodeId, Option<usize>)> {
    let node = model.node(parent);
    if let Some(entry) = model.find_field(node, name) {
        return Some((model.field(entry).node, Some(entry)));
    }
    (node.additional != UNTYPED).then_some((node.additional, None))
}
