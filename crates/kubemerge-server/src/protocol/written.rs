//! Text that is written piece by piece while it is sent, so that it is never in memory as a whole.

use bytes::Bytes;

/// Text up to this size is written at once.
const MAX_WHOLE_BYTES: usize = 512 * 1024;
/// How much of a longer one is written before it is sent.
const PIECE_BYTES: usize = 128 * 1024;

/// A text that knows how to write itself.
pub(crate) trait WrittenText: Send {
    /// About how many bytes it has.
    fn size_hint(&self) -> usize;

    /// Appends the next part, such as one object; false if there is none.
    fn write_next(&mut self, out: &mut Vec<u8>) -> bool;
}

/// The pieces of a text; the first of them is written already.
pub(crate) struct Pieces {
    first: Option<Bytes>,
    rest: Box<dyn WrittenText>,
}

/// A text as a whole if it is small, and else its pieces.
pub(crate) fn begin(mut text: impl WrittenText + 'static) -> Result<Bytes, Pieces> {
    let size = text.size_hint();
    let most = if size <= MAX_WHOLE_BYTES { MAX_WHOLE_BYTES } else { PIECE_BYTES };
    // A part may go beyond the end.
    match piece(&mut text, most, size.min(most + most / 8)) {
        (first, Left::Nothing) => Ok(first),
        (first, Left::More) => Err(Pieces { first: Some(first), rest: Box::new(text) }),
    }
}

impl Pieces {
    /// The next piece; none at the end.
    pub(crate) fn next(&mut self) -> Option<Bytes> {
        let first = self.first.take();
        first.or_else(|| {
            let (piece, _) = piece(&mut *self.rest, PIECE_BYTES, PIECE_BYTES + PIECE_BYTES / 8);
            Some(piece).filter(|piece| !piece.is_empty())
        })
    }

    /// All that is left.
    pub(crate) fn collect(mut self) -> Bytes {
        let mut all = self.first.take().map(Vec::from).unwrap_or_default();
        while self.rest.write_next(&mut all) {}
        all.into()
    }
}

enum Left {
    Nothing,
    More,
}

fn piece(text: &mut dyn WrittenText, most: usize, room: usize) -> (Bytes, Left) {
    let mut out = Vec::with_capacity(room);
    while out.len() < most {
        if !text.write_next(&mut out) {
            return (out.into(), Left::Nothing);
        }
    }
    (out.into(), Left::More)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Xs(usize);

    impl WrittenText for Xs {
        fn size_hint(&self) -> usize {
            self.0 * 1000
        }

        fn write_next(&mut self, out: &mut Vec<u8>) -> bool {
            let Some(left) = self.0.checked_sub(1) else { return false };
            self.0 = left;
            out.extend_from_slice(&[b'x'; 1000]);
            true
        }
    }

    #[test]
    fn small_texts_are_whole_and_large_ones_come_in_pieces() {
        assert_eq!(begin(Xs(0)).ok(), Some(Bytes::new()));
        assert_eq!(begin(Xs(500)).map(|whole| whole.len()).ok(), Some(500_000));
        let mut pieces = begin(Xs(10_000)).err().unwrap();
        let mut sizes = Vec::new();
        while let Some(piece) = pieces.next() {
            sizes.push(piece.len());
        }
        assert_eq!(sizes.iter().sum::<usize>(), 10_000_000);
        assert!(sizes.iter().all(|size| *size <= PIECE_BYTES + 1000), "{sizes:?}");
        assert_eq!(begin(Xs(10_000)).err().unwrap().collect().len(), 10_000_000);
    }

    /// A text that is longer than it said is no larger in memory than others.
    struct Underestimated(Xs);

    impl WrittenText for Underestimated {
        fn size_hint(&self) -> usize {
            0
        }

        fn write_next(&mut self, out: &mut Vec<u8>) -> bool {
            self.0.write_next(out)
        }
    }

    #[test]
    fn an_estimate_bounds_nothing() {
        let mut pieces = begin(Underestimated(Xs(10_000))).err().unwrap();
        assert!(pieces.next().is_some_and(|piece| piece.len() <= MAX_WHOLE_BYTES + 1000));
    }
}
