//! What the store in memory holds, and the steps that change it.
//!
//! No step can fail half-way: what is expected is checked first.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    sync::Arc,
};

use super::{
    Event, Expect, OutOfRange, Page, Range, Record, Revision, Stored, WriteError,
    objects::{Objects, first_key},
};

/// How much history is kept.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) events: usize,
    pub(super) bytes: usize,
}

/// Objects by key, a bounded history, and an index from owners to dependents.
#[derive(Clone, Default)]
pub(super) struct State {
    pub(super) objects: Objects,
    /// Owner uid to the keys of its dependents.
    pub(super) dependents: HashMap<String, BTreeSet<Arc<str>>>,
    pub(super) events: VecDeque<Event>,
    /// The sizes of all objects in `events` together.
    pub(super) event_bytes: usize,
    pub(super) revision: Revision,
    /// States at this revision and later can be read.
    pub(super) oldest: Revision,
}

impl State {
    /// A state with these values, whose history begins at the revision. The keys differ.
    pub(super) fn of(items: Vec<(Arc<str>, Stored)>, revision: Revision) -> State {
        let mut state = State { revision, oldest: revision, ..State::default() };
        for (key, stored) in items {
            state.index(&key, &stored.record);
            state.objects.insert(&key, stored).ok();
        }
        state
    }

    pub(super) fn check(&self, at: Revision) -> Result<(), OutOfRange> {
        if at > self.revision {
            Err(OutOfRange::Future { current: self.revision })
        } else if at < self.oldest {
            Err(OutOfRange::Compacted { oldest: self.oldest })
        } else {
            Ok(())
        }
    }

    /// A range at an earlier revision: what there is now, with every event since undone.
    pub(super) fn rewound(&self, range: Range<'_>, at: Revision) -> Page {
        let from = first_key(range);
        let mut then: BTreeMap<&Arc<str>, Option<&Stored>> = BTreeMap::new();
        // Newest first: what was there before the oldest of them counts.
        let later = self.events.iter().rev().take_while(|event| event.revision > at);
        for event in later.filter(|event| event.key.starts_with(range.prefix) && &*event.key >= from) {
            then.insert(&event.key, event.previous.as_ref());
        }
        let all = self.objects.count(range) + then.len();
        let undone = then
            .iter()
            .map(|(key, held)| usize::from(held.is_none()) + usize::from(self.objects.get(key).is_some()));
        let count = all - undone.sum::<usize>();
        let limit = range.limit.unwrap_or(usize::MAX);
        let items: Vec<_> = merged(self.objects.scan(range), then).take(limit).collect();
        Page { more: count - items.len(), items, revision: at }
    }

    /// Writes a value if the key holds what is expected.
    pub(super) fn put(&mut self, key: &str, record: Record, expect: Expect) -> Result<Revision, WriteError> {
        match expect {
            Expect::Absent => self.create(key, record),
            Expect::Unchanged(since) => self.replace(key, record, since),
        }
    }

    /// Removes a value that was last written at the revision.
    pub(super) fn delete(&mut self, key: &str, since: Revision) -> Result<Revision, WriteError> {
        match self.objects.get(key) {
            Some(held) if held.revision == since => Ok(self.remove(key)),
            held => Err(WriteError::Mismatch(held.cloned())),
        }
    }

    pub(super) fn create(&mut self, key: &str, record: Record) -> Result<Revision, WriteError> {
        let (key, revision) = (Arc::<str>::from(key), self.revision + 1);
        let stored = Stored { record: record.clone(), revision };
        // The map says whether the key was free: looking it up first would be a second search.
        self.objects.insert(&key, stored).map_err(|held| WriteError::Mismatch(Some(held.clone())))?;
        self.stored(key, record, None);
        Ok(revision)
    }

    /// Replaces a value that was last written at the revision.
    pub(super) fn replace(
        &mut self,
        key: &str,
        record: Record,
        since: Revision,
    ) -> Result<Revision, WriteError> {
        let revision = self.revision + 1;
        let (key, previous) = match self.objects.get_mut(key) {
            Some((key, held)) if held.revision == since => {
                (key.clone(), std::mem::replace(held, Stored { record: record.clone(), revision }))
            }
            held => return Err(WriteError::Mismatch(held.map(|(_, held)| held.clone()))),
        };
        self.stored(key, record, Some(previous));
        Ok(revision)
    }

    /// Notes what was just stored.
    fn stored(&mut self, key: Arc<str>, record: Record, previous: Option<Stored>) {
        self.revision += 1;
        // Before the old owners are dropped, so that an owner of both stays.
        self.index(&key, &record);
        if let Some(previous) = &previous {
            self.unindex(&key, &previous.record, record.owners());
        }
        self.remember(Event { revision: self.revision, key, value: Some(record), previous });
    }

    pub(super) fn remove(&mut self, key: &str) -> Revision {
        let Some((key, previous)) = self.objects.remove(key) else { return self.revision };
        self.revision += 1;
        self.unindex(&key, &previous.record, &[]);
        self.remember(Event { revision: self.revision, key, value: None, previous: Some(previous) });
        self.revision
    }

    pub(super) fn index(&mut self, key: &Arc<str>, record: &Record) {
        for owner in record.owners() {
            self.dependents.entry(owner.clone()).or_default().insert(key.clone());
        }
    }

    pub(super) fn unindex(&mut self, key: &str, record: &Record, kept: &[String]) {
        // Most updates keep their owners.
        if record.owners() == kept {
            return;
        }
        let kept: HashSet<&String> = kept.iter().collect();
        for owner in record.owners().iter().filter(|owner| !kept.contains(owner)) {
            if let Some(keys) = self.dependents.get_mut(owner) {
                keys.remove(key);
                if keys.is_empty() {
                    self.dependents.remove(owner);
                }
            }
        }
    }

    fn remember(&mut self, event: Event) {
        self.event_bytes += size(&event);
        self.events.push_back(event);
    }

    /// The oldest event, unless it is after `last`.
    fn take_oldest(&mut self, last: Revision) -> Option<Event> {
        self.events.front().filter(|event| event.revision <= last)?;
        self.events.pop_front()
    }

    /// Drops the oldest events while there are too many, but none after `durable`; hands each to `dropped`.
    pub(super) fn trim(&mut self, most: Limits, durable: Revision, mut dropped: impl FnMut(&Event)) {
        while self.events.len() > most.events || self.event_bytes > most.bytes {
            let Some(event) = self.take_oldest(durable) else { return };
            self.event_bytes -= size(&event);
            // The state after the dropped event can still be read, the one before it cannot.
            self.oldest = event.revision;
            dropped(&event);
        }
    }

    /// After this, states before `to` cannot be read. Hands each event that is dropped to `dropped`.
    pub(super) fn forget(&mut self, to: Revision, mut dropped: impl FnMut(&Event)) {
        self.oldest = self.oldest.max(to);
        while let Some(event) = self.take_oldest(to) {
            self.event_bytes -= size(&event);
            dropped(&event);
        }
    }
}

/// What there is now, in key order, but for the keys of which is known what was there then.
fn merged<'s>(
    now: impl Iterator<Item = (&'s Arc<str>, &'s Stored)>,
    then: BTreeMap<&'s Arc<str>, Option<&'s Stored>>,
) -> impl Iterator<Item = (Arc<str>, Stored)> {
    let (mut now, mut then) = (now.peekable(), then.into_iter().peekable());
    std::iter::from_fn(move || {
        loop {
            let is_then = match (now.peek(), then.peek()) {
                (None, None) => return None,
                (Some((key, _)), Some((changed, _))) => changed <= key,
                (None, _) => true,
                (_, None) => false,
            };
            if !is_then {
                return now.next().map(|(key, stored)| (key.clone(), stored.clone()));
            }
            let Some((changed, held)) = then.next() else { continue };
            now.next_if(|(key, _)| *key == changed);
            if let Some(held) = held {
                return Some((changed.clone(), held.clone()));
            }
        }
    })
}

/// How much an event weighs in the history. What was there before counts too: nothing else may hold it by now.
pub(super) fn size(event: &Event) -> usize {
    let records = event.value.iter().chain(event.previous.iter().map(|stored| &stored.record));
    records.map(|record| record.canonical().as_bytes().len()).sum()
}
