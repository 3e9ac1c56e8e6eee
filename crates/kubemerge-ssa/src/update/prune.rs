//! Removes what an applier had in its last configuration and no longer has, unless others own it.

use super::{Context, ConversionError, Manager, Typed, UpdateError};
use crate::fieldpath::{FieldSet, with_named_fields};
use crate::typed::{claim, remove};

/// The fields that an applier owned before.
pub(super) struct Last<'a> {
    pub(super) set: FieldSet<'a>,
    pub(super) version: &'a str,
}

/// The merged object without what the applier dropped. `managers` has its new set already.
pub(super) fn prune<'a>(
    cx: Context<'a>,
    merged: Typed<'a>,
    managers: &[Manager<'a>],
    last: &Last<'a>,
) -> Result<Typed<'a>, UpdateError<'a>> {
    if last.set.is_empty() {
        return Ok(merged);
    }
    let converted = match merged.convert(last.version, cx.versions, cx.arena) {
        Ok(converted) => converted,
        // The version of the last apply is no longer served: nothing can be pruned by it.
        Err(ConversionError::MissingVersion) => return Ok(merged),
        Err(ConversionError::Failed(why)) => {
            return Err(prune_error("failed to convert merged object to last applied version", why));
        }
    };
    let dropped = with_named_fields(&last.set, converted.ty, cx.arena);
    // Removes everything of the last apply, then puts back what is owned or was never its own.
    let pruned = converted.with(remove(converted.ty, converted.value, &dropped, cx.arena));
    let pruned = add_back_owned(cx, converted, pruned, managers)
        .map_err(|error| within("failed add back owned items", error))?;
    let pruned = add_back_dangling(cx, converted, pruned, last)
        .map_err(|error| within("failed add back dangling items", error))?;
    pruned.convert(merged.version, cx.versions, cx.arena).map_err(|error| match error {
        ConversionError::MissingVersion => prune_error("no corresponding type", merged.version.to_owned()),
        ConversionError::Failed(why) => UpdateError::Failed(format!("failed to prune fields: {why}")),
    })
}

fn prune_error<'a>(what: &str, why: String) -> UpdateError<'a> {
    UpdateError::Failed(format!("failed to prune fields: {what}: {why}"))
}

fn within<'a>(what: &str, error: UpdateError<'a>) -> UpdateError<'a> {
    match error {
        UpdateError::Failed(why) => prune_error(what, why),
        other => other,
    }
}

/// Adds back what any manager owns, the applier's new set included. The version of the last set comes
/// first: conversions to others may need fields that were just removed.
fn add_back_owned<'a>(
    cx: Context<'a>,
    merged: Typed<'a>,
    pruned: Typed<'a>,
    managers: &[Manager<'a>],
) -> Result<Typed<'a>, UpdateError<'a>> {
    let mut owned: Vec<(&'a str, FieldSet<'a>)> = Vec::new();
    for manager in managers {
        let set = manager.set(cx.arena)?;
        match owned.iter_mut().find(|(version, _)| *version == manager.version) {
            Some((_, owned)) => *owned = owned.union(set, cx.arena),
            None => owned.push((manager.version, *set)),
        }
    }
    let (mut merged, mut pruned) = (merged, pruned);
    // The object's own version first: converting back and forth may lose fields.
    owned.sort_by_key(|(version, _)| (*version != merged.version, *version));
    for (version, owned) in owned {
        (merged, pruned) = add_back_in_version(cx, merged, pruned, version, &owned)?;
    }
    Ok(pruned)
}

fn add_back_in_version<'a>(
    cx: Context<'a>,
    merged: Typed<'a>,
    pruned: Typed<'a>,
    version: &'a str,
    owned: &FieldSet<'a>,
) -> Result<(Typed<'a>, Typed<'a>), UpdateError<'a>> {
    let merged = match merged.convert(version, cx.versions, cx.arena) {
        Ok(converted) => converted,
        Err(ConversionError::MissingVersion) => return Ok((merged, pruned)),
        Err(ConversionError::Failed(why)) => {
            return Err(UpdateError::failed(
                &format!("failed to convert merged object at version {version}"),
                why,
            ));
        }
    };
    let pruned = match pruned.convert(version, cx.versions, cx.arena) {
        Ok(converted) => converted,
        Err(ConversionError::MissingVersion) => return Ok((merged, pruned)),
        Err(ConversionError::Failed(why)) => {
            return Err(UpdateError::failed(
                &format!("failed to convert pruned object at version {version}"),
                why,
            ));
        }
    };
    let named = |set: &FieldSet<'a>| with_named_fields(set, merged.ty, cx.arena);
    let all = named(&claim(merged.ty, merged.value, cx.arena));
    let kept = named(&claim(pruned.ty, pruned.value, cx.arena)).union(&named(owned), cx.arena);
    let value = remove(merged.ty, merged.value, &all.difference(&kept, cx.arena), cx.arena);
    Ok((merged, merged.with(value)))
}

/// Adds back what the applier never owned.
fn add_back_dangling<'a>(
    cx: Context<'a>,
    merged: Typed<'a>,
    pruned: Typed<'a>,
    last: &Last<'a>,
) -> Result<Typed<'a>, UpdateError<'a>> {
    let pruned = match pruned.convert(last.version, cx.versions, cx.arena) {
        Ok(converted) => converted,
        Err(ConversionError::MissingVersion) => return Ok(merged),
        Err(ConversionError::Failed(why)) => {
            return Err(UpdateError::failed("failed to convert pruned object to last applied version", why));
        }
    };
    let named = |set: &FieldSet<'a>| with_named_fields(set, merged.ty, cx.arena);
    let kept = named(&claim(pruned.ty, pruned.value, cx.arena));
    let all = named(&claim(merged.ty, merged.value, cx.arena));
    // Only fields that the applier had are removed; others were dropped with their parents.
    let gone = all.difference(&kept, cx.arena).intersection(&named(&last.set), cx.arena);
    Ok(merged.with(remove(merged.ty, merged.value, &gone, cx.arena)))
}
