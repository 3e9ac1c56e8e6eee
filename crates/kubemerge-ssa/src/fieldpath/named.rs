//! Makes declared fields on the way to a path members of a set.
//!
//! An applier does not own a declared field that is only a container on the way to something it sets.
//! Pruning must treat such containers as owned.

use kubemerge_schema::{MapForm, TypeRef};
use kubemerge_value::deep;

use super::algebra::Rewritten;
use super::node::NodeContent;
use super::{Element, FieldSet};
use crate::value::Arena;

/// The set with every declared field on the way to a path added. Map entries and list items are not.
pub fn with_named_fields<'a>(set: &FieldSet<'a>, ty: TypeRef<'_>, arena: &'a Arena) -> FieldSet<'a> {
    with_named(*set, Some(ty), arena)
}

fn with_named<'a>(set: FieldSet<'a>, ty: Option<TypeRef<'_>>, arena: &'a Arena) -> FieldSet<'a> {
    let map = ty.and_then(TypeRef::map);
    let mut named = Rewritten::new(set, set.nodes.len(), arena);
    for (place, node) in set.nodes.iter().enumerate() {
        let declared = declared_field(map, node.element);
        // Upstream: owning something inside a declared field counts as owning the field when fields are
        // removed.
        let is_member = node.is_member || (declared.is_some() && !node.below.is_empty());
        let below = if node.below.is_empty() {
            FieldSet::EMPTY
        } else {
            let ty = declared.or_else(|| element_type(ty, node.element));
            deep(|| with_named(node.below, ty, arena))
        };
        named.put(place, NodeContent { is_member, below });
    }
    named.finish()
}

fn declared_field<'t>(map: Option<MapForm<'t>>, element: Element<'_>) -> Option<TypeRef<'t>> {
    match element {
        Element::Name(name) => map?.field(name),
        _ => None,
    }
}

/// The type of an undeclared entry or of a keyed item.
fn element_type<'t>(ty: Option<TypeRef<'t>>, element: Element<'_>) -> Option<TypeRef<'t>> {
    match element {
        Element::Name(_) => ty?.map()?.element,
        Element::Key(_) => ty?.list().map(|list| list.element),
        // Scalars and items of atomic lists have nothing below.
        Element::Value(_) | Element::Index(_) => None,
    }
}
