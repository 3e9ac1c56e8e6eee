//! Where a member of an object is in its text.

use std::ops::Range;

use kubemerge_value::{PullReader, Start};

use crate::tree::Arena;

/// Where the value of a member is in the text of an object, which must be well-formed JSON; the first one of its name.
pub fn member_span(text: &str, name: &str) -> Option<Range<usize>> {
    let arena = Arena::new();
    let mut reader = PullReader::new(text, &arena);
    if reader.start() != Start::Map {
        return None;
    }
    let mut map = reader.open_map();
    while let Some(found) = reader.name(&mut map) {
        reader.start();
        let start = reader.here();
        reader.pass();
        if found == name {
            return Some(start..reader.here());
        }
    }
    None
}
