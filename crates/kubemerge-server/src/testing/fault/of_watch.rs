//! Faults of watches: which of them concern a watch is decided once, when it first meets the rule.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use tokio::sync::watch;

use super::{Armed, Fault, Incoming};
use crate::{
    api::app::App,
    protocol::{status::Failure, target::Named},
    store::{Event, Revision},
};

/// What happens to one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventFault {
    None,
    Dropped,
    Repeated,
}

/// The faults of one watch.
pub(crate) struct WatchFaults {
    app: Arc<App>,
    address: Named<'static>,
    /// The rules that were met so far, and whether they concern this watch.
    met: Vec<(Arc<Armed>, bool)>,
    changed: watch::Receiver<u64>,
}

impl WatchFaults {
    /// The faults of a watch that is being opened.
    pub(crate) fn new(app: &Arc<App>, address: &Named<'_>) -> WatchFaults {
        let changed = app.faults.changed.subscribe();
        let mut faults =
            WatchFaults { app: app.clone(), address: address.clone().into_owned(), met: Vec::new(), changed };
        faults.look(|_| None::<()>);
        faults
    }

    /// Shows each rule that concerns the watch, and answers the first thing that was found.
    fn look<T>(&mut self, mut found: impl FnMut(&Armed) -> Option<T>) -> Option<T> {
        let faults = &self.app.faults;
        if faults.is_empty() {
            self.met.clear();
            return None;
        }
        let incoming = Incoming { verb: "watch", address: &self.address, content_type: "" };
        let rules = faults.with(|rules| rules.clone());
        let rules =
            rules.iter().filter(|armed| armed.rule.fault.is_of_watches() && armed.rule.on.covers(&incoming));
        let mut first = None;
        for armed in rules {
            let met =
                self.met.iter().find(|(known, _)| Arc::ptr_eq(known, armed)).map(|(_, strikes)| *strikes);
            let strikes = met.unwrap_or_else(|| {
                let strikes = armed.is_now(&self.app.entropy);
                self.met.push((armed.clone(), strikes));
                strikes
            });
            if strikes {
                // Every rule gets to see every event.
                let found = found(armed);
                first = first.or(found);
            }
        }
        first
    }

    /// Counts an event and tells what is to happen to it.
    pub(crate) fn next_event(&mut self) -> EventFault {
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

    /// Resolves when the rules have changed since the watch last asked whether it ends.
    pub(crate) async fn changed(&mut self) {
        // The server holds the other end as long as this one.
        drop(self.changed.changed().await);
    }

    /// Whether the watch ends, and with what.
    pub(crate) fn end(&mut self) -> Option<End> {
        self.changed.borrow_and_update();
        self.look(|armed| match &armed.rule.fault {
            Fault::EndWatch => Some(End::Silent),
            Fault::FailWatch(failure) => Some(End::With(failure.clone())),
            _ => None,
        })
    }

    pub(crate) fn holds_bookmarks(&mut self) -> bool {
        self.look(|armed| matches!(armed.rule.fault, Fault::HoldBookmarks).then_some(())).is_some()
    }

    /// How much later everything is sent.
    pub(crate) fn delay(&mut self) -> Option<Duration> {
        self.look(|armed| match armed.rule.fault {
            Fault::DelayEvents(delay) => Some(delay),
            _ => None,
        })
    }

    /// The revision up to which a watch that lags may read.
    pub(crate) fn lag(&mut self, events: &[Event]) -> Option<Revision> {
        let behind = self.look(|armed| match armed.rule.fault {
            Fault::Lag(behind) => Some(behind),
            _ => None,
        })?;
        let readable = events.len().saturating_sub(behind);
        match (readable, events.first()) {
            (0, Some(first)) => Some(first.revision - 1),
            (0, None) => None,
            (n, _) => Some(events[n - 1].revision),
        }
    }
}

/// How a watch ends.
pub(crate) enum End {
    /// As if the connection were lost.
    Silent,
    /// With this failure as its last event.
    With(Failure),
}
