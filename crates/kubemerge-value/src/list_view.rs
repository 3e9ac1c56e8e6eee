//! A list with its elements in reach, and the way to build another one from them.

use crate::{
    Arena,
    node::{Built, Order, Piece, Tail},
    node::{Node, Repr},
    part::part_of,
    text::{ElementScan, Text},
};
use bumpalo::collections::Vec as ArenaVec;

/// An expanded list.
#[derive(Clone, Copy)]
pub struct ListView<'a> {
    list: Node<'a>,
    text: Option<Text<'a>>,
    items: &'a [Node<'a>],
    places: &'a [ElementSpan],
}

/// Where an element is in the text of its list.
#[derive(Clone, Copy)]
struct ElementSpan {
    start: u32,
    end: u32,
}

/// An element of a list that is put together from another one.
#[derive(Clone, Copy)]
pub enum Pick<'a> {
    /// The element of the viewed list at this position.
    Keep(usize),
    /// Another value.
    Put(Node<'a>),
}

impl<'a> ListView<'a> {
    /// Expands a list; anything else counts as an empty one.
    pub fn new(list: Node<'a>, arena: &'a Arena) -> Self {
        match list.0 {
            Repr::Text(text) if text.first() == b'[' => Self::of_text(list, text, arena),
            _ => ListView { list, text: None, items: list.elements(arena), places: &[] },
        }
    }

    fn of_text(list: Node<'a>, text: Text<'a>, arena: &'a Arena) -> Self {
        let mut places = ArenaVec::new_in(arena);
        let mut scan = ElementScan::of_list(text);
        while let Some(element) = scan.next() {
            places.push(ElementSpan { start: element.start as u32, end: element.end as u32 });
        }
        let places = places.into_bump_slice();
        let item =
            |place: &ElementSpan| text.closed(part_of(text.bytes, place.start as usize..place.end as usize));
        let items = arena.alloc_slice_fill_iter(places.iter().map(|place| Node(Repr::Text(item(place)))));
        ListView { list, text: Some(text), items, places }
    }

    /// The elements.
    pub fn items(&self) -> &'a [Node<'a>] {
        self.items
    }

    /// The list that was expanded.
    pub fn node(&self) -> Node<'a> {
        self.list
    }

    /// A list of kept and new elements, in this order.
    pub fn pick(&self, picks: &[Pick<'a>], arena: &'a Arena) -> Node<'a> {
        let mut pieces = ArenaVec::new_in(arena);
        let mut rest = picks;
        while let [pick, after @ ..] = rest {
            rest = match *pick {
                Pick::Keep(first) => {
                    // Neighbours that stay together are copied in one piece, with the text between them.
                    let more = run_length(after, first + 1);
                    self.keep(first, 1 + more, &mut pieces);
                    part_of(after, more..)
                }
                Pick::Put(node) => {
                    pieces.push(Piece::item(node));
                    after
                }
            };
        }
        let tail = self.tail();
        let source = self.source(tail);
        let built = Built { source, ..Built::new(pieces.into_bump_slice(), tail, Order::AsBuilt) };
        Node(Repr::List(arena.alloc(built)))
    }

    fn keep(&self, first: usize, count: usize, pieces: &mut ArenaVec<'a, Piece<'a>>) {
        let Some(text) = self.text else {
            pieces.extend(part_of(self.items, first..first + count).iter().map(|node| Piece::item(*node)));
            return;
        };
        let (before, kept) = (part_of(self.places, ..first), part_of(self.places, first..first + count));
        let (Some(from), Some(to)) = (kept.first(), kept.last()) else { return };
        // After the opening bracket for the first item.
        let gap_start = before.last().map_or(1, |place| place.end);
        let gap = part_of(text.bytes, gap_start as usize..from.start as usize);
        pieces.push(Piece::Run {
            gap,
            text: text.closed(part_of(text.bytes, from.start as usize..to.end as usize)),
        });
    }

    /// The text of the list, which ends with its tail.
    fn source(&self, tail: Tail<'a>) -> Option<&'a [u8]> {
        let (Some(text), Tail::Rest(tail), Some(last)) = (self.text, tail, self.places.last()) else {
            return None;
        };
        text.bytes.get(..last.end as usize + tail.bytes.len())
    }

    /// The white space before the closing bracket, and the bracket.
    fn tail(&self) -> Tail<'a> {
        let (Some(text), Some(last)) = (self.text, self.places.last()) else { return Tail::Bracket };
        let rest = part_of(text.bytes, last.end as usize..);
        // Only white space can come before it.
        let length = rest.iter().position(|byte| *byte == b']').map_or(rest.len(), |at| at + 1);
        Tail::Rest(text.closed(part_of(rest, ..length)))
    }
}

/// How many of the first picks keep neighbours, from element `first` on.
fn run_length(picks: &[Pick<'_>], first: usize) -> usize {
    picks
        .iter()
        .enumerate()
        .take_while(|(n, pick)| matches!(pick, Pick::Keep(at) if *at == first + n))
        .count()
}

/// Builds a list of values.
pub fn list<'a>(items: impl IntoIterator<Item = Node<'a>>, arena: &'a Arena) -> Node<'a> {
    let mut pieces = ArenaVec::new_in(arena);
    pieces.extend(items.into_iter().map(Piece::item));
    let built = Built::new(pieces.into_bump_slice(), Tail::Bracket, Order::AsBuilt);
    Node(Repr::List(arena.alloc(built)))
}

/// Builds a map of members, in this order; of repeated members the last counts.
pub fn map<'a>(members: impl IntoIterator<Item = (crate::Str<'a>, Node<'a>)>, arena: &'a Arena) -> Node<'a> {
    let mut pieces = ArenaVec::new_in(arena);
    pieces.extend(members.into_iter().map(|(key, value)| Piece::entry(key, value)));
    let built = Built::new(pieces.into_bump_slice(), Tail::Bracket, Order::AsBuilt);
    Node(Repr::Map(arena.alloc(built)))
}
