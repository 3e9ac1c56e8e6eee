//! The elements of merge lists: one type for all of them.

use crate::{
    error::{Error, ErrorKind},
    go_text::{go_list, go_type},
};
use kubemerge_value::{Kind, Node, Path};

/// The type of all elements of live and patch; `None` if there are none.
pub(super) fn element_kind(
    live: &[Node<'_>],
    patch: &[Node<'_>],
    path: &Path<'_>,
) -> Result<Option<Kind>, Error> {
    let mut elements = live.iter().chain(patch);
    let Some(first) = elements.next() else { return Ok(None) };
    let kind = first.kind();
    match kind {
        Kind::List => return Err(list_of_lists(&path.index(0))),
        Kind::Null => return Err(null_element(&path.index(0))),
        _ => {}
    }
    match elements.position(|element| element.kind() != kind) {
        Some(at) => Err(mixed(live, patch, at + 1, path)),
        None => Ok(Some(kind)),
    }
}

fn list_of_lists(path: &Path<'_>) -> Error {
    Error::new(ErrorKind::ListOfLists, path, "lists of lists are not supported")
}

fn null_element(path: &Path<'_>) -> Error {
    Error::new(ErrorKind::NullElement, path, "a null in a merge list").with_hint("remove the null")
}

/// The element at `at`, counted over live and then patch, has another type than the first one.
fn mixed(live: &[Node<'_>], patch: &[Node<'_>], at: usize, path: &Path<'_>) -> Error {
    let (side, at) = if at < live.len() { ("live object", at) } else { ("patch", at - live.len()) };
    let message = format!("list element types are not identical: [{} {}]", go_list(live), go_list(patch));
    Error::new(ErrorKind::MixedElementTypes, &path.index(at), message)
        .with_hint(format!("this element of the {side} has another type than the first one"))
}

pub(super) fn expected_list(found: Node<'_>, path: &Path<'_>) -> Error {
    let message = format!("expected a []interface {{}}, but received a {}", go_type(found.kind()));
    Error::new(ErrorKind::ExpectedList, path, message).with_hint("a list belongs here")
}

pub(super) fn expected_map(found: Node<'_>, path: &Path<'_>) -> Error {
    let message = format!("expected a map[string]interface {{}}, but received a {}", go_type(found.kind()));
    Error::new(ErrorKind::ExpectedMap, path, message).with_hint("items of this list are maps")
}

/// Maps in a list that merges, but for which nobody says how to tell items apart.
pub(super) fn no_merge_key(type_name: &str, path: &Path<'_>) -> Error {
    let message = format!("cannot merge lists without merge key for {type_name}");
    Error::new(ErrorKind::NoMergeKeyDeclared, path, message)
        .with_hint("its schema has a patch strategy but no merge key")
}

pub(super) fn uncomparable(path: &Path<'_>) -> Error {
    Error::new(ErrorKind::UncomparableElement, path, "maps and lists cannot be compared here")
        .with_hint("an order list of a list without merge key holds scalars")
}

pub(super) fn empty_lists(path: &Path<'_>) -> Error {
    Error::new(ErrorKind::EmptyLists, path, "no elements in any of the given slices")
        .with_hint("leave out the order list of an empty list")
}
