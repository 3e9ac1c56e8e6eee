//! Two JSON merge patches as one.
//!
//! A merge patch cannot say "a map, whatever was there before": what would need that is refused with its path.

use crate::{
    error::{Error, ErrorKind},
    merge_patch::pruned,
};
use kubemerge_strategic::MergeErrorKind;
use kubemerge_value::{Arena, Kind, MapEdit, Node, Path, deep};

/// The merge patch that does what `first` and then `second` do.
pub(crate) fn merge_compose<'a>(
    first: Node<'a>,
    second: Node<'a>,
    arena: &'a Arena,
) -> Result<Node<'a>, Error> {
    maps(first, second, &Path::ROOT, arena)
}

fn maps<'a>(first: Node<'a>, second: Node<'a>, path: &Path<'_>, arena: &'a Arena) -> Result<Node<'a>, Error> {
    let mut edit = MapEdit::new(first, arena);
    for entry in second.sorted_entries() {
        match edit.seek(entry.key) {
            Some(first) => edit.replace(values(first, entry.value, &path.field(entry.key), arena)?),
            // What only the second patch says stays as it is, nulls included.
            None => edit.insert(entry.key, entry.value),
        }
    }
    Ok(edit.finish())
}

fn values<'a>(
    first: Node<'a>,
    second: Node<'a>,
    path: &Path<'_>,
    arena: &'a Arena,
) -> Result<Node<'a>, Error> {
    match (first.kind(), second.kind()) {
        (Kind::Map, Kind::Map) => deep(|| maps(first, second, path, arena)),
        // The object has a map there, so the nulls in the list stay; without the first patch it may have none.
        (Kind::Map, Kind::List) if pruned(second, arena).is_some() => Err(not_composable(path)),
        (Kind::Map, _) => Ok(second),
        // The object has no map there, so this is all of it; without the first patch it may have one.
        (_, Kind::Map) => Err(not_composable(path)),
        _ => Ok(pruned(second, arena).unwrap_or(second)),
    }
}

fn not_composable(path: &Path<'_>) -> Error {
    let kind = ErrorKind::Merge(MergeErrorKind::NotComposable);
    Error::new(kind, path.to_string(), "no single merge patch replaces what may be a map")
        .with_hint("send both patches, or convert them to JSON patches")
}
