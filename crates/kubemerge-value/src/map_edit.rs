//! Editing a map: look members up, replace, remove and insert them, and keep the rest as it is.
//!
//! This is the one place that knows whether the members of a source are sorted. Over canonical text the walk
//! goes forward only and stops behind the last edit; over any other source the level is expanded first.

use crate::{
    Arena,
    built::{Built, BuiltMembers, NO_GAP, Order, Piece, Tail},
    node::{Entry, Node, Repr},
    scan::member_behind,
    string::Str,
    text::{Extent, Form, MemberScan, Resume, Text, TextMember},
};
use bumpalo::collections::Vec as ArenaVec;
use hashbrown::HashMap;
use serde_json::Value;
use std::cmp::Ordering;

/// An edit of a map in progress.
pub struct MapEdit<'a> {
    arena: &'a Arena,
    base: Base<'a>,
}

enum Base<'a> {
    Walk(Walk<'a>),
    Level(Level<'a>),
}

impl<'a> MapEdit<'a> {
    /// Starts from the members of `base`; from none if it is no map.
    pub fn new(base: Node<'a>, arena: &'a Arena) -> Self {
        let base = match base.0 {
            Repr::Text(text) if text.form == Form::Canonical && text.first() == b'{' => {
                Base::Walk(Walk::new(text, arena))
            }
            _ => Base::Level(Level::new(base, arena)),
        };
        MapEdit { arena, base }
    }

    /// As [`new`](Self::new), for members that are sought in any order.
    pub fn expanded(base: Node<'a>, arena: &'a Arena) -> Self {
        MapEdit { arena, base: Base::Level(Level::new(base, arena)) }
    }

    /// Whether members must be sought and inserted in the order of their names.
    pub fn wants_sorted_keys(&self) -> bool {
        matches!(self.base, Base::Walk(_))
    }

    /// Finds the member of this name. It is kept unless [`replace`](Self::replace) or
    /// [`remove`](Self::remove) follows.
    pub fn seek(&mut self, key: Str<'_>) -> Option<Node<'a>> {
        match &mut self.base {
            Base::Walk(walk) => walk.seek(key),
            Base::Level(level) => level.seek(key),
        }
    }

    /// Gives the member that `seek` found another value.
    pub fn replace(&mut self, value: Node<'a>) {
        match &mut self.base {
            Base::Walk(walk) => walk.replace(value),
            Base::Level(level) => level.change(Fate::Become(value)),
        }
    }

    /// Removes the member that `seek` found.
    pub fn remove(&mut self) {
        match &mut self.base {
            Base::Walk(walk) => walk.remove(),
            Base::Level(level) => level.change(Fate::Drop),
        }
    }

    /// Adds a member that `seek` did not find.
    pub fn insert(&mut self, key: Str<'a>, value: Node<'a>) {
        match &mut self.base {
            Base::Walk(walk) => walk.insert(key, value),
            Base::Level(level) => level.added.push(Piece::entry(key, value)),
        }
    }

    /// Removes every member of the base that `keep` refuses. Must come before any `seek`.
    pub fn retain(&mut self, keep: impl Fn(Str<'a>) -> bool) {
        if let Base::Walk(walk) = &self.base {
            self.base = Base::Level(Level::new(Node(Repr::Text(walk.text)), self.arena));
        }
        if let Base::Level(level) = &mut self.base {
            level.retain(keep);
        }
    }

    /// The edited map.
    pub fn finish(self) -> Node<'a> {
        let built = match self.base {
            Base::Walk(walk) => walk.finish(),
            Base::Level(level) => level.finish(),
        };
        Node(Repr::Map(self.arena.alloc(built)))
    }
}

/// A forward walk over canonical text.
struct Walk<'a> {
    text: Text<'a>,
    scan: MemberScan<'a>,
    /// Read, but not yet behind us.
    current: Option<TextMember<'a>>,
    /// Where the members that are kept verbatim begin: gap and first name.
    run: Option<(usize, usize)>,
    pieces: ArenaVec<'a, Piece<'a>>,
    /// The last piece is a map that was left early, and nobody has looked for its end.
    last_is_open: bool,
    /// No member was searched for in vain yet.
    may_leap: bool,
}

/// After so many members that are not the wanted one, a search for its name pays.
const MANY: usize = 16;

impl<'a> Walk<'a> {
    fn new(text: Text<'a>, arena: &'a Arena) -> Self {
        Walk {
            text,
            scan: MemberScan::of_map(text),
            current: None,
            run: None,
            pieces: ArenaVec::with_capacity_in(3, arena),
            last_is_open: false,
            may_leap: true,
        }
    }

    fn seek(&mut self, key: Str<'_>) -> Option<Node<'a>> {
        if let Some(member) = self.current {
            match member.key.cmp(&key) {
                Ordering::Less => self.pass(&member),
                Ordering::Equal => return Some(Node(Repr::Text(member.value))),
                Ordering::Greater => return None,
            }
        }
        self.last_is_open = false;
        self.current = None;
        let mut passed = 0;
        loop {
            let member = self.scan.next()?;
            match member.key.cmp(&key) {
                Ordering::Less => {
                    self.pass(&member);
                    passed += 1;
                    if passed == MANY {
                        self.leap(key);
                    }
                }
                order => {
                    self.current = Some(member);
                    return (order == Ordering::Equal).then_some(Node(Repr::Text(member.value)));
                }
            }
        }
    }

    /// Goes right before the member of this name, if a search finds it. A search in vain is not repeated.
    fn leap(&mut self, key: Str<'_>) {
        if !self.may_leap {
            return;
        }
        let mut member = vec![b','];
        key.write_canonical(&mut member);
        member.push(b':');
        match member_behind(self.text.bytes, self.scan.settle(), &member) {
            Some(at) => self.scan.resume(Resume { at, depth: 0 }),
            None => self.may_leap = false,
        }
    }

    /// Keeps a member verbatim.
    fn pass(&mut self, member: &TextMember<'a>) {
        self.run.get_or_insert((member.gap, member.start));
    }

    /// Ends the run of kept members before `end`.
    fn flush(&mut self, end: usize) {
        if let Some((gap, start)) = self.run.take() {
            let bytes = self.text.bytes;
            let text = self.text.closed(&bytes[start..end]);
            self.pieces.push(Piece::Run { gap: &bytes[gap..start], text });
        }
    }

    fn replace(&mut self, value: Node<'a>) {
        let Some(member) = self.current.take() else { return };
        self.flush(member.gap);
        let gap = &self.text.bytes[member.gap..member.start];
        self.pieces.push(Piece::Entry { gap, entry: Entry { key: member.key, value } });
        if let Some(end) = end_of_list(member, value) {
            self.scan.resume(Resume { at: end, depth: 0 });
        } else if let Some(resume) = resume_inside(self.text, member.value, value) {
            self.last_is_open = true;
            self.scan.resume(resume);
        }
    }

    fn remove(&mut self) {
        let Some(member) = self.current.take() else { return };
        self.flush(member.gap);
    }

    fn insert(&mut self, key: Str<'a>, value: Node<'a>) {
        let end = match &self.current {
            Some(member) => member.gap,
            None => self.scan.settle(),
        };
        self.flush(end);
        self.pieces.push(Piece::entry(key, value));
    }

    fn finish(mut self) -> Built<'a> {
        let rest = match (self.run, &self.current) {
            (Some((gap, _)), _) => Some(gap),
            (None, Some(member)) => Some(member.gap),
            (None, None) if self.last_is_open => None,
            (None, None) => Some(self.scan.settle()),
        };
        let tail = rest
            .map_or(Tail::BehindLast, |at| Tail::Rest(Text { bytes: &self.text.bytes[at..], ..self.text }));
        let built = Built::new(self.pieces.into_bump_slice(), tail, Order::Sorted);
        Built { source: Some(self.text.bytes), ..built }
    }
}

/// If `edited` was made from the list that the member holds: where that list ends.
fn end_of_list(member: TextMember<'_>, edited: Node<'_>) -> Option<usize> {
    let Repr::List(Built { source: Some(source), .. }) = edited.0 else { return None };
    std::ptr::eq(source.as_ptr(), member.value.bytes.as_ptr()).then_some(member.value_at + source.len())
}

/// If `edited` is an edit of the text `value` that was left early: where to go on, seen from `around`.
fn resume_inside(around: Text<'_>, value: Text<'_>, edited: Node<'_>) -> Option<Resume> {
    let Repr::Map(built) = edited.0 else { return None };
    let same = built.source.is_some_and(|source| std::ptr::eq(source.as_ptr(), value.bytes.as_ptr()));
    if !same || value.extent == Extent::Closed {
        return None;
    }
    let open = built.open_end?;
    // Open texts of one document all run to its end, so lengths tell positions.
    let at = around.bytes.len().checked_sub(open.text.bytes.len())?;
    Some(Resume { at, depth: open.depth })
}

/// A level that was expanded: every member with its place in the text, if it has one.
struct Level<'a> {
    text: Option<Text<'a>>,
    /// Behind the last member in the text.
    end: usize,
    members: ArenaVec<'a, Member<'a>>,
    added: ArenaVec<'a, Piece<'a>>,
    pieces: ArenaVec<'a, Piece<'a>>,
    found: usize,
    seeks: usize,
    index: Option<HashMap<Str<'a>, usize>>,
}

struct Member<'a> {
    entry: Entry<'a>,
    gap: usize,
    start: usize,
    fate: Fate<'a>,
}

#[derive(Clone, Copy)]
enum Fate<'a> {
    Keep,
    Become(Node<'a>),
    Drop,
}

/// From this many members and look-ups on, a hash index pays.
const INDEX_FROM: (usize, usize) = (16, 4);

impl<'a> Level<'a> {
    fn new(base: Node<'a>, arena: &'a Arena) -> Self {
        let mut level = Level {
            text: None,
            end: 1,
            members: ArenaVec::new_in(arena),
            added: ArenaVec::new_in(arena),
            pieces: ArenaVec::new_in(arena),
            found: usize::MAX,
            seeks: 0,
            index: None,
        };
        level.expand(base);
        level
    }

    fn expand(&mut self, base: Node<'a>) {
        match base.0 {
            Repr::Text(text) if text.first() == b'{' => self.expand_text(text),
            Repr::Value(Value::Object(map)) => {
                for (key, value) in map {
                    self.push(Entry { key: Str::plain(key), value: Node(Repr::Value(value)) }, 0, 0);
                }
            }
            Repr::Map(built) => BuiltMembers::new(built).for_each(|entry| self.push(entry, 0, 0)),
            _ => {}
        }
    }

    fn expand_text(&mut self, text: Text<'a>) {
        let mut scan = MemberScan::of_map(text);
        while let Some(member) = scan.next() {
            // The end of a container is needed for the next member anyway.
            let end = scan.settle();
            let value = text.closed(&text.bytes[member.value_at..end]);
            let entry = Entry { key: member.key, value: Node(Repr::Text(value)) };
            self.push(entry, member.gap, member.start);
        }
        self.end = scan.settle();
        self.text = Some(text.close());
    }

    fn push(&mut self, entry: Entry<'a>, gap: usize, start: usize) {
        self.members.push(Member { entry, gap, start, fate: Fate::Keep });
    }

    fn seek(&mut self, key: Str<'_>) -> Option<Node<'a>> {
        self.found = self.position(key).unwrap_or(usize::MAX);
        let member = self.members.get(self.found)?;
        match member.fate {
            Fate::Keep => Some(member.entry.value),
            Fate::Become(value) => Some(value),
            Fate::Drop => None,
        }
    }

    fn position(&mut self, key: Str<'_>) -> Option<usize> {
        self.seeks += 1;
        if self.members.len() < INDEX_FROM.0 || self.seeks < INDEX_FROM.1 {
            return self.members.iter().rposition(|member| member.entry.key == key);
        }
        if self.index.is_none() {
            self.index = Some(index_members(&mut self.members));
        }
        self.index.as_ref()?.get(&key).copied()
    }

    /// Changes the member that was found, and drops earlier members of its name.
    fn change(&mut self, fate: Fate<'a>) {
        let Some(member) = self.members.get_mut(self.found) else { return };
        member.fate = fate;
        let key = member.entry.key;
        if self.index.is_none() {
            for earlier in &mut self.members[..self.found] {
                if earlier.entry.key == key {
                    earlier.fate = Fate::Drop;
                }
            }
        }
    }

    fn retain(&mut self, keep: impl Fn(Str<'a>) -> bool) {
        for member in &mut self.members {
            if !keep(member.entry.key) {
                member.fate = Fate::Drop;
            }
        }
    }

    fn finish(mut self) -> Built<'a> {
        let mut run: Option<usize> = None;
        for at in 0..self.members.len() {
            match self.members[at].fate {
                Fate::Keep if self.text.is_some() => {
                    run.get_or_insert(at);
                    continue;
                }
                _ => self.flush(&mut run, at),
            }
            self.push_member(at);
        }
        self.flush(&mut run, self.members.len());
        self.pieces.extend(self.added.iter().copied());
        let tail = self.text.map_or(Tail::Bracket, |text| Tail::Rest(text.closed(&text.bytes[self.end..])));
        Built::new(self.pieces.into_bump_slice(), tail, Order::AsBuilt)
    }

    fn push_member(&mut self, at: usize) {
        let member = &self.members[at];
        let gap = self.text.map_or(NO_GAP, |text| &text.bytes[member.gap..member.start]);
        let value = match member.fate {
            Fate::Keep => member.entry.value,
            Fate::Become(value) => value,
            Fate::Drop => return,
        };
        self.pieces.push(Piece::Entry { gap, entry: Entry { key: member.entry.key, value } });
    }

    /// Ends the run of kept members before the member `until`.
    fn flush(&mut self, run: &mut Option<usize>, until: usize) {
        let (Some(from), Some(text)) = (run.take(), self.text) else { return };
        let first = &self.members[from];
        let end = self.members.get(until).map_or(self.end, |next| next.gap);
        let gap = &text.bytes[first.gap..first.start];
        self.pieces.push(Piece::Run { gap, text: text.closed(&text.bytes[first.start..end]) });
    }
}

/// Indexes the members by name and drops all but the last of repeated ones.
fn index_members<'a>(members: &mut [Member<'a>]) -> HashMap<Str<'a>, usize> {
    let mut index = HashMap::with_capacity(members.len());
    for at in 0..members.len() {
        if let Some(earlier) = index.insert(members[at].entry.key, at) {
            members[earlier].fate = Fate::Drop;
        }
    }
    index
}
