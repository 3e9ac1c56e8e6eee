//! Look-ups as the `spec` dialect does them, whatever the schema came from.

use super::found::{Asked, FoundField, unknown_field};
use crate::error::LookupError;
use crate::model::{Flags, Model, Node, NodeId, Shape, UNTYPED};
use crate::schema::Type;

pub(super) fn find(ty: Type<'_>, name: &str, asked: Asked) -> Result<FoundField, LookupError> {
    let model = ty.model();
    let parent = model.node(model.resolve(ty.node));
    let property = match model.find_field(parent, name) {
        Some(index) => model.field(index).node,
        // Maps with any keys: labels, limits, data.
        None if parent.additional != UNTYPED => parent.additional,
        // Unknown fields are kept, and merge without rules.
        None if is_open(parent) => return Ok(FoundField::UNTYPED),
        None => return Err(unknown_field(format!("unable to find api field \"{name}\""))),
    };
    let value = match asked {
        Asked::Map => value_of(model, property),
        Asked::List => item_of(model, property),
    };
    Ok(FoundField { property, value })
}

/// Whether undeclared fields are welcome: nothing is known about them then.
fn is_open(parent: &Node) -> bool {
    let flags = parent.flags;
    let schemaless = matches!(parent.shape, Shape::Any | Shape::Object)
        && !flags.has(Flags::HAS_PROPERTIES)
        && !flags.has(Flags::ADDITIONAL_NONE);
    flags.has(Flags::PRESERVE_UNKNOWN) || flags.has(Flags::ADDITIONAL_ANY) || schemaless
}

/// A field without any description is untyped.
fn value_of(model: &Model, property: NodeId) -> NodeId {
    let node = model.node(model.resolve(property));
    let described =
        node.shape != Shape::Any || node.flags.has(Flags::HAS_PROPERTIES) || node.additional != UNTYPED;
    // A value of any type merges as untyped, not as an empty object.
    if described { property } else { UNTYPED }
}

fn item_of(model: &Model, property: NodeId) -> NodeId {
    match model.node(model.resolve(property)).items {
        UNTYPED => UNTYPED,
        item => value_of(model, item),
    }
}
