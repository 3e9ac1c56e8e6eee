//! Events that no client wrote again for a while are removed, as those of a cluster are.
//!
//! How long ago an Event was written is told by its revision: which one was the newest is noted from time to time.
//! No clock but that of the process counts, so that one that jumps removes nothing early.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use tokio::{sync::watch, time::Instant};

use crate::{api::state::Api, store::Revision, write::followups::collector::run_followups};

/// Events may be this part of their time too old.
const MARKS_PER_TTL: u32 = 20;
const MIN_TICK: Duration = Duration::from_millis(100);

/// Removes Events until the server stops.
pub(super) async fn expire_events(api: Arc<Api>, ttl: Duration, mut stopped: watch::Receiver<bool>) {
    let mut ages = Ages::default();
    let tick = (ttl / MARKS_PER_TTL).max(MIN_TICK);
    loop {
        tokio::select! {
            () = tokio::time::sleep(tick) => {}
            _ = stopped.changed() => return,
        }
        let now = Instant::now();
        ages.note(now, api.cluster.store.durable());
        if let Some(expired) = ages.older_than(now, ttl) {
            remove(&api, expired);
        }
    }
}

/// When which revision was the newest, oldest first.
#[derive(Default)]
struct Ages(VecDeque<(Instant, Revision)>);

impl Ages {
    fn note(&mut self, now: Instant, newest: Revision) {
        self.0.push_back((now, newest));
    }

    /// The newest revision that is older, once.
    fn older_than(&mut self, now: Instant, age: Duration) -> Option<Revision> {
        let mut found = None;
        while let Some((time, revision)) = self.0.front().copied()
            && now.duration_since(time) >= age
        {
            found = Some(revision);
            self.0.pop_front();
        }
        found
    }
}

/// Removes the Events that were last written at the revision or before.
fn remove(api: &Api, expired: Revision) {
    let index = api.cluster.catalog.index();
    let Some(resource) = index.by_kind("", "v1", "Event") else { return };
    let transaction = api.transaction();
    for (key, stored) in api.cluster.store.newest(&resource.prefix("")) {
        if stored.revision <= expired {
            // One that was written meanwhile stays; a store that fails is asked again the next time.
            drop(transaction.remove(resource, &key, &stored));
        }
    }
    drop(run_followups(&transaction));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_grow_old_in_order() {
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let mut ages = Ages::default();
        ages.note(start, 5);
        ages.note(start + second, 7);
        assert_eq!(ages.older_than(start + second, 2 * second), None);
        assert_eq!(ages.older_than(start + 2 * second, 2 * second), Some(5));
        assert_eq!(ages.older_than(start + 9 * second, 2 * second), Some(7));
        assert_eq!(ages.older_than(start + 9 * second, 2 * second), None);
    }
}
