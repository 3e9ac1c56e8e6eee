//! Changes of a state that are no writes of a client: reading a log, taking writes back.

#[cfg(feature = "file-store")]
use std::collections::BTreeMap;

use super::{
    Event, Record, Revision,
    state::{State, size},
};

impl State {
    /// Does again what was done at a revision, which is larger than those before. What is too old for the history does
    /// not become part of it.
    pub(super) fn replay(&mut self, revision: Revision, key: &str, record: Option<Record>) {
        self.revision = revision.saturating_sub(1);
        let held = self.objects.get(key).map(|held| held.revision);
        // None of them fails: what is expected was just read.
        match (held, record) {
            (None, Some(record)) => drop(self.create(key, record)),
            (Some(held), Some(record)) => drop(self.replace(key, record, held)),
            (_, None) => _ = self.remove(key),
        }
        self.revision = revision;
        let oldest = self.oldest;
        self.take_newest(|event| event.revision <= oldest);
    }

    /// What a log needs to restore the state and the history: every value that can still be read, and every removal.
    #[cfg(feature = "file-store")]
    pub(super) fn entries(&self) -> impl Iterator<Item = (Revision, &str, Option<&Record>)> {
        let newest = self.objects.iter().map(|(key, stored)| (stored.revision, (key, Some(&stored.record))));
        let history = self.events.iter().flat_map(|event| {
            let previous =
                event.previous.iter().map(|held| (held.revision, (&*event.key, Some(&held.record))));
            previous.chain([(event.revision, (&*event.key, event.value.as_ref()))])
        });
        // An event has the value that is the newest of its key, or the previous one of the next event.
        let entries: BTreeMap<_, _> = history.chain(newest).collect();
        entries.into_iter().map(|(revision, (key, record))| (revision, key, record))
    }

    /// The events after a revision.
    #[cfg(feature = "file-store")]
    pub(super) fn events_after(&self, revision: Revision) -> Vec<Event> {
        let first = self.events.partition_point(|event| event.revision <= revision);
        self.events.range(first..).cloned().collect()
    }

    /// Takes back every write after a revision, the newest first.
    #[cfg(feature = "file-store")]
    pub(super) fn undo_after(&mut self, revision: Revision) {
        while let Some(event) = self.take_newest(|event| event.revision > revision) {
            self.undo(event);
        }
        self.revision = revision;
    }

    /// Takes the newest event out of the history if it is such a one.
    fn take_newest(&mut self, is_wanted: impl Fn(&Event) -> bool) -> Option<Event> {
        self.events.back().filter(|event| is_wanted(event))?;
        let event = self.events.pop_back()?;
        self.event_bytes -= size(&event);
        Some(event)
    }

    #[cfg(feature = "file-store")]
    fn undo(&mut self, Event { key, value, previous, .. }: Event) {
        let kept = previous.as_ref().map_or(&[][..], |previous| previous.record.owners());
        if let Some(value) = &value {
            self.objects.remove(&key);
            self.unindex(&key, value, kept);
        }
        if let Some(previous) = previous {
            self.index(&key, &previous.record);
            // The key is free: it was removed, now or by the event.
            self.objects.insert(&key, previous).ok();
        }
    }
}
