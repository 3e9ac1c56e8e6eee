//! A walk over canonical text, forward only.

use crate::{
    Arena,
    node::Entry,
    node::{Built, Order, Piece, Tail},
    node::{Node, Repr},
    part::part_of,
    string::Str,
    text::{MemberName, MemberScan, Resume, Seeker, Sought, Text},
};
use bumpalo::collections::Vec as ArenaVec;
use std::cmp::Ordering;

/// A forward walk over canonical text.
pub(super) struct CanonicalWalk<'a> {
    text: Text<'a>,
    scan: MemberScan<'a>,
    /// Read, but not yet passed.
    current: Option<MemberName<'a>>,
    /// Where the members that are kept verbatim begin: gap and first name.
    run: Option<(usize, usize)>,
    pieces: ArenaVec<'a, Piece<'a>>,
    /// The last piece is a map that was left early, and its end is not known.
    last_is_open: bool,
    seeker: Seeker,
}

impl<'a> CanonicalWalk<'a> {
    pub(super) fn new(text: Text<'a>, arena: &'a Arena) -> Self {
        CanonicalWalk {
            text,
            scan: MemberScan::of_map(text),
            current: None,
            run: None,
            // A run, a change and another run: what most patches need.
            pieces: ArenaVec::with_capacity_in(3, arena),
            last_is_open: false,
            seeker: Seeker::new(),
        }
    }

    pub(super) fn text(&self) -> Text<'a> {
        self.text
    }

    pub(super) fn seek(&mut self, key: Str<'_>) -> Option<Node<'a>> {
        if let Some(member) = self.current {
            match member.key.cmp(&key) {
                Ordering::Less => self.pass(member.gap, member.start),
                Ordering::Equal => return Some(self.value(member)),
                // The walk is already past the place; edits come in order.
                Ordering::Greater => return None,
            }
        }
        self.last_is_open = false;
        let from = self.scan.last_end();
        let sought = self.seeker.seek(&mut self.scan, key);
        self.current = match sought {
            Sought::Found(member) | Sought::Passed(member) => Some(member),
            Sought::End => None,
        };
        let stopped = self.current.map_or_else(|| self.scan.last_end(), |member| member.gap);
        if from < stopped {
            self.pass(from, self.text.after_comma(from));
        }
        match sought {
            Sought::Found(member) => Some(self.value(member)),
            Sought::Passed(_) | Sought::End => None,
        }
    }

    /// The value of the current member.
    fn value(&mut self, member: MemberName<'a>) -> Node<'a> {
        Node(Repr::Text(self.scan.value(member)))
    }

    /// Keeps the member that starts here, and what follows it.
    fn pass(&mut self, gap: usize, start: usize) {
        // A run starts with the first member that stays and is cut at the next edit.
        self.run.get_or_insert((gap, start));
    }

    /// Ends the run of kept members before `end`.
    fn flush(&mut self, end: usize) {
        if let Some((gap, start)) = self.run.take() {
            let bytes = self.text.bytes;
            let text = self.text.closed(part_of(bytes, start..end));
            self.pieces.push(Piece::Run { gap: part_of(bytes, gap..start), text });
        }
    }

    pub(super) fn replace(&mut self, value: Node<'a>) {
        let Some(member) = self.current.take() else { return };
        self.flush(member.gap);
        let gap = part_of(self.text.bytes, member.gap..member.start);
        self.pieces.push(Piece::Entry { gap, entry: Entry { key: member.key, value } });
        // The edit below has read a part of the value, which need not be scanned again.
        if let Some(resume) = progress(self.text.bytes, member.value_at, value) {
            self.last_is_open = resume.depth > 0;
            self.scan.resume(resume);
        }
    }

    pub(super) fn remove(&mut self) {
        let Some(member) = self.current.take() else { return };
        self.flush(member.gap);
    }

    pub(super) fn insert(&mut self, key: Str<'a>, value: Node<'a>) {
        let end = match &self.current {
            Some(member) => member.gap,
            None => self.scan.last_end(),
        };
        self.flush(end);
        self.pieces.push(Piece::entry(key, value));
    }

    pub(super) fn finish(mut self) -> Built<'a> {
        let rest = match (self.run, &self.current) {
            (Some((gap, _)), _) => Some(gap),
            (None, Some(member)) => Some(member.gap),
            // The last value has no known end, and neither has this map.
            (None, None) if self.last_is_open => None,
            (None, None) => Some(self.scan.last_end()),
        };
        let tail = rest.map_or(Tail::AfterLast(self.text.extent), |at| {
            Tail::Rest(Text { bytes: part_of(self.text.bytes, at..), ..self.text })
        });
        let built = Built::new(self.pieces.into_bump_slice(), tail, Order::Sorted);
        Built { source: Some(self.text.bytes), ..built }
    }
}

/// If `edited` was made from the value that starts at `at`: how far its text has been walked.
fn progress(bytes: &[u8], at: usize, edited: Node<'_>) -> Option<Resume> {
    // The new value may come from another document or place.
    let from_here = |source: &[u8]| std::ptr::eq(source.as_ptr(), part_of(bytes, at..).as_ptr());
    if let Repr::Edited(edited) = edited.0 {
        let length = edited.bytes().len();
        return from_here(edited.bytes()).then_some(Resume { at: at + length, depth: 0 });
    }
    let (Repr::Map(built) | Repr::List(built)) = edited.0 else { return None };
    let source = built.source.filter(|source| from_here(source))?;
    match (edited.0, built.open_end) {
        (Repr::List(_), _) => Some(Resume { at: at + source.len(), depth: 0 }),
        // Open texts of one document all run to its end, so lengths tell positions.
        (_, Some(open)) => {
            Some(Resume { at: bytes.len().checked_sub(open.text.bytes.len())?, depth: open.depth })
        }
        (_, None) => None,
    }
}
