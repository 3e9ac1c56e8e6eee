//! The names that stored definitions have: an index that follows the history of the store, so that a new definition is not
//! compared with all others.

use std::sync::{Mutex, PoisonError};

use kubemerge_kinds::custom::names::TakenNames;

use crate::{
    catalog::definition::PREFIX,
    protocol::json::tree,
    store::{Range, Record, Revision, Store},
};

/// How many events are read at once.
const EVENTS_AT_ONCE: usize = 1_000;

/// The names of all definitions.
#[derive(Default)]
pub(crate) struct DefinitionNames(Mutex<Followed>);

#[derive(Default)]
struct Followed {
    names: TakenNames,
    /// What was followed; none before the first question.
    revision: Option<Revision>,
}

impl DefinitionNames {
    /// Asks something of the names as they are stored now.
    pub(super) fn with<T>(&self, store: &dyn Store, ask: impl FnOnce(&TakenNames) -> T) -> T {
        let mut followed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if followed.catch_up(store).is_none() {
            followed.read_all(store);
        }
        ask(&followed.names)
    }

    /// Forgets everything: the store has taken back what it showed.
    pub(crate) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Followed::default();
    }
}

impl Followed {
    /// Reads the events since the last question; none if the history does not go back so far.
    fn catch_up(&mut self, store: &dyn Store) -> Option<()> {
        loop {
            let from = self.revision?;
            let (events, reached) = store.events(PREFIX, from, EVENTS_AT_ONCE).ok()?;
            for event in &events {
                self.set(&event.key, event.value.as_ref());
            }
            self.revision = Some(reached);
            if events.len() < EVENTS_AT_ONCE {
                return Some(());
            }
        }
    }

    fn read_all(&mut self, store: &dyn Store) {
        *self = Followed::default();
        // Only a revision that is asked for can be out of range.
        let Ok(page) = store.range(Range { prefix: PREFIX, ..Range::default() }) else { return };
        for (key, stored) in &page.items {
            self.set(key, Some(&stored.record));
        }
        self.revision = Some(page.revision);
    }

    fn set(&mut self, key: &str, record: Option<&Record>) {
        let definition = record.map(|record| tree(record.node()));
        self.names.set(key, definition.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use kubemerge_kinds::custom::names::judge;
    use kubemerge_value::Canonical;
    use serde_json::{Value, json};

    use super::*;
    use crate::store::{Expect, MemoryStore, Ownership};

    fn definition(kind: &str) -> Value {
        let names = json!({"plural": "things", "kind": kind});
        json!({"spec": {"group": "example.com", "names": names}, "status": {"acceptedNames": names}})
    }

    fn put(store: &MemoryStore, name: &str, kind: &str, expect: Expect) -> Revision {
        let text = Canonical::from_bytes(definition(kind).to_string().as_bytes()).unwrap();
        let record = Record::new(text, Vec::new(), Ownership::default());
        store.put(&format!("{PREFIX}{name}"), record, expect).unwrap()
    }

    #[test]
    fn the_index_is_as_the_store_whatever_happens_to_it() {
        let (store, names) = (MemoryStore::with_history(4), DefinitionNames::default());
        let is_taken = |kind: &str| {
            let wanted = json!({"spec": {"group": "example.com", "names": {"plural": "x", "kind": kind}}});
            names.with(&store, |taken| judge(&wanted, taken, |_, _| false).conflict.is_some())
        };
        assert!(!is_taken("A"));
        let first = put(&store, "a", "A", Expect::Absent);
        let other = put(&store, "b", "A", Expect::Absent);
        assert!(is_taken("A"));
        let second = put(&store, "a", "B", Expect::Unchanged(first));
        assert!(is_taken("A") && is_taken("B"), "another definition has the name as well");
        store.delete(&format!("{PREFIX}b"), other).unwrap();
        assert!(!is_taken("A") && is_taken("B"));
        // More than the history has.
        (0..10).fold(second, |held, at| put(&store, "a", &format!("C{at}"), Expect::Unchanged(held)));
        assert!(is_taken("C9") && !is_taken("B") && !is_taken("C8"));
        let fork = store.fork();
        store.adopt(&*fork).unwrap();
        assert!(is_taken("C9"));
    }
}
