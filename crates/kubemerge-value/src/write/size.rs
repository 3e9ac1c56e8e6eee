//! An estimate of the output size, so that writers allocate once.

use crate::{
    node::{Built, Piece, Tail},
    node::{Node, Repr},
};

/// How many bytes the value will take, roughly: what its texts hold, open ends in full.
pub(super) fn size_hint(node: Node<'_>) -> usize {
    match node.0 {
        // An allocation that is a little too large is cheaper than a second one.
        Repr::Text(text) => text.bytes.len() + 16,
        Repr::Map(built) | Repr::List(built) => size_of_built(built),
        Repr::Edited(edited) => edited.bytes().len() + 256,
        Repr::Value(_) | Repr::Scalar(_) => 64,
    }
}

/// One level of pieces is enough: the large untouched parts are near the top, or in an open tail.
fn size_of_built(built: &Built<'_>) -> usize {
    let tail = match built.tail {
        Tail::Rest(text) => text.bytes.len(),
        Tail::AfterLast(_) => built.open_end.map_or(0, |open| open.text.bytes.len()),
        Tail::Bracket => 0,
    };
    let pieces: usize = built.pieces.iter().map(size_of_piece).sum();
    pieces + tail + 256
}

fn size_of_piece(piece: &Piece<'_>) -> usize {
    match piece {
        Piece::Run { text, .. } => text.bytes.len() + 16,
        Piece::Entry { .. } | Piece::Item { .. } => 64,
    }
}
