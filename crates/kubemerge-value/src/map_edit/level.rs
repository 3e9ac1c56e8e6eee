//! A level that was expanded: every member in reach, in any order.

use crate::{
    Arena,
    node::Entry,
    node::{Built, NO_GAP, Order, Piece, Tail},
    node::{Node, Repr},
    part::{item_at, part_of},
    scan::skip_space,
    string::Str,
    text::{MemberScan, Text},
};
use bumpalo::collections::Vec as ArenaVec;
use hashbrown::HashMap;

/// The members of a map, and the change to each.
pub(super) struct Level<'a> {
    source: Source<'a>,
    members: ArenaVec<'a, Member>,
    /// The new values of members that were replaced.
    values: ArenaVec<'a, Node<'a>>,
    added: ArenaVec<'a, Piece<'a>>,
    pieces: ArenaVec<'a, Piece<'a>>,
    found: usize,
    seeks: usize,
    index: Option<HashMap<Str<'a>, usize>>,
}

/// Where the members are.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// In this text, at their places.
    Text(Text<'a>),
    /// Here.
    Entries(&'a [Entry<'a>]),
}

/// A member: its place, if it is in a text. Small, because there may be very many.
#[derive(Clone, Copy, Default)]
struct Member {
    start: u32,
    name_end: u32,
    value_at: u32,
    end: u32,
    escapes: bool,
    change: MemberChange,
}

#[derive(Clone, Copy, Default)]
pub(super) enum MemberChange {
    #[default]
    Keep,
    /// The value at this place among the new ones.
    Become(u32),
    Drop,
}

/// Room for as many members as most maps have.
const USUAL_MEMBERS: usize = 16;

/// From this many members and look-ups on, a hash index pays.
// An index pays once members times searches are many; before that a scan is faster.
const INDEX_FROM: (usize, usize) = (16, 4);

impl<'a> Level<'a> {
    pub(super) fn new(base: Node<'a>, arena: &'a Arena) -> Self {
        let mut members = ArenaVec::with_capacity_in(USUAL_MEMBERS, arena);
        let source = match base.0 {
            Repr::Text(text) if text.first() == b'{' => Source::Text(expand(text, &mut members)),
            _ => {
                let entries = base.all_members(arena);
                members.resize(entries.len(), Member::default());
                Source::Entries(entries)
            }
        };
        Level {
            source,
            members,
            values: ArenaVec::new_in(arena),
            added: ArenaVec::new_in(arena),
            pieces: ArenaVec::new_in(arena),
            found: usize::MAX,
            seeks: 0,
            index: None,
        }
    }

    fn key(&self, at: usize) -> Str<'a> {
        match self.source {
            Source::Text(text) => item_at(&self.members, at).key(text),
            Source::Entries(entries) => item_at(entries, at).key,
        }
    }

    fn value(&self, at: usize) -> Node<'a> {
        match self.source {
            Source::Text(text) => {
                let Member { value_at, end, .. } = *item_at(&self.members, at);
                Node(Repr::Text(text.closed(part_of(text.bytes, value_at as usize..end as usize))))
            }
            Source::Entries(entries) => item_at(entries, at).value,
        }
    }

    pub(super) fn seek(&mut self, key: Str<'_>) -> Option<Node<'a>> {
        self.found = self.position(key).unwrap_or(usize::MAX);
        match self.members.get(self.found)?.change {
            MemberChange::Keep => Some(self.value(self.found)),
            MemberChange::Become(at) => Some(*item_at(&self.values, at as usize)),
            MemberChange::Drop => None,
        }
    }

    fn position(&mut self, key: Str<'_>) -> Option<usize> {
        self.seeks += 1;
        if self.members.len() < INDEX_FROM.0 || self.seeks < INDEX_FROM.1 {
            // From the end, because the last of repeated members counts.
            return (0..self.members.len()).rfind(|at| self.key(*at) == key);
        }
        if self.index.is_none() {
            self.index = Some(self.index_members());
        }
        self.index.as_ref()?.get(&key).copied()
    }

    /// Indexes the members by name and drops all but the last of repeated ones.
    fn index_members(&mut self) -> HashMap<Str<'a>, usize> {
        let mut index = HashMap::with_capacity(self.members.len());
        for at in 0..self.members.len() {
            // Go keeps the last of repeated members.
            if let Some(earlier) = index.insert(self.key(at), at) {
                self.drop_member(earlier);
            }
        }
        index
    }

    /// Gives the member that was found another value.
    pub(super) fn become_value(&mut self, value: Node<'a>) {
        self.values.push(value);
        self.set_change(MemberChange::Become(self.values.len() as u32 - 1));
    }

    /// Changes the member that was found, and drops earlier members of its name.
    pub(super) fn set_change(&mut self, change: MemberChange) {
        let Some(member) = self.members.get_mut(self.found) else { return };
        member.change = change;
        // The index has dropped earlier members of the same name already.
        if self.index.is_some() {
            return;
        }
        let key = self.key(self.found);
        for earlier in 0..self.found {
            if self.key(earlier) == key {
                self.drop_member(earlier);
            }
        }
    }

    fn drop_member(&mut self, at: usize) {
        if let Some(member) = self.members.get_mut(at) {
            member.change = MemberChange::Drop;
        }
    }

    pub(super) fn insert(&mut self, key: Str<'a>, value: Node<'a>) {
        self.added.push(Piece::entry(key, value));
    }

    pub(super) fn retain(&mut self, keep: impl Fn(Str<'a>) -> bool) {
        for at in 0..self.members.len() {
            if !keep(self.key(at)) {
                self.drop_member(at);
            }
        }
    }

    pub(super) fn finish(mut self) -> Built<'a> {
        let mut kept = 0;
        for at in 0..self.members.len() {
            let value = match (item_at(&self.members, at).change, self.source) {
                // Untouched members are copied in runs.
                (MemberChange::Keep, Source::Text(_)) => continue,
                (MemberChange::Keep, Source::Entries(entries)) => Some(item_at(entries, at).value),
                (MemberChange::Become(value), _) => Some(*item_at(&self.values, value as usize)),
                (MemberChange::Drop, _) => None,
            };
            self.keep(kept, at);
            kept = at + 1;
            if let Some(value) = value {
                let entry = Entry { key: self.key(at), value };
                self.pieces.push(Piece::Entry { gap: self.gap(at), entry });
            }
        }
        self.keep(kept, self.members.len());
        self.pieces.extend(self.added.iter().copied());
        let tail = match self.source {
            Source::Text(text) => {
                Tail::Rest(text.closed(part_of(text.bytes, self.end_of(self.members.len())..)))
            }
            Source::Entries(_) => Tail::Bracket,
        };
        Built::new(self.pieces.into_bump_slice(), tail, Order::AsBuilt)
    }

    /// Keeps the members from `first` up to `until` as they are in the text.
    fn keep(&mut self, first: usize, until: usize) {
        let Source::Text(text) = self.source else { return };
        if first < until {
            let start = item_at(&self.members, first).start as usize;
            let text = text.closed(part_of(text.bytes, start..self.end_of(until)));
            self.pieces.push(Piece::Run { gap: self.gap(first), text });
        }
    }

    /// The text before a member.
    fn gap(&self, at: usize) -> &'a [u8] {
        match self.source {
            Source::Text(text) => {
                part_of(text.bytes, self.end_of(at)..item_at(&self.members, at).start as usize)
            }
            Source::Entries(_) => NO_GAP,
        }
    }

    /// The position after the first `count` members of the text.
    fn end_of(&self, count: usize) -> usize {
        count.checked_sub(1).map_or(1, |last| item_at(&self.members, last).end as usize)
    }
}

impl Member {
    #[inline]
    fn key<'a>(&self, text: Text<'a>) -> Str<'a> {
        text.name(self.start as usize, self.name_end as usize, self.escapes)
    }
}

/// Notes the places of all members, and cuts the text after the map.
fn expand<'a>(text: Text<'a>, members: &mut ArenaVec<'a, Member>) -> Text<'a> {
    let mut scan = MemberScan::of_map(text);
    while let Some(name) = scan.next_name() {
        members.push(Member {
            start: name.start as u32,
            name_end: name.end as u32,
            value_at: name.value_at as u32,
            end: scan.last_end() as u32,
            escapes: name.key.has_escapes(),
            change: MemberChange::Keep,
        });
    }
    // The text may be open, i.e. go on to the end of the document; this map ends here.
    let bracket = skip_space(text.bytes, scan.last_end());
    text.closed(part_of(text.bytes, ..text.bytes.len().min(bracket + 1)))
}
