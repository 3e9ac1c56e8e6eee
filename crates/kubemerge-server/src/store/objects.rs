//! The newest value of every key: one is found by hash, many are walked in order.

use std::{collections::BTreeSet, hash::BuildHasher, ops::Bound, sync::Arc};

use hashbrown::{DefaultHashBuilder, HashTable, hash_table::Entry};

use super::{Range, Stored};

/// Keys and values. Single keys are asked for most, and a hash spares a search the look at dozens of keys that
/// are scattered over the memory. For the same reason new keys are put in order only when the keys are read in order, and the
/// hashes are kept, so that a table that grows needs no look at its keys.
#[derive(Clone, Default)]
pub(super) struct Objects {
    values: HashTable<Value>,
    hasher: DefaultHashBuilder,
    /// The keys of all values but the new ones, sorted.
    order: BTreeSet<Arc<str>>,
    /// Keys that were added since the keys were last sorted.
    new: Vec<Arc<str>>,
}

#[derive(Clone)]
struct Value {
    hash: u64,
    key: Arc<str>,
    stored: Stored,
}

impl Value {
    fn is(&self, hash: u64, key: &str) -> bool {
        self.hash == hash && *self.key == *key
    }
}

impl Objects {
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// All values, in no order.
    #[cfg(feature = "file-store")]
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Stored)> {
        self.values.iter().map(|value| (&*value.key, &value.stored))
    }

    fn find(&self, key: &str) -> Option<&Value> {
        let hash = self.hasher.hash_one(key);
        self.values.find(hash, |value| value.is(hash, key))
    }

    pub(super) fn get(&self, key: &str) -> Option<&Stored> {
        self.find(key).map(|value| &value.stored)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<(&Arc<str>, &mut Stored)> {
        let hash = self.hasher.hash_one(key);
        let value = self.values.find_mut(hash, |value| value.is(hash, key))?;
        Some((&value.key, &mut value.stored))
    }

    /// Adds a value, unless the key has one: that is the answer then.
    pub(super) fn insert(&mut self, key: &Arc<str>, stored: Stored) -> Result<(), &Stored> {
        let hash = self.hasher.hash_one(&**key);
        match self.values.entry(hash, |value| value.is(hash, key), |value| value.hash) {
            Entry::Occupied(held) => Err(&held.into_mut().stored),
            Entry::Vacant(place) => {
                self.new.push(key.clone());
                place.insert(Value { hash, key: key.clone(), stored });
                Ok(())
            }
        }
    }

    pub(super) fn remove(&mut self, key: &str) -> Option<(Arc<str>, Stored)> {
        let hash = self.hasher.hash_one(key);
        let found = self.values.find_entry(hash, |value| value.is(hash, key)).ok()?;
        let (Value { key, stored, .. }, _) = found.remove();
        // The key may be among the new ones, which are no set.
        self.sort();
        self.order.remove(&*key);
        Some((key, stored))
    }

    /// Whether all keys are in order.
    pub(super) fn is_sorted(&self) -> bool {
        self.new.is_empty()
    }

    /// Puts new keys in their places.
    pub(super) fn sort(&mut self) {
        self.order.extend(self.new.drain(..));
    }

    /// The newest values of a range, in key order; they must be sorted.
    pub(super) fn scan<'s>(&'s self, range: Range<'s>) -> impl Iterator<Item = (&'s Arc<str>, &'s Stored)> {
        debug_assert!(self.is_sorted());
        self.order
            .range::<str, _>((Bound::Included(first_key(range)), Bound::Unbounded))
            .take_while(move |key| key.starts_with(range.prefix))
            .filter_map(|key| self.find(key).map(|value| (&value.key, &value.stored)))
    }

    /// How many keys a range has, without a look at any of them but the ends; they must be sorted.
    pub(super) fn count(&self, range: Range<'_>) -> usize {
        debug_assert!(self.is_sorted());
        let (first, end) = (first_key(range), end_of(range.prefix));
        let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        match end {
            Bound::Excluded(end) if end <= first => 0,
            end => self.order.range::<str, _>((Bound::Included(first), end)).count(),
        }
    }
}

/// The first key that a range may have: a start before the prefix would only be skipped over.
pub(super) fn first_key(range: Range<'_>) -> &str {
    range.start.unwrap_or(range.prefix).max(range.prefix)
}

/// The smallest text after all that begin with a prefix; none if there is no such text.
fn end_of(prefix: &str) -> Option<String> {
    let mut end = prefix.to_owned();
    while let Some(last) = end.pop() {
        // Between the halves of pairs there is no character.
        let next = char::from_u32(u32::from(last) + 1).or((last < '\u{E000}').then_some('\u{E000}'));
        if let Some(next) = next {
            end.push(next);
            return Some(end);
        }
    }
    None
}
