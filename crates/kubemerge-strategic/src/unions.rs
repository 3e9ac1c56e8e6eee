//! Unions in patches of dialect `spec`: what a patch clears besides what it says.
//!
//! The rules are those of the schema ([`kubemerge_schema::UnionState`]); this file asks them about patch maps. A
//! member that the patch excludes becomes a field that the patch removes, so that readers of a patch map (apply,
//! composition, conflicts) need to know nothing else.

use crate::{
    directive::{FieldPatch, MapPatch, PatchWord},
    error::{MergeError, MergeErrorKind},
    patch_map::PatchMap,
};
use kubemerge_schema::{FieldUnion, UnionFault, UnionState, UnionValue, Unions};
use kubemerge_value::{Arena, Node, Path};

/// A patch map with the members of unions that it excludes as removed fields.
pub(crate) fn patch_with_unions<'a>(
    node: Node<'a>,
    unions: Unions<'_>,
    path: &Path<'_>,
    arena: &'a Arena,
) -> Result<MapPatch<'a>, MergeError> {
    let mut patch = MapPatch::parse(node, arena);
    // Of a map that is deleted nothing else is looked at.
    if patch.patch.map(PatchWord::of) != Some(PatchWord::Delete) {
        for union in unions.iter() {
            let excluded = said(union, &patch).cleared_by_patch().map_err(|fault| invalid(&fault, path))?;
            patch.exclude(&excluded.fields().collect::<Vec<&str>>(), arena);
        }
    }
    Ok(patch)
}

/// The members of a union that a patch map clears; none if the patch is at fault.
pub(crate) fn excluded_fields<'s>(node: Node<'_>, union: FieldUnion<'s>, arena: &Arena) -> Vec<&'s str> {
    let patch = MapPatch::parse(node, arena);
    said(union, &patch).cleared_by_patch().map_or(Vec::new(), |excluded| excluded.fields().collect())
}

/// Whether a patch map contradicts itself.
pub(crate) fn fault_of<'s>(patch: &MapPatch<'_>, unions: Unions<'s>) -> Option<UnionFault<'s>> {
    unions.iter().find_map(|union| said(union, patch).cleared_by_patch().err())
}

/// Refuses a generated patch that would clear members of the document that it is to lead to.
pub(crate) fn refuse_excluded(
    patch: &PatchMap<'_>,
    unions: Unions<'_>,
    modified: Node<'_>,
    path: &Path<'_>,
) -> Result<(), MergeError> {
    for union in unions.iter() {
        let members = patch.members().iter().map(|(name, value)| (name.text(), union_value(*value)));
        let excluded = union.state(members).cleared_by_patch().map_err(|fault| invalid(&fault, path))?;
        let is_set = |field: &&str| modified.get(field).is_some_and(|value| !value.is_null());
        if let Some(field) = excluded.fields().find(is_set) {
            let message = "the patch sets another field of the union, which clears this one";
            return Err(MergeError::new(MergeErrorKind::InvalidUnion, &path.field(field.into()), message)
                .with_hint("set one field of the union, the one that its discriminator selects"));
        }
    }
    Ok(())
}

/// What a patch map says about a union.
fn said<'s, 'a>(union: FieldUnion<'s>, patch: &MapPatch<'a>) -> UnionState<'s, 'a> {
    union.state(patch.fields.iter().map(|field| (field.field.text(), value_of(field))))
}

fn value_of<'a>(field: &FieldPatch<'a>) -> UnionValue<'a> {
    match field.value {
        // Order and delete lists alone set nothing.
        None => UnionValue::Unset,
        Some(value) if PatchWord::in_map(value) == Some(PatchWord::Delete) => UnionValue::Unset,
        Some(value) => union_value(value),
    }
}

/// A value of a document, as unions see it.
fn union_value(value: Node<'_>) -> UnionValue<'_> {
    match value.as_str() {
        Some(text) => UnionValue::Text(text.text()),
        None if value.is_null() => UnionValue::Unset,
        None => UnionValue::Other,
    }
}

fn invalid(fault: &UnionFault<'_>, path: &Path<'_>) -> MergeError {
    MergeError::new(MergeErrorKind::InvalidUnion, path, fault.to_string()).with_hint(fault.hint())
}
