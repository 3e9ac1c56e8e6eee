//! Canonical text value by value, for those who know what may come: nothing is built for what is passed.

use crate::{
    scan::{StringEnd, string_end, value_end},
    shared::SharedValue,
};

/// A place in canonical text. Whoever moves it looks first at what is next.
///
/// ```
/// use kubemerge_value::{Canonical, SharedValue};
///
/// let excerpt = SharedValue::from(Canonical::from_bytes(br#"{"a": [1, 2], "b": "x"}"#)?);
/// let mut cursor = excerpt.cursor();
/// assert!(cursor.take(b'{'));
/// assert_eq!(cursor.name(), Some(&b"a"[..]));
/// cursor.pass();
/// assert!(cursor.take(b','));
/// assert_eq!(cursor.name(), Some(&b"b"[..]));
/// assert_eq!(cursor.string(), Some(&b"x"[..]));
/// assert!(cursor.take(b'}'));
/// # Ok::<(), kubemerge_value::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl SharedValue {
    /// The beginning of the value.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor { text: self.as_bytes(), at: 0 }
    }
}

impl<'a> Cursor<'a> {
    /// The next byte; 0 at the end.
    #[inline]
    fn next_byte(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    /// Passes over the next byte if it is this one.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        let is_it = self.next_byte() == byte;
        self.at += usize::from(is_it);
        is_it
    }

    /// Passes over a string; answers its text, or none if it has escapes or is no string.
    #[inline]
    pub fn string(&mut self) -> Option<&'a [u8]> {
        if self.next_byte() != b'"' {
            return None;
        }
        let start = self.at + 1;
        let StringEnd { end, escapes } = string_end(self.text, start);
        self.at = end;
        if escapes { None } else { self.text.get(start..end - 1) }
    }

    /// Passes over a name and the colon behind it.
    #[inline]
    pub fn name(&mut self) -> Option<&'a [u8]> {
        let name = self.string();
        self.at += 1;
        name
    }

    /// Passes over a value.
    pub fn pass(&mut self) {
        self.at = value_end(self.text, self.at);
    }

    /// Passes over a value; answers a cursor that stands at its beginning and ends with it.
    pub fn value(&mut self) -> Cursor<'a> {
        let start = self.at;
        self.pass();
        Cursor { text: self.text.get(start..self.at).unwrap_or_default(), at: 0 }
    }

    /// What is left of the text.
    pub fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Canonical;

    #[test]
    fn what_is_not_there_is_not_taken() {
        let excerpt = SharedValue::from(Canonical::from_bytes(br#"["a\"b",-1,{"c":[]},null]"#).unwrap());
        let mut cursor = excerpt.cursor();
        assert!(!cursor.take(b'{') && cursor.take(b'['));
        assert_eq!(cursor.string(), None, "it has escapes, and was passed");
        assert!(cursor.take(b','));
        assert_eq!(cursor.string(), None);
        assert_eq!(cursor.value().rest(), b"-1");
        assert!(cursor.take(b','));
        assert_eq!(cursor.value().rest(), br#"{"c":[]}"#);
        assert!(cursor.take(b','));
        assert_eq!(cursor.value().rest(), b"null");
        assert!(cursor.take(b']'));
        assert_eq!((cursor.next_byte(), cursor.rest(), cursor.name()), (0, &b""[..], None));
        cursor.pass();
    }
}
