//! What a property says about its value together with the type it refers to.

use super::{MapType, Model, Node, UNTYPED};

/// `x-kubernetes-map-type` of the property, else of the type it refers to.
pub(crate) fn is_atomic(model: &Model, node: &Node) -> bool {
    match node.map_type {
        MapType::Atomic => true,
        MapType::Granular => false,
        // What a property says wins over what its type says.
        MapType::Unset => target(model, node).map_type == MapType::Atomic,
    }
}

/// The node that describes the value: the node itself, or the end of its references.
pub(crate) fn target<'m>(model: &'m Model, node: &'m Node) -> &'m Node {
    match model.definitions.get(node.refers_to as usize) {
        Some(definition) => model.node(model.resolve(definition.node)),
        None => node,
    }
}

/// The schema of the items of a list, as the property gives it.
pub(crate) fn item_of<'m>(model: &'m Model, node: &'m Node) -> Option<&'m Node> {
    let list = target(model, node);
    (list.items != UNTYPED).then(|| model.node(list.items))
}
