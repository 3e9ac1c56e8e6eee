//! Quick looks at a value that keep nothing of it.

use crate::{
    node::Entry,
    node::{Node, Repr},
    scan::items,
};

/// Whether all items of a list are maps that surely have a scalar of this name. Only text that is plain is
/// looked at; there is no answer to be had from anything else.
pub fn items_have_scalar(list: Node<'_>, name: &str) -> bool {
    match list.0 {
        Repr::Text(text) => items::have_scalar(text.bytes, name),
        _ => false,
    }
}

/// Whether all members of a map pass a test, repeated ones included.
pub fn every_member<'a>(map: Node<'a>, mut test: impl FnMut(Entry<'a>) -> bool) -> bool {
    let mut passed = true;
    map.each_member(|entry| passed = passed && test(entry));
    passed
}
