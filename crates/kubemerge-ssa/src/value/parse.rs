//! Reads JSON into values in one pass: text, or nodes of the value crate.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_value::walk::{MemberPair, pair_members};
use kubemerge_value::{Canonical, Document, Node, ParseError, PullReader, Start, TextForm, deep};

use super::same_text::{shared_end, shared_start};
use super::{Arena, Member, ParsedValue};

impl<'a> ParsedValue<'a> {
    /// Reads JSON text. Strings are borrowed where they have no escapes; of repeated members the last counts.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub fn parse(text: &'a [u8], arena: &'a Arena) -> Result<ParsedValue<'a>, ParseError> {
        let mut reader = ValueReader::new(PullReader::of_bytes(text, arena));
        let value = reader.value();
        match reader.json.finish() {
            // The check says what is wrong and where.
            TextForm::NotJson => Document::check(text).map(|_| ParsedValue::Null),
            _ => Ok(value),
        }
    }

    /// Reads a node of the value crate.
    pub fn from_node(node: Node<'a>, arena: &'a Arena) -> ParsedValue<'a> {
        ValueReader::new(PullReader::of_node(node, arena)).value()
    }

    /// Reads text in canonical form, which needs no check.
    pub fn from_canonical(text: &'a Canonical, arena: &'a Arena) -> ParsedValue<'a> {
        trusted(text.as_bytes(), arena)
    }
}

/// Reads text that was checked, or that is canonical.
fn trusted<'a>(text: &'a [u8], arena: &'a Arena) -> ParsedValue<'a> {
    ValueReader::new(PullReader::of_bytes(text, arena)).value()
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
    /// [`update`](crate::managed_fields::update) does not need. Objects whose fields have other names or
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

    fn trusted(old: &'a [u8], new: &'a [u8], arena: &'a Arena) -> ValuePair<'a> {
        let mut reader = ValueReader::new(PullReader::of_bytes(old, arena));
        reader.noted = Some(Vec::with_capacity(64));
        let old_value = reader.value();
        let mut known = Known::new(old, new);
        known.containers = reader.noted.take().unwrap_or_default();
        let mut reader = ValueReader::new(PullReader::of_bytes(new, arena));
        reader.known = Some(known);
        ValuePair { old: old_value, new: reader.value() }
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
    fn new(old: &[u8], new: &[u8]) -> Self {
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

struct ValueReader<'a> {
    json: PullReader<'a>,
    /// Containers that were read, in the order of their starts, if a later version wants to know them.
    noted: Option<Vec<Container<'a>>>,
    known: Option<Known<'a>>,
}

impl<'a> ValueReader<'a> {
    fn new(json: PullReader<'a>) -> Self {
        ValueReader { json, noted: None, known: None }
    }

    fn value(&mut self) -> ParsedValue<'a> {
        match self.json.start() {
            Start::Str => ParsedValue::String(self.json.string()),
            start @ (Start::Map | Start::List) => self.container(start),
            Start::Number => self.number(),
            Start::True => self.word(ParsedValue::Bool(true)),
            Start::False => self.word(ParsedValue::Bool(false)),
            Start::Null => self.word(ParsedValue::Null),
        }
    }

    fn container(&mut self, start: Start) -> ParsedValue<'a> {
        if self.noted.is_none() && self.known.is_none() {
            return self.parts(start);
        }
        let place = self.json.here();
        if let Some(known) = self.known.as_ref().and_then(|known| known.find(place)) {
            self.json.pass_known(known.end - known.start);
            return known.value;
        }
        let noted = self.noted.as_mut().map(|noted| {
            noted.push(Container { start: place, end: place, value: ParsedValue::Null });
            noted.len() - 1
        });
        let value = self.parts(start);
        let end = self.json.here();
        if let (Some(containers), Some(at)) = (&mut self.noted, noted) {
            containers[at] = Container { start: place, end, value };
        }
        value
    }

    fn parts(&mut self, start: Start) -> ParsedValue<'a> {
        deep(|| if start == Start::Map { self.map() } else { self.list() })
    }

    fn word(&mut self, value: ParsedValue<'a>) -> ParsedValue<'a> {
        self.json.word();
        value
    }

    fn map(&mut self) -> ParsedValue<'a> {
        let mut members = ArenaVec::with_capacity_in(8, self.json.arena());
        let mut level = self.json.open_map();
        while let Some(name) = self.json.name(&mut level) {
            members.push(Member { name, value: self.value() });
        }
        if !level.is_sorted() {
            sort(&mut members);
        }
        ParsedValue::Map(members.into_bump_slice())
    }

    fn list(&mut self) -> ParsedValue<'a> {
        let mut items = ArenaVec::new_in(self.json.arena());
        let mut level = self.json.open_list();
        while self.json.item(&mut level) {
            items.push(self.value());
        }
        ParsedValue::List(items.into_bump_slice())
    }

    fn number(&mut self) -> ParsedValue<'a> {
        let number = self.json.number();
        // Integers beyond 64 bits are floats, as in Go.
        number.int().map_or_else(|| ParsedValue::Float(number.float()), ParsedValue::Int)
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
