//! How much is done at once; more is answered with 429, so that clients come back later.

use std::sync::Arc;

use http::request::Parts;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::protocol::{
    query::Query,
    reason::Reason,
    status::{Failure, Outcome},
    target::Target,
    verb::Verb,
};

/// Each open watch holds a connection and a place in the history.
pub(super) const MAX_WATCHES: usize = 10_000;

/// What kube-apiserver tells clients that it sends away.
const RETRY_AFTER_SECONDS: u32 = 1;

/// Room for requests and for watches.
pub(super) struct Limits {
    requests: Arc<Semaphore>,
    watches: Arc<Semaphore>,
    max_watches: usize,
}

/// The room that one request takes.
pub(super) enum Room {
    Request(OwnedSemaphorePermit),
    Watch(OwnedSemaphorePermit),
    /// None. Upstream: a busy server still says that it is alive, or it would be restarted for being busy.
    Health,
}

impl Limits {
    pub(super) fn new(requests: usize, watches: usize) -> Limits {
        let room = |count: usize| Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS)));
        let watches = room(watches);
        Limits { requests: room(requests), max_watches: watches.available_permits(), watches }
    }

    pub(super) fn open_watches(&self) -> usize {
        self.max_watches.saturating_sub(self.watches.available_permits())
    }

    /// Takes the room that a request needs.
    pub(super) fn enter(&self, parts: &Parts) -> Outcome<Room> {
        let take = |room: &Arc<Semaphore>| room.clone().try_acquire_owned();
        let taken = match Target::of(parts.uri.path()) {
            Target::Health(_) => Ok(Room::Health),
            target if is_watch(parts, &target) => take(&self.watches).map(Room::Watch),
            _ => take(&self.requests).map(Room::Request),
        };
        taken.map_err(|_| {
            Failure::new(429, Reason::TooManyRequests, "Too many requests, please try again later.")
                .retry_after(RETRY_AFTER_SECONDS)
        })
    }
}

fn is_watch(parts: &Parts, target: &Target<'_>) -> bool {
    match target {
        Target::Objects(address) => {
            Verb::of(&parts.method, address, &Query::parse(parts.uri.query())) == Some(Verb::Watch)
        }
        _ => false,
    }
}
