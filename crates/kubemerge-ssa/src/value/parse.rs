//! Reads JSON text into values in one pass.
//!
//! The value crate checks the text first; this file trusts it, and gives null where it is not JSON after all.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_value::walk::{MemberPair, pair_members};
use kubemerge_value::{Canonical, Document, Node, ParseError, SharedValue, Str, deep};

use super::string_end::{shared_end, shared_start, string_len};
use super::{Arena, Member, ParsedValue};

impl<'a> ParsedValue<'a> {
    /// Reads JSON text. Strings are borrowed where they have no escapes; of repeated members the last counts.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub fn parse(text: &'a [u8], arena: &'a Arena) -> Result<ParsedValue<'a>, ParseError> {
        Document::check(text)?;
        Ok(trusted(text, arena))
    }

    /// Reads text in canonical form, which needs no check.
    pub fn from_canonical(text: &'a Canonical, arena: &'a Arena) -> ParsedValue<'a> {
        trusted(text.as_bytes(), arena)
    }

    /// Reads a part of such text.
    pub fn from_shared(part: &'a SharedValue, arena: &'a Arena) -> ParsedValue<'a> {
        trusted(part.as_bytes(), arena)
    }
}

fn trusted<'a>(text: &'a [u8], arena: &'a Arena) -> ParsedValue<'a> {
    match std::str::from_utf8(text) {
        Ok(text) => Reader::new(text, arena).value(),
        // Checked and canonical text is always UTF-8.
        Err(_) => ParsedValue::Null,
    }
}

/// Two versions of a document. Containers whose text did not change are one value in both.
#[derive(Clone, Copy, Debug)]
pub struct ValuePair<'a> {
    /// The old version.
    pub old: ParsedValue<'a>,
    /// The new version.
    pub new: ParsedValue<'a>,
}

impl<'a> ValuePair<'a> {
    /// Reads two versions of a document.
    ///
    /// # Errors
    /// If one of the texts is not JSON.
    pub fn parse(old: &'a [u8], new: &'a [u8], arena: &'a Arena) -> Result<ValuePair<'a>, ParseError> {
        Document::check(old)?;
        Document::check(new)?;
        Ok(ValuePair::trusted(old, new, arena))
    }

    /// Reads two versions of an object without the fields at the top that are written alike in both, which
    /// [`update_valid`](crate::managed_fields::update_valid) does not need. Objects whose fields have other names or
    /// another order are read in full.
    pub fn differing(old: Node<'a>, new: Node<'a>, arena: &'a Arena) -> ValuePair<'a> {
        // Whether an object was stored before is in its metadata.
        let Some(pairs) = pair_members(new, old, |entry| !entry.key.is("metadata")) else {
            return ValuePair::trusted(text_of(old), text_of(new), arena);
        };
        let mut olds = ArenaVec::with_capacity_in(pairs.len(), arena);
        let mut news = ArenaVec::with_capacity_in(pairs.len(), arena);
        for MemberPair { entry, other } in pairs {
            let name = entry.key.text_in(arena);
            let ValuePair { old, new } = ValuePair::trusted(text_of(other), text_of(entry.value), arena);
            olds.push(Member { name, value: old });
            news.push(Member { name, value: new });
        }
        sort(&mut olds);
        sort(&mut news);
        ValuePair {
            old: ParsedValue::Map(olds.into_bump_slice()),
            new: ParsedValue::Map(news.into_bump_slice()),
        }
    }

    /// Reads two versions in canonical form, which need no check.
    pub fn from_canonical(old: &'a Canonical, new: &'a Canonical, arena: &'a Arena) -> ValuePair<'a> {
        ValuePair::trusted(old.as_bytes(), new.as_bytes(), arena)
    }

    /// Reads two versions of a part of such text.
    pub fn from_shared(old: &'a SharedValue, new: &'a SharedValue, arena: &'a Arena) -> ValuePair<'a> {
        ValuePair::trusted(old.as_bytes(), new.as_bytes(), arena)
    }

    fn trusted(old: &'a [u8], new: &'a [u8], arena: &'a Arena) -> ValuePair<'a> {
        let (Ok(old_text), Ok(new_text)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else {
            return ValuePair { old: trusted(old, arena), new: trusted(new, arena) };
        };
        let mut reader = Reader::new(old_text, arena);
        reader.noted = Some(Vec::with_capacity(64));
        let old = reader.value();
        let mut known = Known::new(old_text, new_text);
        known.containers = reader.noted.take().unwrap_or_default();
        reader.restart(new_text, known);
        ValuePair { old, new: reader.value() }
    }
}

/// The text of a node of a document; documents are text throughout.
fn text_of(node: Node<'_>) -> &[u8] {
    node.as_text().unwrap_or(b"null")
}

/// A map or list, and where its text is.
#[derive(Clone, Copy)]
struct Container<'a> {
    start: usize,
    end: usize,
    value: ParsedValue<'a>,
}

/// The containers of the old version, and how much of its text the new one has at its beginning and its end.
struct Known<'a> {
    containers: Vec<Container<'a>>,
    same_start: usize,
    same_end_from: usize,
    old_len: usize,
    new_len: usize,
}

impl<'a> Known<'a> {
    fn new(old: &str, new: &str) -> Self {
        let (old, new) = (old.as_bytes(), new.as_bytes());
        // A typical update changes one place, so nearly everything is before or after it.
        let same_start = shared_start(old, new);
        let same_end_from = new.len() - shared_end(old, new);
        Known { containers: Vec::new(), same_start, same_end_from, old_len: old.len(), new_len: new.len() }
    }

    /// The container of the old version that has the same text as the one at this place of the new one.
    fn find(&self, place: usize) -> Option<Container<'a>> {
        let at_start = place < self.same_start;
        if !at_start && place < self.same_end_from {
            return None;
        }
        let wanted = if at_start { place } else { (place + self.old_len).checked_sub(self.new_len)? };
        let found = self.containers.binary_search_by_key(&wanted, |known| known.start).ok()?;
        let known = self.containers[found];
        // A container that reaches into the change must be read again.
        (!at_start || known.end <= self.same_start).then_some(known)
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    arena: &'a Arena,
    /// Containers that were read, in the order of their starts, if a later version wants to know them.
    noted: Option<Vec<Container<'a>>>,
    known: Option<Known<'a>>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, arena: &'a Arena) -> Self {
        Reader { text, at: 0, arena, noted: None, known: None }
    }

    /// Goes on with another version of the text.
    fn restart(&mut self, text: &'a str, known: Known<'a>) {
        (self.text, self.at, self.known) = (text, 0, Some(known));
    }

    #[inline]
    fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                other => return *other,
            }
        }
        0
    }

    /// Takes a byte if it is next.
    #[inline]
    fn take(&mut self, wanted: u8) -> bool {
        let is_next = self.peek() == wanted;
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self) -> ParsedValue<'a> {
        match self.peek() {
            b'"' => ParsedValue::String(self.string()),
            b'{' | b'[' => self.container(),
            b't' => self.word("true", ParsedValue::Bool(true)),
            b'f' => self.word("false", ParsedValue::Bool(false)),
            b'n' => self.word("null", ParsedValue::Null),
            _ => self.number(),
        }
    }

    fn container(&mut self) -> ParsedValue<'a> {
        let start = self.at;
        if let Some(known) = self.known.as_ref().and_then(|known| known.find(start)) {
            self.at += known.end - known.start;
            return known.value;
        }
        let place = self.noted.as_mut().map(|noted| {
            noted.push(Container { start, end: start, value: ParsedValue::Null });
            noted.len() - 1
        });
        let is_map = self.text.as_bytes()[start] == b'{';
        let value = deep(|| if is_map { self.map() } else { self.list() });
        if let (Some(noted), Some(place)) = (&mut self.noted, place) {
            noted[place] = Container { start, end: self.at, value };
        }
        value
    }

    fn word(&mut self, word: &str, value: ParsedValue<'a>) -> ParsedValue<'a> {
        self.at += word.len();
        value
    }

    fn map(&mut self) -> ParsedValue<'a> {
        self.at += 1;
        let mut members = ArenaVec::with_capacity_in(8, self.arena);
        let mut is_sorted = true;
        while self.peek() == b'"' {
            let name = self.string();
            self.take(b':');
            is_sorted &= members.last().is_none_or(|last: &Member<'a>| last.name < name);
            members.push(Member { name, value: self.value() });
            self.take(b',');
        }
        self.take(b'}');
        if !is_sorted {
            sort(&mut members);
        }
        ParsedValue::Map(members.into_bump_slice())
    }

    fn list(&mut self) -> ParsedValue<'a> {
        self.at += 1;
        let mut items = ArenaVec::new_in(self.arena);
        while !matches!(self.peek(), b']' | 0) {
            let before = self.at;
            items.push(self.value());
            self.take(b',');
            // Cannot happen on checked text, and must not loop on other text.
            if self.at == before {
                break;
            }
        }
        self.take(b']');
        ParsedValue::List(items.into_bump_slice())
    }

    fn number(&mut self) -> ParsedValue<'a> {
        let rest = &self.text[self.at..];
        let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
        let end = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        self.at += end;
        let digits = &rest[..end];
        match digits.parse::<i64>() {
            // Go reads -0 as the integer 0.
            Ok(int) => ParsedValue::Int(int),
            // Integers beyond 64 bits are floats, as in Go. The text was checked, so every literal is a number.
            Err(_) => ParsedValue::Float(digits.parse().unwrap_or_default()),
        }
    }

    #[inline]
    fn string(&mut self) -> &'a str {
        self.at += 1;
        let rest = &self.text.as_bytes()[self.at..];
        // Values are longer than labels, for which `quote_or_escape` is faster.
        match memchr::memchr2(b'"', b'\\', rest) {
            Some(end) if rest[end] == b'"' => {
                let text = &self.text[self.at..self.at + end];
                self.at += end + 1;
                text
            }
            _ => self.escaped_string(),
        }
    }

    fn escaped_string(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let len = string_len(rest.as_bytes()).unwrap_or(rest.len());
        self.at += (len + 1).min(rest.len());
        Str::given(&rest.as_bytes()[..len]).text_in(self.arena)
    }
}

/// Sorts members by name; of repeated ones the last one stays.
fn sort<'a>(members: &mut ArenaVec<'a, Member<'a>>) {
    if members.is_sorted_by(|one, two| one.name < two.name) {
        return;
    }
    // Of repeated members the last one counts: reversed and sorted stably, it comes first.
    members.reverse();
    members.sort_by(|one, two| one.name.cmp(two.name));
    members.dedup_by(|later, kept| later.name == kept.name);
}
