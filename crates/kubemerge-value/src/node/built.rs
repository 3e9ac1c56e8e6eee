//! Maps and lists that were built in an arena: pieces of text kept verbatim, and new parts between them.
//!
//! A piece knows the gap (white space and comma) that stood before it, so that unchanged text
//! comes out as it was given. A map that was left early ends with an open tail: the rest of its text,
//! up to a bracket whose position is not known.

use super::repr::{Entry, Node, Repr};
use crate::{
    part::part_of,
    string::Str,
    text::{ElementScan, Extent, MemberScan, Resume, Text},
};

/// A map or list in pieces.
pub(crate) struct Built<'a> {
    pub(crate) pieces: &'a [Piece<'a>],
    pub(crate) tail: Tail<'a>,
    pub(crate) order: Order,
    /// For a map that was left early: what is left of its text.
    pub(crate) open_end: Option<OpenEnd<'a>>,
    /// For what was made from a text: that text, from its first byte on.
    pub(crate) source: Option<&'a [u8]>,
}

/// Text that starts inside this many open containers.
#[derive(Clone, Copy)]
pub(crate) struct OpenEnd<'a> {
    pub(crate) text: Text<'a>,
    pub(crate) depth: usize,
}

impl<'a> OpenEnd<'a> {
    /// The text up to the bracket that closes the outermost container.
    pub(crate) fn bytes(self) -> &'a [u8] {
        let bytes = self.text.bytes;
        part_of(bytes, ..Resume { at: 0, depth: self.depth }.end(bytes))
    }

    /// The same text, seen from the container around.
    pub(crate) fn outward(self) -> Self {
        OpenEnd { depth: self.depth + 1, ..self }
    }
}

/// Whether the members of a built map are sorted and unique.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Sorted,
    AsBuilt,
}

/// One part of a built map or list, with the gap that stood before it.
#[derive(Clone, Copy)]
pub(crate) enum Piece<'a> {
    /// Neighbouring members or elements, verbatim.
    Run { gap: &'a [u8], text: Text<'a> },
    /// A member.
    Entry { gap: &'a [u8], entry: Entry<'a> },
    /// An element.
    Item { gap: &'a [u8], node: Node<'a> },
}

/// What follows the last piece.
#[derive(Clone, Copy)]
pub(crate) enum Tail<'a> {
    /// Nothing but the closing bracket.
    Bracket,
    /// This text, closing bracket included; if it is open, it goes on after the bracket.
    Rest(Text<'a>),
    /// The text after the last piece, which is open itself: all of it if the map was closed, else up to a
    /// bracket whose position is not known.
    AfterLast(Extent),
}

impl<'a> Built<'a> {
    pub(crate) fn new(pieces: &'a [Piece<'a>], tail: Tail<'a>, order: Order) -> Self {
        let open_end = match tail {
            Tail::Rest(text) if text.extent == Extent::Open => Some(OpenEnd { text, depth: 1 }),
            // The end of the last value is one container further in.
            Tail::AfterLast(_) => pieces.last().and_then(Piece::open_end).map(OpenEnd::outward),
            Tail::Bracket | Tail::Rest(_) => None,
        };
        Built { pieces, tail, order, open_end, source: None }
    }

    pub(crate) fn is_sorted(&self) -> bool {
        self.order == Order::Sorted
    }

    /// The text that follows the last piece, up to the closing bracket at least.
    fn rest(&self) -> Option<Text<'a>> {
        match self.tail {
            Tail::Bracket => None,
            Tail::Rest(text) => Some(text),
            Tail::AfterLast(_) => {
                // The last piece is one of the open containers of this map.
                let open = self.open_end?;
                let end = Resume { depth: open.depth - 1, at: 0 }.end(open.text.bytes);
                Some(Text { bytes: part_of(open.text.bytes, end..), ..open.text })
            }
        }
    }

    pub(crate) fn each_element(&self, mut visit: impl FnMut(Node<'a>)) {
        for piece in self.pieces {
            match piece {
                Piece::Run { text, .. } => {
                    let mut scan = ElementScan::of_run(*text);
                    while let Some(element) = scan.next() {
                        visit(Node(Repr::Text(element.value)));
                    }
                }
                Piece::Item { node, .. } => visit(*node),
                Piece::Entry { .. } => {}
            }
        }
    }

    pub(crate) fn is_empty_list(&self) -> bool {
        self.pieces.is_empty()
    }
}

/// The members of a built map, repeated ones included.
pub(crate) struct BuiltMembers<'a> {
    built: &'a Built<'a>,
    at: usize,
    run: Option<MemberScan<'a>>,
    rest_taken: bool,
}

impl<'a> BuiltMembers<'a> {
    pub(crate) fn new(built: &'a Built<'a>) -> Self {
        BuiltMembers { built, at: 0, run: None, rest_taken: false }
    }
}

impl<'a> Iterator for BuiltMembers<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        loop {
            if let Some(run) = &mut self.run {
                if let Some((key, value)) = run.next() {
                    return Some(Entry { key, value: Node(Repr::Text(value)) });
                }
                self.run = None;
            }
            match self.built.pieces.get(self.at) {
                Some(Piece::Run { text, .. }) => self.run = Some(MemberScan::of_run(*text)),
                Some(Piece::Entry { entry, .. }) => {
                    self.at += 1;
                    return Some(*entry);
                }
                // Only lists have items.
                Some(Piece::Item { .. }) => {}
                // The rest of the text is one more run, after all pieces.
                None if self.rest_taken => return None,
                None => {
                    self.rest_taken = true;
                    self.run = Some(MemberScan::of_run(self.built.rest()?));
                }
            }
            self.at += 1;
        }
    }
}

/// The gap before a part that no text had.
pub(crate) const NO_GAP: &[u8] = b"";

impl<'a> Piece<'a> {
    /// A member that no text had.
    pub(crate) fn entry(key: Str<'a>, value: Node<'a>) -> Self {
        Piece::Entry { gap: NO_GAP, entry: Entry { key, value } }
    }

    /// An element that no text had.
    pub(crate) fn item(node: Node<'a>) -> Self {
        Piece::Item { gap: NO_GAP, node }
    }

    fn open_end(&self) -> Option<OpenEnd<'a>> {
        match self {
            Piece::Entry { entry: Entry { value: Node(Repr::Map(built)), .. }, .. } => built.open_end,
            _ => None,
        }
    }

    pub(crate) fn gap(&self) -> &'a [u8] {
        match self {
            Piece::Run { gap, .. } | Piece::Entry { gap, .. } | Piece::Item { gap, .. } => gap,
        }
    }
}
