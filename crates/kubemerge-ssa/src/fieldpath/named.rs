//! Makes declared fields on the way to a path members of a set.
//!
//! An applier does not own a declared field that is only a container on the way to something it sets.
//! Pruning must treat such containers as owned.

use kubemerge_schema::{MapForm, TypeRef};
use kubemerge_value::deep;

use super::set::{SetNode, SetView};
use super::{Element, FieldSet};

/// The set with every declared field on the way to a path added. Map entries and list items are not.
pub fn with_named_fields<'a>(set: &FieldSet<'a>, ty: TypeRef<'_>) -> FieldSet<'a> {
    let mut nodes = Vec::with_capacity(set.nodes.len());
    add_named(set.view(), Some(ty), &mut nodes);
    FieldSet { nodes }
}

fn add_named<'a>(view: SetView<'_, 'a>, ty: Option<TypeRef<'_>>, out: &mut Vec<SetNode<'a>>) {
    let map = ty.and_then(TypeRef::map);
    for child in view.children() {
        let declared = declared_field(map, child.element);
        // Upstream: owning something inside a declared field counts as owning the field when fields are
        // removed.
        let is_member = child.is_member || (declared.is_some() && !child.below.is_empty());
        let size = child.below.nodes.len() as u32 + 1;
        out.push(SetNode { element: child.element, size, is_member });
        if !child.below.is_empty() {
            let below = declared.or_else(|| element_type(ty, child.element));
            deep(|| add_named(child.below, below, out));
        }
    }
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
