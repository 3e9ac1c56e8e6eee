//! Unions of objects that are written, in dialect `spec`: a discriminator that changed clears the members that it does
//! not select, and what is not valid is refused. Kubernetes ignores unions.

use kubemerge_kinds::{
    field::{FieldError, FieldErrorKind},
    tree::{Map, Value, ValueRef},
};
use kubemerge_schema::unions::{
    Discriminator, UnionChange, UnionEdit, UnionPath, UnionStep, check_unions, normalize_update,
};

use crate::{
    kind::union_type,
    object::draft::{Draft, Owners, metadata_text},
    protocol::status::{Outcome, invalid},
    store::metadata_field::Field,
    write::request::{Old, Write},
};

/// Clears what a changed discriminator excludes.
pub(crate) fn normalize<'w>(write: Write<'w>, draft: &mut Draft<'w>, old: Option<Old<'w>>) -> Outcome<()> {
    let Some(ty) = union_type(write.call.cluster, &*write.kind) else { return Ok(()) };
    // An apply has cleared already, before its owners were found.
    if !matches!(draft.owners, Owners::Pending) {
        return Ok(());
    }
    let before = old.map(|old| ValueRef::Map(old.tree));
    let edits = normalize_update(ty, before, ValueRef::Map(&draft.tree), Discriminator::Keep);
    let edits = edits.map_err(|faults| {
        // What is wrong with the object as it is names the fields.
        let mut found = errors(write, &draft.tree);
        if found.is_empty() {
            found = faults.iter().map(|one| field_error(&one.path, one.fault.to_string())).collect();
        }
        let name = metadata_text(&draft.tree, Field::Name);
        invalid(write.call.resource.qualified_kind(), name, &found)
    })?;
    edits.iter().for_each(|edit| carry_out(edit, &mut draft.tree));
    Ok(())
}

/// Why the unions of an object are not valid.
pub(crate) fn errors(write: Write<'_>, object: &Map<'_>) -> Vec<FieldError> {
    let Some(ty) = union_type(write.call.cluster, &*write.kind) else { return Vec::new() };
    let findings = check_unions(ty, ValueRef::Map(object)).into_iter();
    findings
        .map(|finding| {
            let field = finding.violation.field().map(|name| finding.path.field(name));
            field_error(field.as_ref().unwrap_or(&finding.path), finding.violation.to_string())
        })
        .collect()
}

fn field_error(path: &UnionPath, detail: String) -> FieldError {
    FieldError { kind: FieldErrorKind::InvalidUnion, field: path.to_string(), bad_value: None, detail }
}

fn carry_out(edit: &UnionEdit<'_>, object: &mut Map<'_>) {
    // Discriminators are not deduced here, so that nothing is set.
    let UnionChange::Clear(field) = edit.change else { return };
    if let Some(map) = map_at(object, &edit.path.0) {
        map.remove(field);
    }
}

fn map_at<'m, 'a>(object: &'m mut Map<'a>, steps: &[UnionStep]) -> Option<&'m mut Map<'a>> {
    let Some((UnionStep::Field(name), rest)) = steps.split_first() else { return Some(object) };
    let mut value = object.get_mut(name)?;
    for step in rest {
        value = match (step, value) {
            (UnionStep::Field(name), Value::Map(map)) => map.get_mut(name)?,
            (UnionStep::Item(at), Value::List(list)) => list.get_mut(*at)?,
            _ => return None,
        };
    }
    value.as_map_mut()
}
