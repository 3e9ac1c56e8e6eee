//! Values that are still text: where they start, whether their end is known, and what is inside.
//!
//! A container is scanned one level at a time. Its end is found only when a caller needs it: a walk that
//! leaves a container early hands on a [`Resume`], so that no byte is scanned twice on the way out.

use super::ends::Ends;
use crate::{
    part::part_of,
    scan::{StringEnd, container_end, has_backslash, skip_space, string_end, value_end},
    string::{Spelling, Str},
};

/// What is known about the spelling of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Valid JSON as users write it: any white space, any order, perhaps repeated members.
    Given,
    /// As Go's encoder writes it: compact, sorted members, no repetition.
    Canonical,
}

/// Whether the end of a text is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The bytes end with the value.
    Closed,
    /// The bytes go on to the end of the document around the value.
    Open,
}

/// The text of one value.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) form: Form,
    pub(crate) extent: Extent,
    /// What is known of the ends of large containers.
    pub(crate) ends: Option<&'a Ends>,
}

/// Where the scan of a container may go on: `depth` containers are still open at `at`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resume {
    pub(crate) at: usize,
    pub(crate) depth: usize,
}

impl Resume {
    /// The position after the outermost of the open containers.
    pub(crate) fn end(self, bytes: &[u8]) -> usize {
        if self.depth == 0 { self.at } else { container_end(bytes, self.at, self.depth) }
    }
}

impl<'a> Text<'a> {
    /// The same text cut to `bytes`, which end with a value.
    pub(crate) fn closed(self, bytes: &'a [u8]) -> Self {
        Text { bytes, extent: Extent::Closed, ..self }
    }

    /// The same value with a known end.
    #[inline]
    pub(crate) fn close(self) -> Self {
        match self.extent {
            Extent::Closed => self,
            Extent::Open => self.closed(part_of(self.bytes, ..self.end_at(0))),
        }
    }

    /// The end of the value that starts at `at` inside this text.
    #[inline]
    pub(crate) fn end_at(self, at: usize) -> usize {
        match (self.bytes.get(at), self.ends) {
            (Some(b'{' | b'['), Some(ends)) => at + container_length(part_of(self.bytes, at..), ends),
            _ => value_end(self.bytes, at),
        }
    }

    /// The same; for a string also whether it has escapes.
    #[inline]
    pub(crate) fn value_end(self, at: usize) -> StringEnd {
        match self.bytes.get(at) {
            Some(b'"') => string_end(self.bytes, at + 1),
            _ => StringEnd { end: self.end_at(at), escapes: false },
        }
    }

    /// Skips at most one comma, and white space. Canonical text has none, but a branch that is foreseen lets the
    /// walk go on before the byte has come from memory; adding up what it says does not.
    #[inline]
    pub(crate) fn after_comma(self, at: usize) -> usize {
        after_comma(self.bytes, at)
    }

    /// Skips a colon, and white space where there may be some.
    #[inline]
    pub(crate) fn after_colon(self, at: usize) -> usize {
        match self.form {
            Form::Given => skip_space(self.bytes, skip_space(self.bytes, at) + 1),
            // No white space.
            Form::Canonical => at + 1,
        }
    }

    /// The name of a member, from its opening quote to after the closing one.
    #[inline]
    pub(crate) fn name(self, start: usize, end: usize, escapes: bool) -> Str<'a> {
        string_of(part_of(self.bytes, start + 1..end - 1), self.form, escapes)
    }

    /// Whether the word may be in this text, with or without escapes. The end of the text must be known.
    pub(crate) fn may_mention(self, word: &str) -> bool {
        memchr::memmem::find(self.bytes, word.as_bytes()).is_some()
            // The word could be written with escapes.
            || memchr::memchr(b'\\', self.bytes).is_some()
    }

    #[inline]
    pub(crate) fn first(self) -> u8 {
        // Empty text counts as null.
        self.bytes.first().copied().unwrap_or(b'n')
    }

    /// The string of a text that is one.
    #[inline]
    pub(crate) fn string(self) -> Str<'a> {
        let end = self.bytes.len().max(2) - 1;
        let raw = self.bytes.get(1..end).unwrap_or_default();
        string_of(raw, self.form, has_backslash(raw))
    }
}

#[inline]
pub(crate) fn string_of(raw: &[u8], form: Form, escapes: bool) -> Str<'_> {
    match form {
        Form::Given => Str::spelled(raw, Spelling::Given, escapes),
        Form::Canonical => Str::spelled(raw, Spelling::Canonical, escapes),
    }
}

/// The length of the container that the bytes start with: a large one is known, a small one is scanned.
fn container_length(bytes: &[u8], ends: &Ends) -> usize {
    ends.length(bytes).unwrap_or_else(|| container_end(bytes, 1, 1))
}

/// Skips white space and at most one comma.
#[inline]
fn after_comma(bytes: &[u8], at: usize) -> usize {
    let at = skip_space(bytes, at);
    if bytes.get(at) == Some(&b',') { skip_space(bytes, at + 1) } else { at }
}
