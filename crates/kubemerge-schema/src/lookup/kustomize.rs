//! Look-ups as kustomize does them: they never fail, and a reference is its target.

use super::found::{Asked, FoundField};
use crate::model::{Model, NodeId, Shape, UNTYPED};
use crate::schema::Type;

pub(super) fn find(ty: Type<'_>, name: &str, asked: Asked) -> FoundField {
    let model = ty.model();
    let parent = model.node(model.resolve(ty.node));
    let property = match model.find_field(parent, name) {
        Some(index) => model.field(index).node,
        None if parent.additional != UNTYPED => parent.additional,
        None => return FoundField::UNTYPED,
    };
    // Metadata beside a reference is lost: the rule is that of the target.
    let property = model.resolve(property);
    let value = match asked {
        Asked::Map => property,
        Asked::List => item_of(model, property),
    };
    FoundField { property, value }
}

fn item_of(model: &Model, list: NodeId) -> NodeId {
    let node = model.node(list);
    if node.shape == Shape::List { node.items } else { UNTYPED }
}
