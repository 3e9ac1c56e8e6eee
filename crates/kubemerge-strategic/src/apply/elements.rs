//! The elements of merge lists: one type for all of them.

use crate::{
    error::{MergeError, MergeErrorKind},
    go_text::{go_list, go_type},
};
use kubemerge_value::{Kind, Node, Path};

/// The type of all elements of two lists that meet; `None` if there are none.
pub(crate) fn element_kind(
    live: &[Node<'_>],
    patch: &[Node<'_>],
    path: &Path<'_>,
) -> Result<Option<Kind>, MergeError> {
    let mut elements = live.iter().chain(patch);
    let Some(first) = elements.next() else { return Ok(None) };
    let kind = first.kind();
    match kind {
        Kind::List => return Err(list_of_lists(&path.index(0))),
        Kind::Null => return Err(null_element(&path.index(0))),
        _ => {}
    }
    // Both lists together, as Kubernetes compares them.
    match elements.position(|element| element.kind() != kind) {
        Some(at) => Err(mixed(live, patch, at + 1, path)),
        None => Ok(Some(kind)),
    }
}

/// Elements of a set may be lists too, but all have one type.
pub(crate) fn set_kind(live: &[Node<'_>], patch: &[Node<'_>], path: &Path<'_>) -> Result<(), MergeError> {
    let mut elements = live.iter().chain(patch);
    if elements.next().is_none_or(|first| first.kind() != Kind::List) {
        return element_kind(live, patch, path).map(drop);
    }
    match elements.position(|element| element.kind() != Kind::List) {
        Some(at) => Err(mixed(live, patch, at + 1, path)),
        None => Ok(()),
    }
}

/// In a keyed list every item is a map.
pub(crate) fn all_maps(live: &[Node<'_>], patch: &[Node<'_>], path: &Path<'_>) -> Result<(), MergeError> {
    match element_kind(live, patch, path)? {
        None | Some(Kind::Map) => Ok(()),
        Some(_) => {
            let first = live.iter().chain(patch).next().copied().unwrap_or(Node::NULL);
            Err(expected_map(first, &path.index(0)))
        }
    }
}

/// A check of the elements of two lists that meet.
type Check<T> = fn(&[Node<'_>], &[Node<'_>], &Path<'_>) -> Result<T, MergeError>;

/// A check of the elements of each list: the path of a fault in live leads through live.
pub(super) fn on_its_side<T>(
    check: Check<T>,
    live: &[Node<'_>],
    patch: &[Node<'_>],
    path: &Path<'_>,
) -> Result<T, MergeError> {
    check(live, patch, path).or_else(|fault| {
        // If the live list alone fails, the fault is there.
        check(live, &[], &path.in_live())?;
        Err(fault)
    })
}

fn list_of_lists(path: &Path<'_>) -> MergeError {
    MergeError::new(MergeErrorKind::ListOfLists, path, "lists of lists are not supported")
}

fn null_element(path: &Path<'_>) -> MergeError {
    MergeError::new(MergeErrorKind::NullElement, path, "a null in a merge list").with_hint("remove the null")
}

/// The element at `at`, counted over live and then patch, has another type than the first one.
fn mixed(live: &[Node<'_>], patch: &[Node<'_>], at: usize, path: &Path<'_>) -> MergeError {
    // Positions are those of the list that the element is in.
    let at = if at < live.len() { at } else { at - live.len() };
    let message = format!("list element types are not identical: [{} {}]", go_list(live), go_list(patch));
    MergeError::new(MergeErrorKind::MixedElementTypes, &path.index(at), message)
        .with_hint("all elements of both lists must have one type")
}

pub(super) fn expected_list(found: Node<'_>, path: &Path<'_>) -> MergeError {
    let message = format!("expected a []interface {{}}, but received a {}", go_type(found.kind()));
    MergeError::new(MergeErrorKind::ExpectedList, path, message).with_hint("a list belongs here")
}

pub(crate) fn expected_map(found: Node<'_>, path: &Path<'_>) -> MergeError {
    let message = format!("expected a map[string]interface {{}}, but received a {}", go_type(found.kind()));
    MergeError::new(MergeErrorKind::ExpectedMap, path, message).with_hint("items of this list are maps")
}

/// Maps in a list that merges, but for which no key is declared.
pub(super) fn no_merge_key(type_name: &str, path: &Path<'_>) -> MergeError {
    let message = format!("cannot merge lists without merge key for {type_name}");
    MergeError::new(MergeErrorKind::NoMergeKeyDeclared, path, message)
        .with_hint("its schema has a patch strategy but no merge key")
}

pub(super) fn uncomparable(path: &Path<'_>) -> MergeError {
    MergeError::new(MergeErrorKind::UncomparableElement, path, "maps and lists cannot be compared here")
        .with_hint("an order list of a list without merge key holds scalars")
}

pub(crate) fn empty_lists(path: &Path<'_>) -> MergeError {
    MergeError::new(MergeErrorKind::EmptyLists, path, "no elements in any of the given slices")
        .with_hint("leave out the order list of an empty list")
}
