//! Faults on demand: requests that fail or take their time, watches that lose, repeat or delay events.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::sync::Notify;

use crate::{
    catalog::Resource,
    entropy::Entropy,
    status::Failure,
    store::{Event, Revision},
    target::Address,
};

/// Which requests a fault concerns; what is not set matches all.
#[derive(Clone, Debug, Default)]
pub struct On {
    verb: Option<String>,
    group: Option<String>,
    resource: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    subresource: Option<String>,
    content_type: Option<String>,
}

/// What happens to a request.
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
    /// Matching watches stay this many events behind.
    Lag(usize),
    /// Matching watches end, as if the connection were lost.
    EndWatch,
    /// Matching watches send no bookmarks.
    HoldBookmarks,
}

/// When a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum When {
    Always,
    /// Only the n-th matching request, counted from 1.
    Nth(u64),
    /// Only the first n matching requests.
    First(u64),
    /// By chance.
    Sometimes(f64),
}

/// A fault with its conditions; build it with [`On`].
#[derive(Clone, Debug)]
pub struct Rule {
    on: On,
    when: When,
    fault: Fault,
}

impl On {
    /// Every request.
    pub fn any() -> On {
        On::default()
    }

    /// Requests with this verb: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or
    /// `deletecollection`.
    pub fn verb(verb: &str) -> On {
        On { verb: Some(verb.to_string()), ..On::default() }
    }

    /// … for this plural name, with its group unless it is in the core group: `deployments.apps`.
    pub fn resource(mut self, resource: &str) -> On {
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        self.resource = Some(plural.to_string());
        self.group = Some(group.to_string());
        self
    }

    /// … in this namespace.
    pub fn namespace(mut self, namespace: &str) -> On {
        self.namespace = Some(namespace.to_string());
        self
    }

    /// … for this object.
    pub fn name(mut self, name: &str) -> On {
        self.name = Some(name.to_string());
        self
    }

    /// … for this subresource.
    pub fn subresource(mut self, subresource: &str) -> On {
        self.subresource = Some(subresource.to_string());
        self
    }

    /// … with a body of this content type.
    pub fn content_type(mut self, content_type: &str) -> On {
        self.content_type = Some(content_type.to_string());
        self
    }

    /// Every such request gets the fault.
    pub fn always(self, fault: Fault) -> Rule {
        Rule { on: self, when: When::Always, fault }
    }

    /// The n-th such request gets the fault, counted from 1.
    pub fn nth(self, n: u64, fault: Fault) -> Rule {
        Rule { on: self, when: When::Nth(n), fault }
    }

    /// The first n such requests get the fault.
    pub fn first(self, n: u64, fault: Fault) -> Rule {
        Rule { on: self, when: When::First(n), fault }
    }

    /// Each such request gets the fault with this probability, from the server's source of chance.
    pub fn sometimes(self, probability: f64, fault: Fault) -> Rule {
        Rule { on: self, when: When::Sometimes(probability), fault }
    }

    fn covers(&self, request: &Incoming<'_>) -> bool {
        let address = request.address;
        let same = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|one| one == found);
        same(&self.verb, request.verb)
            && same(&self.group, &address.group)
            && same(&self.resource, &address.resource)
            && same(&self.namespace, address.namespace.as_deref().unwrap_or_default())
            && same(&self.name, address.name.as_deref().unwrap_or_default())
            && same(&self.subresource, address.subresource.as_deref().unwrap_or_default())
            && same(&self.content_type, request.content_type)
    }
}

/// What a rule is asked about.
pub(crate) struct Incoming<'r> {
    pub(crate) verb: &'r str,
    pub(crate) address: &'r Address,
    pub(crate) content_type: &'r str,
}

/// The faults of one request.
#[derive(Debug, Default)]
pub(crate) struct Struck {
    pub(crate) delay: Duration,
    pub(crate) failure: Option<Failure>,
    pub(crate) lost_answer: Option<Failure>,
}

struct Armed {
    rule: Rule,
    seen: AtomicU64,
    /// Events counted for the watch faults.
    events: AtomicU64,
}

/// All rules of a server.
#[derive(Default)]
pub(crate) struct Faults {
    rules: Mutex<Vec<Arc<Armed>>>,
    changed: Notify,
}

impl Faults {
    pub(crate) fn add(&self, rule: Rule) {
        let armed = Armed { rule, seen: AtomicU64::new(0), events: AtomicU64::new(0) };
        self.with(|rules| rules.push(Arc::new(armed)));
        self.changed.notify_waiters();
    }

    pub(crate) fn clear(&self) {
        self.with(Vec::clear);
        self.changed.notify_waiters();
    }

    /// Resolves when the rules change.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    fn with<T>(&self, act: impl FnOnce(&mut Vec<Arc<Armed>>) -> T) -> T {
        act(&mut self.rules.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether there are no rules, which is the rule.
    pub(crate) fn is_empty(&self) -> bool {
        self.with(|rules| rules.is_empty())
    }

    /// Counts a request and tells what is to happen to it.
    pub(crate) fn strike(&self, request: &Incoming<'_>, chance: &Entropy) -> Struck {
        let mut struck = Struck::default();
        let rules = self.with(|rules| rules.clone());
        for armed in rules.iter().filter(|armed| armed.rule.on.covers(request)) {
            let count = armed.seen.fetch_add(1, Ordering::Relaxed) + 1;
            if !armed.rule.when.is_now(count, chance) {
                continue;
            }
            match &armed.rule.fault {
                Fault::Fail(failure) => struck.failure = struck.failure.or_else(|| Some(failure.clone())),
                Fault::LoseAnswer(failure) => struck.lost_answer = Some(failure.clone()),
                Fault::Delay(delay) => struck.delay += *delay,
                _ => {}
            }
        }
        struck
    }

    /// The faults that a watch has to ask about.
    pub(crate) fn watch(self: &Arc<Self>, resource: &Resource, namespace: &str) -> WatchFaults {
        let address = Address {
            group: resource.group.clone(),
            version: resource.version.clone(),
            namespace: Some(namespace.to_string()).filter(|namespace| !namespace.is_empty()),
            resource: resource.plural.clone(),
            ..Address::default()
        };
        WatchFaults { faults: self.clone(), address }
    }
}

impl When {
    fn is_now(self, count: u64, chance: &Entropy) -> bool {
        match self {
            When::Always => true,
            When::Nth(n) => count == n,
            When::First(n) => count <= n,
            When::Sometimes(probability) => chance.fraction() < probability,
        }
    }
}

/// What happens to one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventFault {
    None,
    Dropped,
    Repeated,
}

/// The faults of one watch.
pub(crate) struct WatchFaults {
    faults: Arc<Faults>,
    address: Address,
}

impl WatchFaults {
    fn find<T>(&self, mut look: impl FnMut(&Armed) -> Option<T>) -> Option<T> {
        if self.faults.is_empty() {
            return None;
        }
        let incoming = Incoming { verb: "watch", address: &self.address, content_type: "" };
        let rules = self.faults.with(|rules| rules.clone());
        rules.iter().filter(|armed| armed.rule.on.covers(&incoming)).find_map(|armed| look(armed))
    }

    /// Counts an event and tells what is to happen to it.
    pub(crate) fn next_event(&self) -> EventFault {
        let found = self.find(|armed| {
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

    pub(crate) fn ends_stream(&self) -> bool {
        self.find(|armed| matches!(armed.rule.fault, Fault::EndWatch).then_some(())).is_some()
    }

    pub(crate) fn holds_bookmarks(&self) -> bool {
        self.find(|armed| matches!(armed.rule.fault, Fault::HoldBookmarks).then_some(())).is_some()
    }

    /// The revision up to which a watch that lags may read.
    pub(crate) fn lag(&self, events: &[Event]) -> Option<Revision> {
        let behind = self.find(|armed| match armed.rule.fault {
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
