//! Writing a value as it was given: untouched text verbatim, members in place.
//!
//! One writer serves two sinks: a byte vector, and segments that borrow from the sources.

use super::size::size_hint;
use crate::{
    node::Part,
    node::{Built, OpenEnd, Piece, Tail},
    node::{Node, Repr},
    part::part_of,
    stack::deep,
    text::{Extent, Text},
    write::canonical::write_fresh,
};

/// Writes a value as it was given.
fn write_given(node: Node<'_>, out: &mut Vec<u8>) {
    GivenWriter { sink: out }.closed_value(node);
}

/// The value as bytes, as it was given.
pub fn to_bytes(node: Node<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(size_hint(node));
    write_given(node, &mut out);
    out
}

/// A value in segments: text of the sources, and the few bytes that no source holds.
///
/// For values that come from bytes; parts that come from a [`serde_json::Value`] are copied.
pub struct Segments<'a> {
    fresh: Vec<u8>,
    cuts: Vec<Cut<'a>>,
}

enum Cut<'a> {
    Source(&'a [u8]),
    Fresh(std::ops::Range<usize>),
}

/// The value as it was given, without copying what is untouched.
///
/// ```
/// use kubemerge_value::{Document, write::segments};
/// use std::io::IoSlice;
///
/// let document = Document::check(br#"{"a":1}"#)?;
/// let segments = segments(document.node());
/// let slices: Vec<IoSlice<'_>> = segments.iter().map(IoSlice::new).collect();
/// assert_eq!(slices.len(), 1);
/// # Ok::<(), kubemerge_value::ParseError>(())
/// ```
pub fn segments(node: Node<'_>) -> Segments<'_> {
    let mut segments = Segments { fresh: Vec::new(), cuts: Vec::new() };
    GivenWriter { sink: &mut segments }.closed_value(node);
    segments
}

impl Segments<'_> {
    /// The segments in order; none is empty.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.cuts.iter().map(|cut| match cut {
            Cut::Source(bytes) => *bytes,
            Cut::Fresh(range) => part_of(&self.fresh, range.clone()),
        })
    }
}

/// Where a value goes.
trait Sink<'a> {
    /// Text that lives as long as the sources.
    fn source(&mut self, bytes: &'a [u8]);
    /// Text that does not: whatever `write` appends.
    fn fresh(&mut self, write: impl FnOnce(&mut Vec<u8>));
}

impl<'a> Sink<'a> for Vec<u8> {
    #[inline]
    fn source(&mut self, bytes: &'a [u8]) {
        self.extend_from_slice(bytes);
    }

    #[inline]
    fn fresh(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(self);
    }
}

impl<'a> Sink<'a> for Segments<'a> {
    fn source(&mut self, bytes: &'a [u8]) {
        if !bytes.is_empty() {
            self.cuts.push(Cut::Source(bytes));
        }
    }

    fn fresh(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.fresh.len();
        write(&mut self.fresh);
        let end = self.fresh.len();
        match self.cuts.last_mut() {
            // Neighbouring new parts are one segment.
            Some(Cut::Fresh(range)) => range.end = end,
            _ if end > start => self.cuts.push(Cut::Fresh(start..end)),
            _ => {}
        }
    }
}

struct GivenWriter<'w, S> {
    sink: &'w mut S,
}

impl<'a, S: Sink<'a>> GivenWriter<'_, S> {
    fn closed_value(&mut self, node: Node<'a>) {
        let open = self.value(node);
        self.close(open);
    }

    fn close(&mut self, open: Option<OpenEnd<'a>>) {
        if let Some(open) = open {
            self.sink.source(open.bytes());
        }
    }

    fn byte(&mut self, byte: u8) {
        self.sink.fresh(|out| out.push(byte));
    }

    fn value(&mut self, node: Node<'a>) -> Option<OpenEnd<'a>> {
        match node.0 {
            Repr::Text(text) => self.sink.source(text.close().bytes),
            // New values have no text of their own, so they are written canonically.
            Repr::Value(_) | Repr::Scalar(_) => self.sink.fresh(|out| write_fresh(node, out)),
            Repr::Map(built) => return deep(|| self.built(built, b'{', b'}')),
            Repr::List(built) => return deep(|| self.built(built, b'[', b']')),
            Repr::Edited(edited) => edited.each_part(|part| match part {
                Part::Kept(bytes) => self.sink.source(bytes),
                Part::New(node, _) => deep(|| self.closed_value(node)),
            }),
        }
        None
    }

    fn built(&mut self, built: &Built<'a>, opening: u8, closing: u8) -> Option<OpenEnd<'a>> {
        self.byte(opening);
        let mut open = None;
        for (at, piece) in built.pieces.iter().enumerate() {
            self.close(open.take());
            self.gap(piece.gap(), at > 0);
            open = self.piece(piece);
        }
        match (built.tail, open) {
            (Tail::AfterLast(Extent::Open), open) => return open.map(OpenEnd::outward),
            (Tail::AfterLast(Extent::Closed), Some(open)) => {
                self.sink.source(open.text.bytes);
                return None;
            }
            (_, open) => self.close(open),
        }
        self.tail(built, closing)
    }

    /// The gap as it was, with a comma if and only if a part comes before it.
    fn gap(&mut self, gap: &'a [u8], after_another: bool) {
        let comma = gap.iter().position(|byte| *byte == b',');
        match comma {
            // The member before the comma is removed.
            Some(at) if !after_another => self.sink.source(part_of(gap, at + 1..)),
            None if after_another => {
                self.byte(b',');
                self.sink.source(gap);
            }
            _ => self.sink.source(gap),
        }
    }

    fn piece(&mut self, piece: &Piece<'a>) -> Option<OpenEnd<'a>> {
        match piece {
            Piece::Run { text, .. } => {
                self.sink.source(text.bytes);
                None
            }
            Piece::Entry { entry, .. } => {
                self.sink.fresh(|out| {
                    entry.key.write_given(out);
                    out.push(b':');
                });
                self.value(entry.value)
            }
            Piece::Item { node, .. } => self.value(*node),
        }
    }

    fn tail(&mut self, built: &Built<'a>, closing: u8) -> Option<OpenEnd<'a>> {
        let Tail::Rest(text) = built.tail else {
            self.byte(closing);
            return None;
        };
        let bytes = self.joined(text.bytes, built.pieces.is_empty());
        if text.extent == Extent::Open {
            return Some(OpenEnd { text: Text { bytes, ..text }, depth: 1 });
        }
        self.sink.source(bytes);
        None
    }

    /// A tail without a comma that joins nothing, and with one that is missing.
    fn joined(&mut self, tail: &'a [u8], nothing_before: bool) -> &'a [u8] {
        match tail.first() {
            Some(b',') if nothing_before => part_of(tail, 1..),
            Some(b'"') if !nothing_before => {
                self.byte(b',');
                tail
            }
            _ => tail,
        }
    }
}
