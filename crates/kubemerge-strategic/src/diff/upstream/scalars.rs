//! Upstream's walk over two scalar merge lists: both are sorted by string form and paired.

use super::map::ListPatch;
use crate::diff::DiffOptions;
use crate::string_form::{deduplicate, sort_scalars, string_form};
use hashbrown::HashMap;
use kubemerge_value::{Node, Scalar, deep_equal};
use std::borrow::Cow;

pub(super) fn diff<'a>(original: &[Node<'a>], modified: &[Node<'a>], options: &DiffOptions) -> ListPatch<'a> {
    let (added, removed) = pair(original, modified);
    let items = if options.changes.is_on() { in_order_of(modified, added) } else { Vec::new() };
    let deletions = if options.deletions.is_on() { sorted_once(removed) } else { Vec::new() };
    let ordered = options.element_order.is_on()
        && (!deletions.is_empty() || options.changes.is_on() && !is_sorted_form_of(modified, original));
    let order = if ordered { modified.to_vec() } else { Vec::new() };
    ListPatch { items, deletions, order }
}

/// The values that only modified has, and those that only original has, each as often as it has more of them.
fn pair<'a>(original: &[Node<'a>], modified: &[Node<'a>]) -> (Vec<Node<'a>>, Vec<Node<'a>>) {
    // Values pair up by string form and count, as two sorted lists would.
    let mut waiting: HashMap<Cow<'_, [u8]>, usize> = HashMap::with_capacity(original.len());
    for value in original {
        *waiting.entry(string_form(*value)).or_default() += 1;
    }
    let mut take = |value: &Node<'a>| match waiting.get_mut(&string_form(*value)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    };
    let added = modified.iter().filter(|value| !take(value)).copied().collect();
    let removed = original.iter().filter(|value| take(value)).copied().collect();
    (added, removed)
}

/// Values by the first place that they have in the list.
fn in_order_of<'a>(list: &[Node<'a>], mut values: Vec<Node<'a>>) -> Vec<Node<'a>> {
    if values.len() > 1 {
        let mut first: HashMap<Option<Scalar<'_>>, usize> = HashMap::with_capacity(list.len());
        for (at, value) in list.iter().enumerate() {
            first.entry(value.scalar()).or_insert(at);
        }
        values.sort_by_key(|value| first.get(&value.scalar()));
    }
    values
}

fn sorted_once(mut values: Vec<Node<'_>>) -> Vec<Node<'_>> {
    sort_scalars(&mut values);
    let length = deduplicate(&mut values);
    values.truncate(length);
    values
}

// Upstream: original is sorted before it is compared, so an unsorted list always differs and a list that
// becomes sorted never does (diff/scalar-list.yaml, `unsorted list, no change`).
fn is_sorted_form_of(modified: &[Node<'_>], original: &[Node<'_>]) -> bool {
    if original.len() != modified.len() {
        return false;
    }
    let mut sorted = original.to_vec();
    sort_scalars(&mut sorted);
    sorted.iter().zip(modified).all(|(one, other)| deep_equal(*one, *other))
}
