//! Faults of watches: which of them concern a watch is decided once, when it first meets the rule.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use tokio::sync::watch;

use super::{Armed, Fault, Faults};
use crate::{
    api::hooks::{EventFault, IncomingRequest, WatchEnd, WatchHooks},
    protocol::{entropy::Entropy, target::Named, verb::Verb},
    store::{Event, Revision},
};

/// The faults of one watch.
pub(crate) struct WatchFaults {
    faults: Arc<Faults>,
    entropy: Arc<Entropy>,
    address: Named<'static>,
    /// The rules that were met so far, and whether they concern this watch.
    met: Vec<(Arc<Armed>, bool)>,
    changed: watch::Receiver<u64>,
}

impl WatchFaults {
    /// The faults of a watch that is being opened.
    pub(crate) fn new(faults: Arc<Faults>, entropy: Arc<Entropy>, address: &Named<'_>) -> WatchFaults {
        let (changed, address) = (faults.changed.subscribe(), address.clone().into_owned());
        let mut faults = WatchFaults { faults, entropy, address, met: Vec::new(), changed };
        // Rules count watches when they are opened, not when they first send something.
        faults.look(|_| None::<()>);
        faults
    }

    /// Shows each rule that concerns the watch, and answers the first thing that was found.
    fn look<T>(&mut self, mut found: impl FnMut(&Armed) -> Option<T>) -> Option<T> {
        let faults = &self.faults;
        // Most servers have no rules: skip the matching.
        if faults.is_empty() {
            self.met.clear();
            return None;
        }
        let incoming = IncomingRequest { verb: Some(Verb::Watch), address: &self.address, content_type: "" };
        let rules = faults.with(|rules| rules.clone());
        let rules =
            rules.iter().filter(|armed| armed.rule.fault.is_of_watches() && armed.rule.on.covers(&incoming));
        let mut first = None;
        for armed in rules {
            let met =
                self.met.iter().find(|(known, _)| Arc::ptr_eq(known, armed)).map(|(_, applies)| *applies);
            let applies = met.unwrap_or_else(|| {
                let applies = armed.is_now(&self.entropy);
                self.met.push((armed.clone(), applies));
                applies
            });
            if applies {
                // Every rule gets to see every event.
                let found = found(armed);
                first = first.or(found);
            }
        }
        first
    }
}

impl WatchHooks for WatchFaults {
    fn next_event(&mut self) -> EventFault {
        let found = self.look(|armed| {
            let (n, fault) = match armed.rule.fault {
                Fault::DropEvent(n) => (n, EventFault::Dropped),
                Fault::RepeatEvent(n) => (n, EventFault::Repeated),
                _ => return None,
            };
            let count = armed.events.fetch_add(1, Ordering::Relaxed) + 1;
            (count == n).then_some(fault)
        });
        found.unwrap_or(EventFault::None)
    }

    fn changed(&mut self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        // An error would mean that the rules are gone, but `self` holds them.
        Box::pin(async { drop(self.changed.changed().await) })
    }

    fn end(&mut self) -> Option<WatchEnd> {
        self.changed.borrow_and_update();
        self.look(|armed| match &armed.rule.fault {
            Fault::EndWatch => Some(WatchEnd::Silent),
            Fault::FailWatch(failure) => Some(WatchEnd::With(failure.clone())),
            _ => None,
        })
    }

    fn holds_bookmarks(&mut self) -> bool {
        self.look(|armed| matches!(armed.rule.fault, Fault::HoldBookmarks).then_some(())).is_some()
    }

    fn delay(&mut self) -> Option<Duration> {
        self.look(|armed| match armed.rule.fault {
            Fault::DelayEvents(delay) => Some(delay),
            _ => None,
        })
    }

    fn lag(&mut self, events: &[Event]) -> Option<Revision> {
        let lag = self.look(|armed| match armed.rule.fault {
            Fault::Lag(lag) => Some(lag),
            _ => None,
        })?;
        let readable = events.len().saturating_sub(lag);
        match readable.checked_sub(1) {
            // Everything is held back.
            None => events.first().map(|first| first.revision - 1),
            Some(last) => events.get(last).map(|event| event.revision),
        }
    }
}
