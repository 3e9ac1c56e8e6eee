//! Why a text is not JSON.

use super::{PullReader, TextForm};

/// A byte that does not fit, or the end of a text that is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextFault {
    /// The place of the byte; the length of the text at its end.
    pub at: usize,
    /// What the byte is no part of.
    pub expected: Expected,
}

/// What could have followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Any value.
    Value,
    /// The name of a member, or the end of a map without members.
    Name,
    /// The colon after a name.
    Colon,
    /// A comma or the end of a map.
    NextMember,
    /// A comma or the end of a list.
    NextItem,
    /// The rest of `true`, `false` or `null`.
    Word,
    /// A digit.
    Digit,
    /// The rest of a string.
    Text,
    /// The rest of an escape.
    Escape,
    /// A number that a 64-bit float can hold.
    NumberInRange,
    /// Fewer levels.
    LessDepth,
    /// The end of the text.
    End,
    /// Text in UTF-8 whose length fits 32 bits.
    ShortUtf8,
}

impl PullReader<'_> {
    /// Why nothing is read any more.
    #[inline]
    pub fn fault(&self) -> Option<TextFault> {
        self.fault
    }

    /// From here on nothing is read.
    #[cold]
    pub(super) fn fail(&mut self, expected: Expected) {
        self.fail_at(self.at, expected);
    }

    /// The same, for a fault further on. The first fault counts.
    #[cold]
    pub(super) fn fail_at(&mut self, at: usize, expected: Expected) {
        self.fault.get_or_insert(TextFault { at, expected });
        (self.text, self.at, self.node, self.form) = ("", 0, None, TextForm::NotJson);
    }
}
