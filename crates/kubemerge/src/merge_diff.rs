//! RFC 7386 diff: the merge patch that makes one object of another, as far as a merge patch can.
//!
//! A merge patch cannot set a null, and the API server drops the null members of every new value; what would
//! need them is refused with its path.

use crate::error::{Error, ErrorKind};
use kubemerge_value::{Arena, Entry, Kind, Node, Path, Str, deep, deep_equal, map};

/// The merge patch that makes the map `modified` of the map `original`.
pub(crate) fn merge_diff<'a>(
    original: Node<'a>,
    modified: Node<'a>,
    arena: &'a Arena,
) -> Result<Node<'a>, Error> {
    maps(original, modified, &Path::ROOT, arena)
}

fn maps<'a>(
    original: Node<'a>,
    modified: Node<'a>,
    path: &Path<'_>,
    arena: &'a Arena,
) -> Result<Node<'a>, Error> {
    let (original, modified) = (original.sorted_entries(), modified.sorted_entries());
    let mut known = original.iter().peekable();
    let mut members: Vec<(Str<'a>, Node<'a>)> = Vec::new();
    let remove = |gone: &Entry<'a>| (gone.key, Node::NULL);
    for entry in &modified {
        while let Some(gone) = known.next_if(|known| known.key < entry.key) {
            members.push(remove(gone));
        }
        let known = known.next_if(|known| known.key == entry.key).map(|known| known.value);
        let change = change(known, entry.value, &path.field(entry.key), arena)?;
        members.extend(change.map(|value| (entry.key, value)));
    }
    members.extend(known.map(remove));
    Ok(map(members, arena))
}

/// What the patch says about a member that `modified` has.
fn change<'a>(
    original: Option<Node<'a>>,
    modified: Node<'a>,
    path: &Path<'_>,
    arena: &'a Arena,
) -> Result<Option<Node<'a>>, Error> {
    match (original, original.map(Node::kind), modified.kind()) {
        (Some(original), Some(Kind::Map), Kind::Map) => {
            let patch = deep(|| maps(original, modified, path, arena))?;
            return Ok((!patch.is_empty()).then_some(patch));
        }
        (Some(original), ..) if deep_equal(original, modified) => return Ok(None),
        // A null in a merge patch removes.
        (_, _, Kind::Null) => return Err(no_null(path)),
        // What takes the place of a map is not looked into by the API server.
        (_, Some(Kind::Map), _) => {}
        _ => refuse_null_members(modified, path, arena)?,
    }
    Ok(Some(modified))
}

fn refuse_null_members<'a>(value: Node<'a>, path: &Path<'_>, arena: &'a Arena) -> Result<(), Error> {
    match value.kind() {
        Kind::Map => deep(|| {
            value.entries(arena).iter().try_for_each(|entry| {
                let path = path.field(entry.key);
                if entry.value.is_null() {
                    Err(no_null(&path))
                } else {
                    refuse_null_members(entry.value, &path, arena)
                }
            })
        }),
        Kind::List => deep(|| {
            let mut items = value.elements(arena).iter().enumerate();
            items.try_for_each(|(at, item)| refuse_null_members(*item, &path.index(at), arena))
        }),
        _ => Ok(()),
    }
}

fn no_null(path: &Path<'_>) -> Error {
    Error::new(ErrorKind::NotConvertible, path.to_string(), "a merge patch cannot set a member to null")
        .with_hint("use a JSON patch")
}
