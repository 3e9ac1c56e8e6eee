//! Faults on demand: requests that fail or take their time, watches that lose, repeat or delay events.

mod of_watch;
mod on;

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

pub(crate) use of_watch::WatchFaults;
pub use on::On;
use tokio::sync::watch;

use crate::{
    api::hooks::{IncomingRequest, Interference},
    protocol::{entropy::Entropy, status::Failure},
};

/// What happens to a request, or to an open watch. Of watches, `nth`, `first` and `sometimes` count those that
/// match, in the order in which they were opened.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It is answered with this failure and not carried out.
    Fail(Failure),
    /// It is carried out after this long.
    Delay(Duration),
    /// It is carried out, but the answer is this failure.
    LoseAnswer(Failure),
    /// The n-th next event of a matching watch is not sent, counted from 1.
    DropEvent(u64),
    /// The n-th next event of a matching watch is sent twice, counted from 1.
    RepeatEvent(u64),
    /// Matching watches lag by this many events.
    Lag(usize),
    /// Matching watches send everything this much later.
    DelayEvents(Duration),
    /// Matching watches end, as if the connection were lost.
    EndWatch,
    /// Matching watches end with this failure as their last event, such as 410.
    FailWatch(Failure),
    /// Matching watches send no bookmarks.
    HoldBookmarks,
}

impl Fault {
    /// Whether it concerns open watches rather than requests.
    fn is_of_watches(&self) -> bool {
        !matches!(self, Fault::Fail(_) | Fault::Delay(_) | Fault::LoseAnswer(_))
    }
}

/// Which matches get the fault.
#[derive(Clone, Copy, Debug, PartialEq)]
enum When {
    Always,
    /// Only the n-th match, counted from 1.
    Nth(u64),
    /// Only the first n matches.
    First(u64),
    /// With a probability.
    Sometimes(f64),
}

/// A fault with its conditions; build it with [`On`].
#[derive(Clone, Debug)]
pub struct FaultRule {
    on: On,
    when: When,
    fault: Fault,
}

impl FaultRule {
    pub(crate) fn on(&self) -> &On {
        &self.on
    }
}

/// A rule with its counters.
struct Armed {
    rule: FaultRule,
    seen: AtomicU64,
    /// Events counted for the watch faults.
    events: AtomicU64,
}

impl Armed {
    /// Counts a request or a watch and returns whether it gets the fault.
    fn is_now(&self, chance: &Entropy) -> bool {
        let count = self.seen.fetch_add(1, Ordering::Relaxed) + 1;
        match self.rule.when {
            When::Always => true,
            When::Nth(n) => count == n,
            When::First(n) => count <= n,
            When::Sometimes(probability) => chance.fraction() < probability,
        }
    }
}

/// All rules of a server.
#[derive(Default)]
pub(crate) struct Faults {
    rules: Mutex<Vec<Arc<Armed>>>,
    /// How often the rules have changed.
    changed: watch::Sender<u64>,
}

impl Faults {
    pub(crate) fn add(&self, rule: FaultRule) {
        let armed = Armed { rule, seen: AtomicU64::new(0), events: AtomicU64::new(0) };
        self.with(|rules| rules.push(Arc::new(armed)));
        self.changed.send_modify(|changes| *changes += 1);
    }

    pub(crate) fn clear(&self) {
        self.with(Vec::clear);
        self.changed.send_modify(|changes| *changes += 1);
    }

    fn with<T>(&self, act: impl FnOnce(&mut Vec<Arc<Armed>>) -> T) -> T {
        act(&mut self.rules.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether there are no rules, as in most servers.
    pub(crate) fn is_empty(&self) -> bool {
        self.with(|rules| rules.is_empty())
    }

    /// Counts a request and returns how it is treated.
    pub(crate) fn interfere(&self, request: &IncomingRequest<'_>, chance: &Entropy) -> Interference {
        let mut interference = Interference::default();
        // Cloned, so that the lock is not held while rules count.
        let rules = self.with(|rules| rules.clone());
        let rules = rules.iter().filter(|armed| !armed.rule.fault.is_of_watches());
        for armed in rules.filter(|armed| armed.rule.on.covers(request)) {
            // Counts the match even if the fault does not apply this time.
            if !armed.is_now(chance) {
                continue;
            }
            match &armed.rule.fault {
                Fault::Fail(failure) => {
                    // The first rule that was added wins; delays add up.
                    interference.failure = interference.failure.or_else(|| Some(failure.clone()));
                }
                Fault::LoseAnswer(failure) => interference.lost_answer = Some(failure.clone()),
                Fault::Delay(delay) => interference.delay += *delay,
                _ => {}
            }
        }
        interference
    }
}
