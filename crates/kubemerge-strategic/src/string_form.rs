//! Upstream's string form of a value: what its generator and its conflict test sort and pair by.

use crate::go_text::{go_float, go_text_whole};
use hashbrown::HashMap;
use kubemerge_value::part::{item_at, item_at_mut};
use kubemerge_value::{Node, Scalar};
use std::{borrow::Cow, collections::BTreeSet};

/// The bytes of a value as Go's `%v` prints it. The integer 80 and the string `80` have one form.
pub(crate) fn string_form(node: Node<'_>) -> Cow<'_, [u8]> {
    match node.scalar() {
        Some(Scalar::String(string)) => string.bytes(),
        Some(Scalar::Int(int)) => Cow::Owned(int.to_string().into_bytes()),
        Some(Scalar::Float(float)) => Cow::Owned(go_float(float).into_bytes()),
        Some(Scalar::Bool(true)) => Cow::Borrowed(b"true"),
        Some(Scalar::Bool(false)) => Cow::Borrowed(b"false"),
        // As fmt prints a nil interface.
        Some(Scalar::Null) => Cow::Borrowed(b"<nil>"),
        None => Cow::Owned(go_text_whole(node).into_bytes()),
    }
}

/// Sorts scalars by string form. Equal forms mean equal values where all are of one type.
pub(crate) fn sort_scalars(scalars: &mut [Node<'_>]) {
    scalars.sort_by_cached_key(|scalar| string_form(*scalar));
}

/// Removes repeated scalars as Kubernetes does: the last element moves into the place of a repeated one.
/// What it shifts past the new end stays there, so the answer is how many elements count.
pub(crate) fn deduplicate(scalars: &mut [Node<'_>]) -> usize {
    let mut places = Places::new();
    for (at, node) in scalars.iter().enumerate() {
        places.entry(node.scalar()).or_default().insert(at);
    }
    let mut length = scalars.len();
    let mut at = 0;
    while at < length {
        let value = item_at(scalars, at).scalar();
        while let Some(repeated) = later_place(&places, value, at) {
            length -= 1;
            let last = *item_at(scalars, length);
            *item_at_mut(scalars, repeated) = last;
            forget(&mut places, value, repeated);
            // The last element itself may be the repeated one; then nothing moves.
            if repeated < length {
                let moved = last.scalar();
                forget(&mut places, moved, length);
                places.entry(moved).or_default().insert(repeated);
            }
        }
        at += 1;
    }
    length
}

type Places<'a> = HashMap<Option<Scalar<'a>>, BTreeSet<usize>>;

/// The first place after `at` that holds the value.
fn later_place<'a>(places: &Places<'a>, value: Option<Scalar<'a>>, at: usize) -> Option<usize> {
    places.get(&value)?.range(at + 1..).next().copied()
}

fn forget<'a>(places: &mut Places<'a>, value: Option<Scalar<'a>>, at: usize) {
    if let Some(known) = places.get_mut(&value) {
        known.remove(&at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kubemerge_value::{Arena, Document, list, to_bytes};

    fn check(given: &str, length: usize, expected: &str) {
        let arena = Arena::new();
        let document = Document::check(given.as_bytes()).unwrap();
        let mut scalars = document.node().elements(&arena).to_vec();
        assert_eq!(deduplicate(&mut scalars), length);
        assert_eq!(to_bytes(list(scalars, &arena)), expected.as_bytes());
    }

    #[test]
    fn the_last_element_takes_the_place_of_a_repeated_one() {
        check("[1,1,2,3]", 3, "[1,3,2,3]");
        check("[1,1,1]", 1, "[1,1,1]");
        check("[2,1,2,1,2]", 2, "[2,1,1,1,2]");
        check("[]", 0, "[]");
    }
}
