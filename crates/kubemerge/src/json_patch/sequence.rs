//! A sequence that is edited in the middle, thousands of times, without moving all that follows.

/// Items in chunks of limited size: an edit moves the items of one chunk only.
pub(super) struct Sequence<T> {
    chunks: Vec<Vec<T>>,
    length: usize,
}

/// Chunks have this many items, and are cut in two when they hold twice as many.
// Inserting into one vector costs its length each time, which 10,000 operations on a long list make quadratic.
const CHUNK: usize = 512;

impl<T: Copy> Sequence<T> {
    pub(super) fn new(items: impl Iterator<Item = T>) -> Self {
        let mut sequence = Sequence { chunks: vec![Vec::new()], length: 0 };
        for item in items {
            sequence.push(item);
        }
        sequence
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = T> {
        self.chunks.iter().flatten().copied()
    }

    pub(super) fn get(&self, at: usize) -> Option<T> {
        let (chunk, at) = self.locate(at);
        self.chunks.get(chunk)?.get(at).copied()
    }

    /// Replaces the item at a position that exists.
    pub(super) fn set(&mut self, at: usize, item: T) {
        let (chunk, at) = self.locate(at);
        if let Some(place) = self.chunks.get_mut(chunk).and_then(|items| items.get_mut(at)) {
            *place = item;
        }
    }

    /// Inserts before a position, at the end if the position is the length.
    pub(super) fn insert(&mut self, at: usize, item: T) {
        let (chunk, at) = self.locate(at);
        let Some(items) = self.chunks.get_mut(chunk) else { return self.push(item) };
        items.insert(at.min(items.len()), item);
        self.length += 1;
        // Split when twice as long, so that splits stay rare.
        if items.len() >= 2 * CHUNK {
            let rest = items.split_off(CHUNK);
            self.chunks.insert(chunk + 1, rest);
        }
    }

    /// Removes the item at a position that exists.
    pub(super) fn remove(&mut self, at: usize) {
        let (chunk, at) = self.locate(at);
        let Some(items) = self.chunks.get_mut(chunk) else { return };
        if at < items.len() {
            items.remove(at);
            self.length -= 1;
        }
        let is_empty = items.is_empty();
        if is_empty && self.chunks.len() > 1 {
            self.chunks.remove(chunk);
        }
    }

    fn push(&mut self, item: T) {
        if self.chunks.last().is_none_or(|chunk| chunk.len() >= CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(item);
            self.length += 1;
        }
    }

    /// The chunk of a position, and the position in it; after the last item of the last chunk for the end.
    fn locate(&self, at: usize) -> (usize, usize) {
        let mut rest = at;
        for (number, chunk) in self.chunks.iter().enumerate() {
            if rest < chunk.len() {
                return (number, rest);
            }
            rest -= chunk.len();
        }
        let last = self.chunks.last().map_or(0, Vec::len);
        (self.chunks.len().saturating_sub(1), last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn edits_as_a_vector_would(
            start in 0..3000usize,
            edits in prop::collection::vec((0..3u8, 0..4000usize), 0..3000),
        ) {
            let mut vector: Vec<usize> = (0..start).collect();
            let mut sequence = Sequence::new(0..start);
            for (what, at) in edits {
                match what {
                    0 => {
                        let at = at.min(vector.len());
                        vector.insert(at, at);
                        sequence.insert(at, at);
                    }
                    1 if at < vector.len() => {
                        vector.remove(at);
                        sequence.remove(at);
                    }
                    2 if at < vector.len() => {
                        vector[at] = 7;
                        sequence.set(at, 7);
                        prop_assert_eq!(sequence.get(at), Some(7));
                    }
                    _ => prop_assert_eq!(sequence.get(at), vector.get(at).copied()),
                }
                prop_assert_eq!(sequence.len(), vector.len());
            }
            prop_assert_eq!(sequence.iter().collect::<Vec<_>>(), vector);
        }
    }
}
