//! Which parts of a tree some text became, so that a text that has pieces of it in common is not read again.

use bumpalo::collections::Vec;

use super::{Arena, Value};
use crate::PullReader;

/// The maps and lists of a text with the parts of the tree that they became. Pieces of text are distinguished by where
/// they are in memory: it is for the results of patches, which point into the text that was patched.
#[derive(Debug)]
pub struct KnownParts<'a> {
    /// By their places in memory.
    parts: Vec<'a, KnownPart<'a>>,
}

#[derive(Debug)]
struct KnownPart<'a> {
    /// The address of its text.
    place: usize,
    len: usize,
    value: Value<'a>,
}

impl<'a> KnownParts<'a> {
    /// No parts.
    pub fn new_in(arena: &'a Arena) -> Self {
        KnownParts { parts: Vec::new_in(arena) }
    }

    /// The part that the next value is, over which the reader passes. Its start must have been asked for.
    pub fn read(&self, reader: &mut PullReader<'_>) -> Option<Value<'a>> {
        let place = reader.address()?;
        let known = self.parts.get(self.parts.binary_search_by_key(&place, |part| part.place).ok()?)?;
        let value = known.value.share_again()?;
        reader.pass_known(known.len);
        Some(value)
    }

    /// Notes that a map or list begins; answers its number. They begin in the order of the text.
    pub(super) fn begin(&mut self, place: Option<usize>) -> usize {
        self.parts.push(KnownPart { place: place.unwrap_or_default(), len: 0, value: Value::Null });
        self.parts.len() - 1
    }

    /// Notes what a map or list has become.
    pub(super) fn end(&mut self, number: usize, len: usize, value: &Value<'a>) {
        if let (Some(part), Some(value)) = (self.parts.get_mut(number), value.share_again()) {
            part.len = len;
            part.value = value;
        }
    }
}
