//! Look-ups as clients do them in OpenAPI v3 documents.

use super::found::{Asked, FoundField, unknown_field, unsupported};
use crate::error::LookupError;
use crate::model::{Flags, Model, Node, NodeId, Shape, UNTYPED};
use crate::schema::Type;

pub(super) fn find(ty: Type<'_>, name: &str, asked: Asked) -> Result<FoundField, LookupError> {
    let model = ty.model();
    let schema = described(model, ty.node);
    let index = model.find_field(schema, name);
    let Some(index) = index else {
        return Err(unknown_field(format!("unable to find api field \"{name}\"")));
    };
    let property = model.field(index).node;
    match asked {
        Asked::Map => Ok(FoundField { property, value: property }),
        Asked::List => Ok(FoundField { property, value: item(model, property)? }),
    }
}

/// Upstream: a reference is followed once; what it leads to is not followed again.
fn described(model: &Model, id: NodeId) -> &Node {
    let node = model.node(id);
    let target = model.definitions.get(node.refers_to as usize);
    target.map_or(node, |definition| model.node(definition.node))
}

/// The items, or the schema itself where it has none.
fn item(model: &Model, property: NodeId) -> Result<NodeId, LookupError> {
    let node = model.node(property);
    if node.flags.has(Flags::TUPLE) {
        // A list of item schemas: upstream knows one schema for all items only.
        return Err(unsupported());
    }
    // Upstream: without items the property itself is taken as the type of its items.
    Ok(if node.items == UNTYPED || node.refers_to != UNTYPED { property } else { node.items })
}

/// What messages call the type.
pub(super) fn name(model: &Model, id: NodeId) -> &'static str {
    match described(model, id).shape {
        Shape::Any => "Struct",
        shape => shape.word(),
    }
}
