//! One member of a map in text without order: a walk over all names finds it, and nothing is kept of the others.

use super::level::{Fate, Level};
use crate::{
    Arena,
    node::Entry,
    node::{Built, Order, Piece, Tail},
    node::{Node, Repr},
    scan::skip_space,
    string::Str,
    text::{MemberName, MemberScan, Text},
};
use bumpalo::collections::Vec as ArenaVec;

/// A map of which one member is looked for.
pub(super) struct Search<'a> {
    text: Text<'a>,
    found: Option<Found<'a>>,
    change: Change<'a>,
}

/// What the walk over the names has found.
#[derive(Clone, Copy)]
struct Found<'a> {
    /// The start of the first member, or the closing bracket.
    first: usize,
    /// Behind the last member.
    end: usize,
    hit: Option<Hit<'a>>,
}

/// The member that was looked for.
#[derive(Clone, Copy)]
struct Hit<'a> {
    name: MemberName<'a>,
    end: usize,
    /// The start of the member behind it.
    next: Option<usize>,
}

#[derive(Clone, Copy)]
enum Change<'a> {
    None,
    Become(Node<'a>),
    Drop,
    Add(Str<'a>, Node<'a>),
}

/// One walk is not enough: the map has the member more than once, or there is a second change.
pub(super) struct Crowded;

impl<'a> Search<'a> {
    pub(super) fn new(text: Text<'a>) -> Self {
        Search { text, found: None, change: Change::None }
    }

    pub(super) fn seek(&mut self, key: Str<'_>) -> Result<Option<Node<'a>>, Crowded> {
        if self.found.is_some() {
            return Err(Crowded);
        }
        let found = find(self.text, key).ok_or(Crowded)?;
        self.found = Some(found);
        let value = |hit: Hit<'a>| self.text.closed(&self.text.bytes[hit.name.value_at..hit.end]);
        Ok(found.hit.map(|hit| Node(Repr::Text(value(hit)))))
    }

    pub(super) fn replace(&mut self, value: Node<'a>) {
        self.change = Change::Become(value);
    }

    pub(super) fn remove(&mut self) {
        self.change = Change::Drop;
    }

    pub(super) fn insert(&mut self, key: Str<'a>, value: Node<'a>) -> Result<(), Crowded> {
        if !matches!(self.change, Change::None) {
            return Err(Crowded);
        }
        self.change = Change::Add(key, value);
        Ok(())
    }

    /// The same edit with all members in reach.
    pub(super) fn expand(&self, arena: &'a Arena) -> Level<'a> {
        let mut level = Level::new(Node(Repr::Text(self.text)), arena);
        if let Some(hit) = self.found.and_then(|found| found.hit) {
            level.seek(hit.name.key);
        }
        match self.change {
            Change::None => {}
            Change::Become(value) => level.become_value(value),
            Change::Drop => level.change(Fate::Drop),
            Change::Add(key, value) => level.insert(key, value),
        }
        level
    }

    pub(super) fn finish(self, arena: &'a Arena) -> Built<'a> {
        let Some(found) = self.found else { return self.expand(arena).finish() };
        let mut pieces = ArenaVec::with_capacity_in(3, arena);
        match (found.hit, self.change) {
            (Some(hit), Change::Become(_) | Change::Drop) => {
                self.keep(1, found.first, hit.name.gap, &mut pieces);
                if let Change::Become(value) = self.change {
                    let gap = &self.text.bytes[hit.name.gap..hit.name.start];
                    pieces.push(Piece::Entry { gap, entry: Entry { key: hit.name.key, value } });
                }
                self.keep(hit.end, hit.next.unwrap_or(found.end), found.end, &mut pieces);
            }
            _ => self.keep(1, found.first, found.end, &mut pieces),
        }
        if let Change::Add(key, value) = self.change {
            pieces.push(Piece::entry(key, value));
        }
        let bracket = skip_space(self.text.bytes, found.end);
        let rest = &self.text.bytes[found.end..self.text.bytes.len().min(bracket + 1)];
        Built::new(pieces.into_bump_slice(), Tail::Rest(self.text.closed(rest)), Order::AsBuilt)
    }

    /// Keeps the members from `start` up to `end`, and the gap before them.
    fn keep(&self, gap: usize, start: usize, end: usize, pieces: &mut ArenaVec<'a, Piece<'a>>) {
        if start < end {
            let text = self.text.closed(&self.text.bytes[start..end]);
            pieces.push(Piece::Run { gap: &self.text.bytes[gap..start], text });
        }
    }
}

/// The value of a member; `None` if the map has it not, or more than once.
pub(crate) fn find_given<'a>(text: Text<'a>, key: Str<'_>) -> Option<Node<'a>> {
    let hit = find(text, key)?.hit?;
    Some(Node(Repr::Text(text.closed(&text.bytes[hit.name.value_at..hit.end]))))
}

/// Looks for a member; `None` if the map has it more than once.
fn find<'a>(text: Text<'a>, key: Str<'_>) -> Option<Found<'a>> {
    let mut scan = MemberScan::of_map(text);
    let (mut first, mut hit) = (None, None::<Hit<'a>>);
    while let Some(name) = scan.next_name() {
        first.get_or_insert(name.start);
        if let Some(hit) = hit.as_mut().filter(|hit| hit.next.is_none()) {
            (hit.end, hit.next) = (name.gap, Some(name.start));
        }
        if name.key == key {
            if hit.is_some() {
                return None;
            }
            hit = Some(Hit { name, end: 0, next: None });
        }
    }
    let end = scan.settle();
    if let Some(hit) = hit.as_mut().filter(|hit| hit.next.is_none()) {
        hit.end = end;
    }
    Some(Found { first: first.unwrap_or(end), end, hit })
}
