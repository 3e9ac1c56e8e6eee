//! Reading JSON step by step, without building anything.
//!
//! A [`PullReader`] reads any JSON text, or a [`Node`] that is text with edits, and trusts nothing. Steps do not fail:
//! from a fault on everything reads as null and every map and list ends, and [`PullReader::finish`] says so. It also
//! says whether the text was canonical, which is known at the end at no extra cost.
//!
//! The caller asks what comes next and enters maps and lists; it keeps a [`Level`] for each that is open, so that the
//! reader needs no stack of its own. [`PullReader::fault`] names the first fault and its place.

mod fault;
mod number;
mod parts;
mod pass;
mod string;
#[cfg(test)]
pub(crate) mod tests;

pub use fault::{Expected, TextFault};
pub use number::NumberText;
pub(crate) use pass::canonical_depth;

use std::ops::Range;

use crate::{Arena, MAX_DEPTH, node::Node, string::is_before};
use parts::Parts;

/// A place in a JSON text.
///
/// ```
/// use kubemerge_value::{Arena, PullReader, Start, TextForm};
///
/// let arena = Arena::new();
/// let mut reader = PullReader::new(r#"{"a": [1, "x\n"], "b": true}"#, &arena);
/// let mut names = Vec::new();
/// assert_eq!(reader.start(), Start::Map);
/// let mut map = reader.open_map();
/// while let Some(name) = reader.name(&mut map) {
///     names.push(name);
///     reader.pass();
/// }
/// assert_eq!(names, ["a", "b"]);
/// assert_eq!(reader.finish(), TextForm::Given);
///
/// assert_eq!(PullReader::new("[01]", &arena).form_of_all(), TextForm::NotJson);
/// ```
#[derive(Debug)]
pub struct PullReader<'a> {
    text: &'a str,
    at: usize,
    /// How many maps and lists are open.
    depth: usize,
    form: TextForm,
    /// The next value, if it is not text throughout; then there is no text.
    node: Option<Node<'a>>,
    fault: Option<TextFault>,
    arena: &'a Arena,
}

/// What is known of a text that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextForm {
    /// It is what [`Canonical`](crate::Canonical) writes.
    Canonical,
    /// It is JSON.
    Given,
    /// It is not JSON, or nested too deep.
    NotJson,
}

/// What a value starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// `{`
    Map,
    /// `[`
    List,
    /// A quote.
    Str,
    /// A digit or a minus.
    Number,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`, and everything that is no value.
    Null,
}

impl Start {
    /// What Go's decoder calls a value of this form in its messages.
    pub fn go_name(self) -> &'static str {
        match self {
            Start::Map => "object",
            Start::List => "array",
            Start::Str => "string",
            Start::Number => "number",
            Start::True | Start::False => "bool",
            Start::Null => "null",
        }
    }
}

/// A map or list that is being read. A caller keeps it while it reads what is inside.
#[derive(Debug)]
pub struct Level<'a> {
    /// The name that was read last; of a list any text once an item was read.
    last: Option<&'a str>,
    is_sorted: bool,
    /// What is left of a map or list that is no text.
    parts: Option<&'a mut Parts<'a>>,
}

impl<'a> Level<'a> {
    #[inline]
    fn new(parts: Option<&'a mut Parts<'a>>) -> Self {
        Level { last: None, is_sorted: true, parts }
    }

    /// Whether each name so far comes after the one before it, so that none is repeated.
    #[inline]
    pub fn is_sorted(&self) -> bool {
        self.is_sorted
    }
}

impl<'a> PullReader<'a> {
    /// The beginning of a text. Strings that have escapes are decoded into the arena.
    pub fn new(text: &'a str, arena: &'a Arena) -> Self {
        let mut reader =
            PullReader { text, at: 0, depth: 0, form: TextForm::Canonical, node: None, fault: None, arena };
        // Offsets are u32 everywhere.
        if u32::try_from(text.len()).is_err() {
            reader.fail(Expected::ShortUtf8);
        }
        reader
    }

    /// The beginning of bytes, which are no JSON if they are not UTF-8.
    pub fn of_bytes(bytes: &'a [u8], arena: &'a Arena) -> Self {
        if let Ok(text) = std::str::from_utf8(bytes) {
            PullReader::new(text, arena)
        } else {
            let mut reader = PullReader::new("", arena);
            reader.fail(Expected::ShortUtf8);
            reader
        }
    }

    /// The arena for decoded strings.
    #[inline]
    pub fn arena(&self) -> &'a Arena {
        self.arena
    }

    /// The next byte as it is; 0 at the end.
    #[inline]
    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }

    /// The next byte that is no white space; 0 at the end.
    #[inline]
    fn peek(&mut self) -> u8 {
        match self.byte() {
            // Canonical text has no white space.
            byte if byte > b' ' => byte,
            _ => self.peek_after_space(),
        }
    }

    #[inline(never)]
    fn peek_after_space(&mut self) -> u8 {
        let end = skip_space(self.text.as_bytes(), self.at);
        if end > self.at {
            self.at = end;
            self.is_not_canonical();
        }
        self.byte()
    }

    #[inline]
    fn is_not_canonical(&mut self) {
        self.form = self.form.max(TextForm::Given);
    }

    /// What the next value is; passes over nothing but white space.
    #[inline]
    pub fn start(&mut self) -> Start {
        match self.peek() {
            b'{' => Start::Map,
            b'[' => Start::List,
            b'"' => Start::Str,
            b't' => Start::True,
            b'f' => Start::False,
            b'n' => Start::Null,
            b'-' | b'0'..=b'9' => Start::Number,
            _ => self.start_of_node(),
        }
    }

    /// Steps into a map.
    #[inline]
    pub fn open_map(&mut self) -> Level<'a> {
        self.open(b'{')
    }

    /// Steps into a list.
    #[inline]
    pub fn open_list(&mut self) -> Level<'a> {
        self.open(b'[')
    }

    #[inline]
    fn open(&mut self, bracket: u8) -> Level<'a> {
        if self.peek() != bracket || self.depth >= MAX_DEPTH {
            return self.open_node(bracket);
        }
        self.at += 1;
        self.depth += 1;
        Level::new(None)
    }

    #[inline]
    fn close(&mut self) {
        self.at += 1;
        self.depth = self.depth.saturating_sub(1);
    }

    /// The name of the next member of a map; `None` at its end.
    #[inline]
    pub fn name(&mut self, map: &mut Level<'a>) -> Option<&'a str> {
        match self.peek() {
            b',' if map.last.is_some() => self.at += 1,
            b'"' if map.last.is_none() => {}
            b'}' => {
                self.close();
                return None;
            }
            _ => return self.name_of_part(map),
        }
        let name = self.string();
        self.colon()?;
        self.note_name(map, name);
        Some(name)
    }

    /// The place of the name of the next member in the text, with its quotes; `None` at the end of the map.
    pub fn name_place(&mut self, map: &mut Level<'a>) -> Option<Range<usize>> {
        match self.peek() {
            b',' if map.last.is_some() => self.at += 1,
            b'"' if map.last.is_none() => {}
            _ => {
                self.name(map);
                return None;
            }
        }
        self.peek();
        let start = self.at;
        let name = self.string();
        let place = start..self.at;
        self.colon()?;
        self.note_name(map, name);
        Some(place)
    }

    #[inline]
    fn note_name(&mut self, map: &mut Level<'a>, name: &'a str) {
        if map.last.is_some_and(|last| !is_before(last.as_bytes(), name.as_bytes())) {
            map.is_sorted = false;
            self.is_not_canonical();
        }
        map.last = Some(name);
    }

    /// The colon after a name.
    #[inline]
    fn colon(&mut self) -> Option<()> {
        if self.peek() != b':' {
            self.fail(Expected::Colon);
            return None;
        }
        self.at += 1;
        Some(())
    }

    /// Whether a list has another item; if not, it has ended.
    #[inline]
    pub fn item(&mut self, list: &mut Level<'a>) -> bool {
        let is_start = list.last.replace("").is_none();
        match self.peek() {
            // Whether a value follows is for the next step to see.
            b',' if !is_start => self.at += 1,
            b']' => {
                self.close();
                return false;
            }
            1.. if is_start => {}
            _ if is_start => return self.item_of_part(list, Expected::Value),
            _ => return self.item_of_part(list, Expected::NextItem),
        }
        true
    }

    /// Passes over `true`, `false` or `null`.
    #[inline]
    pub fn word(&mut self) {
        let word: &[u8] = match self.peek() {
            b't' => b"true",
            b'f' => b"false",
            _ => b"null",
        };
        // Text after a word is a fault that the next step finds.
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        if rest.starts_with(word) {
            self.at += word.len();
        } else {
            let right = rest.iter().zip(word).take_while(|(byte, letter)| byte == letter).count();
            self.fail_at(self.at + right, Expected::Word);
        }
    }

    /// Where the reader is in its text: the beginning of a value once its start was asked for, or the end of the one
    /// that was just read.
    #[inline]
    pub fn here(&self) -> usize {
        self.at
    }

    /// Where the next value is in memory, once its start was asked for; `None` if it is not text throughout.
    #[inline]
    pub fn address(&self) -> Option<usize> {
        // Pieces of a text are distinguished by their addresses, as edits are.
        (self.at < self.text.len()).then(|| self.text.as_ptr() as usize + self.at)
    }

    /// Passes over a value whose length is known.
    #[inline]
    pub fn pass_known(&mut self, length: usize) {
        self.at = (self.at + length).min(self.text.len());
    }

    /// What is known of the text, all of which was read.
    pub fn finish(mut self) -> TextForm {
        self.end();
        if self.depth > 0 { TextForm::NotJson } else { self.form }
    }

    /// Passes over white space; more text is a fault.
    pub fn end(&mut self) {
        self.peek();
        if self.at < self.text.len() {
            self.fail(Expected::End);
        }
    }

    /// Reads all of the text.
    pub fn form_of_all(mut self) -> TextForm {
        self.pass();
        self.finish()
    }
}

/// Skips white space from `at` on, most of which is indentation.
fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    const SPACES: u64 = u64::from_le_bytes(*b"        ");
    while let Some(b' ' | b'\n' | b'\t' | b'\r') = bytes.get(at) {
        at += 1;
        while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
            let others = u64::from_le_bytes(*word) ^ SPACES;
            at += others.trailing_zeros() as usize / 8;
            if others != 0 {
                break;
            }
        }
    }
    at
}
