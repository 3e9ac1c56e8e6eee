//! The store in memory: a state under a lock, and the signal that wakes watches.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use tokio::sync::watch;

use super::{
    Event, Expect, OutOfRange, Page, Range, Record, Revision, Signal, Store, StoreError, StoreSize, Stored,
    WriteError,
    state::{Limits, State},
};

/// How many events are kept by default.
pub(super) const MAX_HISTORY_EVENTS: usize = 1 << 16;

/// How many bytes of objects the history holds at most, whatever the number of events.
pub(super) const MAX_HISTORY_BYTES: usize = 256 * 1024 * 1024;

/// Keeps everything in memory; the default.
pub struct MemoryStore {
    state: RwLock<State>,
    /// The newest revision that watches may show.
    pub(super) newest: watch::Sender<Revision>,
    pub(super) history: Limits,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::with_history(MAX_HISTORY_EVENTS)
    }
}

impl MemoryStore {
    /// An empty store that keeps this many events.
    pub fn with_history(limit: usize) -> Self {
        let history = Limits { events: limit, bytes: MAX_HISTORY_BYTES };
        Self::with_state(State { revision: 1, oldest: 1, ..State::default() }, history)
    }

    /// A store with these values, whose keys and revisions differ and whose history begins at the revision.
    pub(crate) fn of(items: Vec<(Arc<str>, Stored)>, revision: Revision) -> Self {
        let history = Limits { events: MAX_HISTORY_EVENTS, bytes: MAX_HISTORY_BYTES };
        Self::with_state(State::of(items, revision), history)
    }

    pub(super) fn with_state(state: State, history: Limits) -> Self {
        let (newest, _) = watch::channel(state.revision);
        MemoryStore { state: RwLock::new(state), newest, history }
    }

    /// The state is changed in steps that cannot fail half-way, so it is sound even after a panic elsewhere.
    pub(super) fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state with all keys in order.
    fn sorted(&self) -> RwLockReadGuard<'_, State> {
        let state = self.read();
        if state.objects.is_sorted() {
            return state;
        }
        drop(state);
        let mut state = self.write();
        state.objects.sort();
        RwLockWriteGuard::downgrade(state)
    }

    /// The revision that was announced last.
    #[cfg(feature = "file-store")]
    pub(super) fn announced(&self) -> Revision {
        *self.newest.borrow()
    }

    /// Notifies all watches.
    fn announce(&self, revision: Revision) {
        // A watch that starts now has not read the state yet, which is locked.
        let has_watchers = self.newest.receiver_count() > 0;
        self.newest.send_if_modified(|newest| {
            *newest = revision;
            has_watchers
        });
    }

    pub(super) fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn size(&self) -> StoreSize {
        let state = self.read();
        StoreSize { values: state.objects.len(), events: state.events.len(), disk_bytes: 0 }
    }

    fn revision(&self) -> Revision {
        self.read().revision
    }

    fn oldest(&self) -> Revision {
        self.read().oldest
    }

    fn get(&self, key: &str) -> Option<Stored> {
        self.read().objects.get(key).cloned()
    }

    fn range(&self, range: Range<'_>) -> Result<Page, OutOfRange> {
        let state = self.sorted();
        let at = range.at.unwrap_or(state.revision);
        state.check(at)?;
        // Past states are not kept: the newest one is rewound by the events since.
        if at < state.revision {
            return Ok(state.rewound(range, at));
        }
        let limit = range.limit.unwrap_or(usize::MAX);
        let of_value = |(key, stored): (&Arc<str>, &Stored)| (key.clone(), stored.clone());
        let items: Vec<_> = state.objects.scan(range).take(limit).map(of_value).collect();
        let more = if items.len() < limit { 0 } else { state.objects.count(range) - items.len() };
        Ok(Page { items, more, revision: at })
    }

    fn put(&self, key: &str, record: Record, expect: Expect) -> Result<Revision, WriteError> {
        let mut state = self.write();
        let revision = state.put(key, record, expect)?;
        state.trim(self.history, revision, |_| {});
        self.announce(revision);
        Ok(revision)
    }

    fn delete(&self, key: &str, unchanged_since: Revision) -> Result<Revision, WriteError> {
        let mut state = self.write();
        let revision = state.delete(key, unchanged_since)?;
        state.trim(self.history, revision, |_| {});
        self.announce(revision);
        Ok(revision)
    }

    fn events(
        &self,
        prefix: &str,
        after: Revision,
        limit: usize,
    ) -> Result<(Vec<Event>, Revision), OutOfRange> {
        let state = self.read();
        state.check(after)?;
        // Events are in the order of revisions, so where to start is found by halving.
        let first = state.events.partition_point(|event| event.revision <= after);
        let mut found = Vec::new();
        for event in state.events.range(first..).filter(|event| event.key.starts_with(prefix)) {
            // The caller continues after the last event, not after the newest revision.
            if found.len() == limit {
                let reached = found.last().map_or(after, |last: &Event| last.revision);
                return Ok((found, reached));
            }
            found.push(event.clone());
        }
        Ok((found, state.revision))
    }

    fn signal(&self) -> Signal {
        self.newest.subscribe()
    }

    fn compact(&self, to: Revision) {
        let mut state = self.write();
        let to = to.min(state.revision);
        state.forget(to, |_| {});
    }

    fn dependents(&self, owner_uid: &str) -> Vec<Arc<str>> {
        self.read().dependents.get(owner_uid).map(|keys| keys.iter().cloned().collect()).unwrap_or_default()
    }

    fn fork(&self) -> Box<dyn Store> {
        let mut state = self.read().clone();
        // A copy has no past: its watches begin with it.
        state.forget(state.revision, |_| {});
        Box::new(Self::with_state(state, self.history))
    }

    fn adopt(&self, other: &dyn Store) -> Result<(), StoreError> {
        let page = other.range(Range::default()).map_err(|error| StoreError::new(error.to_string()))?;
        let mut state = self.write();
        // Revisions never go back: watches of the replaced state must not see old numbers again.
        let revision = state.revision.max(page.revision) + 1;
        *state = State::of(page.items, revision);
        self.announce(revision);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kubemerge_value::Canonical;

    use super::*;
    use crate::store::Ownership;

    fn record(text: &str) -> Record {
        Record::new(Canonical::from_bytes(text.as_bytes()).unwrap(), vec![], Ownership::default())
    }

    fn owned(owner: &str) -> Record {
        Record::new(Canonical::from_bytes(b"{}").unwrap(), vec![owner.to_string()], Ownership::default())
    }

    fn keys(store: &MemoryStore, range: Range<'_>) -> Vec<String> {
        store.range(range).unwrap().items.iter().map(|(key, _)| key.to_string()).collect()
    }

    #[test]
    fn writes_are_compare_and_swap() {
        let store = MemoryStore::default();
        let first = store.put("a/1", record("1"), Expect::Absent).unwrap();
        assert!(store.put("a/1", record("2"), Expect::Absent).is_err());
        let second = store.put("a/1", record("2"), Expect::Unchanged(first)).unwrap();
        let Err(WriteError::Mismatch(held)) = store.put("a/1", record("3"), Expect::Unchanged(first)) else {
            panic!("the value has changed");
        };
        assert_eq!(held.unwrap().revision, second);
        assert!(store.delete("a/1", first).is_err());
        assert!(store.delete("a/1", second).unwrap() > second);
        assert!(store.get("a/1").is_none());
    }

    #[test]
    fn an_earlier_state_can_be_read_until_it_is_compacted() {
        let store = MemoryStore::default();
        store.put("a/1", record("1"), Expect::Absent).unwrap();
        let two = store.put("a/2", record("2"), Expect::Absent).unwrap();
        store.put("a/0", record("0"), Expect::Absent).unwrap();
        store.delete("a/2", two).unwrap();
        let before = Range { prefix: "a/", at: Some(two), ..Range::default() };
        assert_eq!(keys(&store, before), ["a/1", "a/2"]);
        assert_eq!(keys(&store, Range { start: Some("a/2"), ..before }), ["a/2"]);
        assert_eq!(keys(&store, Range { prefix: "a/", ..Range::default() }), ["a/0", "a/1"]);
        store.compact(store.revision());
        assert!(matches!(store.range(before), Err(OutOfRange::Compacted { .. })));
    }

    #[test]
    fn a_page_is_a_part_of_its_range_at_any_revision() {
        let store = MemoryStore::default();
        for at in 0..50 {
            store.put(&format!("a/{at:02}"), record("1"), Expect::Absent).unwrap();
        }
        store.put("b/1", record("1"), Expect::Absent).unwrap();
        let old = store.revision();
        for at in (0..50).step_by(3) {
            let held = store.get(&format!("a/{at:02}")).unwrap().revision;
            store.delete(&format!("a/{at:02}"), held).unwrap();
        }
        store.put("a/005", record("2"), Expect::Absent).unwrap();
        for at in [None, Some(old)] {
            let whole = store.range(Range { prefix: "a/", at, ..Range::default() }).unwrap();
            for limit in [1, 7, whole.items.len(), 100] {
                let (mut seen, mut start) = (Vec::new(), String::new());
                loop {
                    let range = Range { prefix: "a/", start: Some(&start), at, limit: Some(limit) };
                    let page = store.range(range).unwrap();
                    seen.extend(page.items.iter().map(|(key, stored)| (key.clone(), stored.revision)));
                    assert_eq!(seen.len() + page.more, whole.items.len(), "{at:?} {limit}");
                    let Some((last, _)) = page.items.last().filter(|_| page.more > 0) else { break };
                    start = format!("{last}\0");
                }
                let all = whole.items.iter().map(|(key, stored)| (key.clone(), stored.revision));
                assert!(seen.iter().cloned().eq(all), "{at:?} {limit}");
            }
        }
    }

    #[test]
    fn events_come_in_order_and_in_portions() {
        let store = MemoryStore::default();
        let start = store.revision();
        for name in ["a/1", "b/1", "a/2", "a/3"] {
            store.put(name, record("0"), Expect::Absent).unwrap();
        }
        let (some, reached) = store.events("a/", start, 2).unwrap();
        assert_eq!(some.iter().map(|e| &*e.key).collect::<Vec<_>>(), ["a/1", "a/2"]);
        let (rest, reached) = store.events("a/", reached, 2).unwrap();
        assert_eq!(rest.iter().map(|e| &*e.key).collect::<Vec<_>>(), ["a/3"]);
        assert_eq!(reached, store.revision());
    }

    #[test]
    fn a_bounded_history_forgets_the_oldest() {
        let store = MemoryStore::with_history(2);
        let start = store.revision();
        for name in ["a", "b", "c"] {
            store.put(name, record("0"), Expect::Absent).unwrap();
        }
        assert!(matches!(store.events("", start, 9), Err(OutOfRange::Compacted { .. })));
        assert_eq!(store.events("", store.oldest(), 9).unwrap().0.len(), 2);
    }

    #[test]
    fn dependents_follow_the_owners() {
        let store = MemoryStore::default();
        let one = store.put("a", owned("u1"), Expect::Absent).unwrap();
        assert_eq!(store.dependents("u1").len(), 1);
        let two = store.put("a", owned("u2"), Expect::Unchanged(one)).unwrap();
        assert!(store.dependents("u1").is_empty());
        store.delete("a", two).unwrap();
        assert!(store.dependents("u2").is_empty());
    }

    #[test]
    fn a_fork_is_independent_and_can_be_adopted() {
        let store = MemoryStore::default();
        let written = store.put("a", record("1"), Expect::Absent).unwrap();
        let fork = store.fork();
        store.delete("a", written).unwrap();
        assert_eq!(fork.get("a").unwrap().revision, written);
        store.adopt(&*fork).unwrap();
        assert_eq!(store.get("a").unwrap().revision, written);
        assert!(matches!(store.events("", written, 9), Err(OutOfRange::Compacted { .. })));
    }

    #[test]
    fn history_is_bounded_by_size_too() {
        let mut store = MemoryStore::default();
        store.history.bytes = 100;
        let start = store.revision();
        let large = format!("\"{}\"", "x".repeat(40));
        for name in ["a/1", "a/2"] {
            store.put(name, record(&large), Expect::Absent).unwrap();
        }
        assert_eq!(store.oldest(), start);
        store.put("a/3", record(&large), Expect::Absent).unwrap();
        assert_eq!(store.oldest(), start + 1, "the first event had to go");
        store.compact(store.revision());
        assert_eq!(store.read().event_bytes, 0);
    }

    #[test]
    fn what_was_deleted_weighs_in_the_history() {
        let mut store = MemoryStore::default();
        store.history.bytes = 100;
        let large = format!("\"{}\"", "x".repeat(40));
        for name in ["a/1", "a/2", "a/3"] {
            let written = store.put(name, record(&large), Expect::Absent).unwrap();
            store.delete(name, written).unwrap();
            assert!(store.read().event_bytes <= 100);
        }
        assert_eq!(store.oldest(), store.revision() - 2, "the last object is held twice, no other at all");
        store.compact(store.revision());
        assert_eq!(store.read().event_bytes, 0);
    }
}
