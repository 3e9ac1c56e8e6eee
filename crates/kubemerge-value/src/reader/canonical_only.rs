//! Reading JSON text step by step, without building anything.
//!
//! [`Reader::new`] reads text that may be canonical, as Go's encoder and most typed clients write it, and trusts
//! nothing: each step is checked, and text that was read to its end is a [`Canonical`] document. A step that fails
//! says nothing about the text, except that it needs the full check. [`Canonical::reader`] and
//! [`SharedValue::reader`] read text that is known to be canonical; no step of a caller that asks first fails there.

#[cfg(test)]
mod tests;

use smallvec::SmallVec;

use crate::{
    check::number_end,
    document::Canonical,
    node::{Kind, Node, Repr},
    number,
    scan::{plain_end, string_end, word_end},
    shared::{ByteSpan, SharedValue},
    string::is_before,
    text::{Extent, Form, Text},
};

/// A place in unchecked text. Every step answers `None` if the text is not surely canonical.
///
/// ```
/// use kubemerge_value::Reader;
///
/// let mut reader = Reader::new(br#"{"a":[1,"x"],"b":true}"#);
/// let mut names = Vec::new();
/// reader.open_map().unwrap();
/// while let Some(name) = reader.name().unwrap() {
///     names.push(name);
///     reader.pass().unwrap();
/// }
/// assert_eq!(names, [b"a", b"b"]);
/// assert!(reader.finish().is_some());
///
/// assert_eq!(Reader::new(b"[01]").pass(), None);
/// ```
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    next: Next,
    inside: Inside,
    /// The last name in the map that is open, if there was one.
    last: &'a [u8],
    /// The containers around each open map and list, with the last name there.
    outside: SmallVec<[(Inside, &'a [u8]); 8]>,
    trust: Trust,
}

/// What is known of the text before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    /// It may be anything.
    Nothing,
    /// It is canonical, however deep it is nested and whatever its names are.
    Canonical,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// A value.
    Value,
    /// The first member or item of what was just opened, or its end.
    First,
    /// Another member or item, or the end.
    Another,
    /// Nothing: the text was read.
    End,
}

/// What was opened last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Nothing,
    Map,
    List,
}

/// Text that is nested deeper needs an index of its ends, which the reader does not build.
// The same bound as for canonical documents without an index.
const MAX_NESTING: usize = 64;

impl Canonical {
    /// Reads the text from its start.
    pub fn reader(&self) -> Reader<'_> {
        Reader::with_trust(self.as_bytes(), Trust::Canonical)
    }
}

impl SharedValue {
    /// Reads the value from its start.
    pub fn reader(&self) -> Reader<'_> {
        Reader::with_trust(self.as_bytes(), Trust::Canonical)
    }
}

impl<'a> Reader<'a> {
    /// The beginning of a text; white space around it does not count.
    pub fn new(text: &'a [u8]) -> Self {
        Reader::with_trust(trimmed(text), Trust::Nothing)
    }

    fn with_trust(text: &'a [u8], trust: Trust) -> Self {
        let outside = SmallVec::new();
        Reader { text, at: 0, next: Next::Value, inside: Inside::Nothing, last: b"", outside, trust }
    }

    /// The next byte; 0 at the end.
    #[inline]
    pub fn next_byte(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    /// Where the next value begins.
    #[inline]
    pub fn here(&self) -> usize {
        self.at
    }

    /// The place of a value that began there and was just read.
    #[inline]
    pub fn span_from(&self, start: usize) -> ByteSpan {
        ByteSpan::new(start..self.at)
    }

    /// Steps into a map.
    #[inline]
    pub fn open_map(&mut self) -> Option<()> {
        self.open(b'{', Inside::Map)
    }

    /// Steps into a list.
    #[inline]
    pub fn open_list(&mut self) -> Option<()> {
        self.open(b'[', Inside::List)
    }

    #[inline]
    fn open(&mut self, bracket: u8, inside: Inside) -> Option<()> {
        // A trusted document has its own index of ends.
        let fits = self.outside.len() < MAX_NESTING || self.trust == Trust::Canonical;
        let fits = self.next == Next::Value && fits;
        if !fits || self.next_byte() != bracket {
            return None;
        }
        self.at += 1;
        self.outside.push((self.inside, self.last));
        (self.inside, self.next) = (inside, Next::First);
        Some(())
    }

    /// The name of the next member of the map that is open; the inner `None` says that the map has ended.
    #[inline]
    pub fn name(&mut self) -> Option<Option<&'a [u8]>> {
        let is_first = self.next == Next::First;
        if self.inside != Inside::Map {
            return None;
        }
        if !self.another(b'}')? {
            return Some(None);
        }
        let start = self.at + 1;
        if self.next_byte() != b'"' {
            return None;
        }
        let end = self.string_end(start, end_of_unusual_name)?;
        let name = &self.text[start..end];
        // The text of a name with escapes does not tell its order, so trusted names are not compared.
        let is_next = is_first || self.trust == Trust::Canonical || is_before(self.last, name);
        if !is_next || self.text.get(end + 1) != Some(&b':') {
            return None;
        }
        (self.at, self.next, self.last) = (end + 2, Next::Value, name);
        Some(Some(name))
    }

    /// Whether the list that is open has another item; if not, it has ended.
    #[inline]
    pub fn item(&mut self) -> Option<bool> {
        if self.inside != Inside::List {
            return None;
        }
        let more = self.another(b']')?;
        if more {
            self.next = Next::Value;
        }
        Some(more)
    }

    /// Passes over a comma, or over the bracket that ends a map or list.
    #[inline]
    fn another(&mut self, bracket: u8) -> Option<bool> {
        let byte = self.next_byte();
        match self.next {
            Next::First | Next::Another if byte == bracket => {
                self.at += 1;
                (self.inside, self.last) = self.outside.pop()?;
                self.value_ends();
                Some(false)
            }
            Next::First => Some(true),
            Next::Another if byte == b',' => {
                self.at += 1;
                Some(true)
            }
            _ => None,
        }
    }

    #[inline]
    fn value_ends(&mut self) {
        self.next = if self.inside == Inside::Nothing { Next::End } else { Next::Another };
    }

    /// Passes over a scalar that ends there.
    #[inline]
    fn scalar(&mut self, end: usize) -> Option<&'a [u8]> {
        let word = self.text.get(self.at..end).filter(|_| self.next == Next::Value)?;
        self.at = end;
        self.value_ends();
        Some(word)
    }

    /// Passes over a string; answers its text without the quotes.
    #[inline]
    pub fn string(&mut self) -> Option<&'a [u8]> {
        if self.next_byte() != b'"' {
            return None;
        }
        let start = self.at + 1;
        let end = self.string_end(start, end_of_unusual_string)?;
        self.scalar(end + 1)?;
        self.text.get(start..end)
    }

    /// Where the closing quote of a string is. Strings that are not plain take another look; in trusted text every
    /// escape is one that Go writes.
    #[inline]
    fn string_end(
        &self,
        start: usize,
        unusual: impl Fn(&[u8], usize, usize) -> Option<usize>,
    ) -> Option<usize> {
        let end = plain_end(self.text, start);
        match self.text.get(end) {
            Some(b'"') => Some(end),
            // Escapes are known to be canonical.
            _ if self.trust == Trust::Canonical => string_end(self.text, start).end.checked_sub(1),
            _ => unusual(self.text, start, end),
        }
    }

    /// Passes over `true`, `false` or `null`.
    #[inline]
    pub fn word(&mut self) -> Option<&'a [u8]> {
        let rest = self.text.get(self.at..)?;
        let word = [&b"true"[..], b"false", b"null"].into_iter().find(|word| rest.starts_with(word))?;
        self.scalar(self.at + word.len())
    }

    /// Passes over a number.
    #[inline]
    pub fn number(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        let digits = start + usize::from(self.next_byte() == b'-');
        let rest = self.text.get(digits..)?;
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let zero_first = rest.first() == Some(&b'0') && (length > 1 || digits > start);
        let is_float = matches!(rest.get(length), Some(b'.' | b'e' | b'E'));
        // Up to 18 digits without a fraction are canonical as they are.
        if is_float || zero_first || !(1..=18).contains(&length) {
            return self.unusual_number();
        }
        self.scalar(digits + length)
    }

    /// A number that is written as Go writes it, though it is no plain integer.
    #[cold]
    fn unusual_number(&mut self) -> Option<&'a [u8]> {
        let end = number_end(self.text, self.at)?;
        let (word, mut written) = (self.text.get(self.at..end)?, Vec::new());
        number::write_canonical(word, &mut written);
        // Canonical if and only if writing it again changes nothing.
        if written == word { self.scalar(end) } else { None }
    }

    /// Passes over the next value, whatever it is.
    pub fn pass(&mut self) -> Option<()> {
        let outside = self.outside.len();
        self.step()?;
        while self.outside.len() > outside {
            let more = match self.inside {
                Inside::Map => self.name()?.is_some(),
                Inside::List | Inside::Nothing => self.item()?,
            };
            if more {
                self.step()?;
            }
        }
        Some(())
    }

    /// Passes over a scalar, or into a map or list.
    fn step(&mut self) -> Option<()> {
        match self.next_byte() {
            b'{' => self.open_map(),
            b'[' => self.open_list(),
            b'"' => self.string().map(|_| ()),
            b't' | b'f' | b'n' => self.word().map(|_| ()),
            _ => self.number().map(|_| ()),
        }
    }

    /// The type of the next value; `None` where no value comes next.
    #[inline]
    pub fn next_kind(&self) -> Option<Kind> {
        if self.next != Next::Value {
            return None;
        }
        Some(match self.next_byte() {
            b'{' => Kind::Map,
            b'[' => Kind::List,
            b'"' => Kind::String,
            b't' | b'f' => Kind::Bool,
            b'n' => Kind::Null,
            _ if number::is_int(&self.text[self.at..word_end(self.text, self.at)]) => Kind::Int,
            _ => Kind::Float,
        })
    }

    /// Passes over a scalar.
    pub fn scalar_node(&mut self) -> Option<Node<'a>> {
        if matches!(self.next_byte(), b'{' | b'[') {
            return None;
        }
        let start = self.at;
        self.pass()?;
        let bytes = &self.text[start..self.at];
        // A scalar needs no ends.
        Some(Node(Repr::Text(Text { bytes, form: Form::Canonical, extent: Extent::Closed, ends: None })))
    }

    /// The text as a document, if all of it was read.
    pub fn finish(self) -> Option<Canonical> {
        self.is_finished().then(|| Canonical::written(self.text.to_vec(), MAX_NESTING))
    }

    /// Whether all of the text was read.
    pub fn is_finished(&self) -> bool {
        self.next == Next::End && self.at == self.text.len()
    }
}

/// The text without the white space around it; that of JSON, which has less of it than ASCII.
fn trimmed(text: &[u8]) -> &[u8] {
    let is_text = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let start = text.iter().position(is_text).unwrap_or(text.len());
    let end = text.iter().rposition(is_text).map_or(start, |last| last + 1);
    &text[start..end]
}

/// The position of the closing quote of a string that is not plain from `at` on, if it is written as Go does.
#[cold]
fn end_of_unusual_string(text: &[u8], start: usize, mut at: usize) -> Option<usize> {
    loop {
        at += match text.get(at)? {
            b'"' => break,
            b'\\' => escape_length(&text[at..])?,
            // Go escapes these, so text with them is not canonical.
            0..=0x1f | b'<' | b'>' | b'&' => return None,
            _ => 1,
        };
    }
    let inner = std::str::from_utf8(&text[start..at]).ok()?;
    // Go escapes both, since JavaScript once took them for line ends.
    (!inner.contains(['\u{2028}', '\u{2029}'])).then_some(at)
}

/// The same for a name. Where one has escapes its text does not tell its order, so that there is no end.
#[cold]
fn end_of_unusual_name(text: &[u8], start: usize, at: usize) -> Option<usize> {
    // Names with escapes cannot be compared as bytes to prove their order.
    end_of_unusual_string(text, start, at).filter(|end| !text[start..*end].contains(&b'\\'))
}

/// How long an escape is, if Go's encoder writes it and it is a common one.
fn escape_length(text: &[u8]) -> Option<usize> {
    match text {
        [_, b'"' | b'\\' | b'n' | b'r' | b't', ..] => Some(2),
        _ => [br"\u003c", br"\u003e", br"\u0026"].iter().any(|known| text.starts_with(*known)).then_some(6),
    }
}
