//! The annotation of client-side apply: what it allows, and keeping it up to date.

use super::Endpoint;
use crate::fieldpath::FieldSet;
use crate::typed::{Duplicates, claim, compare, validate};
use crate::value::{Arena, ParsedValue};

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// How many bytes the annotations of an object may have together.
// The API server's limit for all annotations together.
const MAX_ANNOTATION_BYTES: usize = 256 * 1024;

fn annotation(object: ParsedValue<'_>) -> Option<&str> {
    let text = object.at(&["metadata", "annotations", LAST_APPLIED])?.as_str()?;
    (!text.is_empty()).then_some(text)
}

/// Paths that client-side apply set and no manager has changed since: conflicts there are taken over.
pub(super) fn allowed_conflicts<'a>(
    endpoint: &Endpoint<'a>,
    live: ParsedValue<'a>,
    arena: &'a Arena,
) -> Option<FieldSet<'a>> {
    let text = annotation(live)?;
    let last = ParsedValue::parse(text.as_bytes(), arena).ok()?;
    last.get("kind")?.as_str().filter(|kind| !kind.is_empty())?;
    // Fields of another version cannot be compared.
    if last.get("apiVersion")?.as_str()? != endpoint.api_version {
        return None;
    }
    let ty = endpoint.versions.type_of(endpoint.api_version)?;
    validate(ty, live, Duplicates::Refused, arena).ok()?;
    validate(ty, last, Duplicates::Refused, arena).ok()?;
    let changes = compare(ty, last, live, arena).ok()?;
    let claimed = claim(ty, last, arena);
    // What changed since the last client-side apply was changed by another manager, so its conflicts stay.
    let others = [changes.modified, changes.added, changes.removed];
    Some(others.iter().fold(claimed, |left, changed| left.difference(changed, arena)))
}

/// The object with the annotation rewritten from a configuration; `None` if it has no annotation.
pub(super) fn updated<'a>(
    object: ParsedValue<'a>,
    config: ParsedValue<'a>,
    arena: &'a Arena,
) -> Option<ParsedValue<'a>> {
    annotation(object)?;
    let metadata = object.get("metadata")?;
    let annotations = metadata.get("annotations")?;
    let text = last_applied_text(config, arena);
    let others: usize = annotations
        .members()?
        .iter()
        .filter(|member| member.name != LAST_APPLIED)
        .map(|member| member.name.len() + member.value.as_str().map_or(0, str::len))
        .sum();
    let annotations = if others + LAST_APPLIED.len() + text.len() > MAX_ANNOTATION_BYTES {
        // Too large: upstream drops it rather than refusing the apply.
        annotations.without_member(LAST_APPLIED, arena)
    } else {
        annotations.with_member(LAST_APPLIED, ParsedValue::String(text), arena)
    };
    Some(object.with_member("metadata", metadata.with_member("annotations", annotations, arena), arena))
}

/// A configuration as the annotation holds it: without the annotation, and with a line end.
fn last_applied_text<'a>(config: ParsedValue<'a>, arena: &'a Arena) -> &'a str {
    let metadata = config.get("metadata").unwrap_or(ParsedValue::EMPTY_MAP);
    let metadata = match metadata.get("annotations") {
        Some(annotations @ ParsedValue::Map(_)) => {
            metadata.with_member("annotations", annotations.without_member(LAST_APPLIED, arena), arena)
        }
        _ => metadata.without_member("annotations", arena),
    };
    let mut json = config.with_member("metadata", metadata, arena).to_json();
    // kubectl writes the annotation with a line break at its end.
    json.push(b'\n');
    // Values are written as ASCII and pieces of strings, so this is UTF-8.
    arena.alloc_str(&String::from_utf8(json).unwrap_or_default())
}
