//! The newest value of every key: one is found by hash, many are walked in order.

use std::{collections::BTreeSet, ops::Bound, sync::Arc};

use hashbrown::HashMap;

use super::{Range, Stored};

/// Keys and values. Single keys are asked for most, and a hash spares a search the look at dozens of keys that
/// are scattered over the memory.
#[derive(Clone, Default)]
pub(super) struct Objects {
    values: HashMap<Arc<str>, Stored>,
    order: BTreeSet<Arc<str>>,
}

impl Objects {
    pub(super) fn get(&self, key: &str) -> Option<&Stored> {
        self.values.get(key)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<(&Arc<str>, &mut Stored)> {
        self.values.get_key_value_mut(key)
    }

    pub(super) fn insert(&mut self, key: Arc<str>, stored: Stored) {
        if self.values.insert(key.clone(), stored).is_none() {
            self.order.insert(key);
        }
    }

    pub(super) fn remove(&mut self, key: &str) -> Option<(Arc<str>, Stored)> {
        let removed = self.values.remove_entry(key)?;
        self.order.remove(key);
        Some(removed)
    }

    pub(super) fn clear(&mut self) {
        *self = Objects::default();
    }

    /// The newest values of a range, in key order.
    pub(super) fn scan<'s>(&'s self, range: Range<'s>) -> impl Iterator<Item = (&'s Arc<str>, &'s Stored)> {
        let from = range.start.unwrap_or(range.prefix).max(range.prefix);
        self.order
            .range::<str, _>((Bound::Included(from), Bound::Unbounded))
            .take_while(move |key| key.starts_with(range.prefix))
            .filter_map(|key| self.values.get_key_value(key))
    }
}
