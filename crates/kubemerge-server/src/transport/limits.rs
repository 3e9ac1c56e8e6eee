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

/// How many bytes complete answers may have that are not sent yet, small ones not counted. Lists are no such answers,
/// unless they are indented or YAML: they are written while they are sent.
const MAX_UNSENT_BYTES: usize = 256 * 1024 * 1024;
/// Each answer may have as many bytes as the first piece of a list.
const SMALL_ANSWER_BYTES: usize = 512 * 1024;
/// A semaphore counts in 32 bits.
const UNIT_BYTES: usize = 1024;

/// Room for requests and for watches.
pub(super) struct Limits {
    requests: Arc<Semaphore>,
    watches: Arc<Semaphore>,
    max_watches: usize,
    /// In units of [`UNIT_BYTES`].
    bytes: Arc<Semaphore>,
}

/// The room of a request and of the bytes of its answer.
pub(super) struct Permit {
    _request: OwnedSemaphorePermit,
    bytes: Option<OwnedSemaphorePermit>,
}

/// The room that one request takes.
pub(super) enum Room {
    Request(Permit),
    Watch(OwnedSemaphorePermit),
    /// None. Upstream: a busy server still says that it is alive, or it would be restarted for being busy.
    Health,
}

impl Limits {
    pub(super) fn new(requests: usize, watches: usize) -> Limits {
        let room = |count: usize| Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS)));
        let watches = room(watches);
        let bytes = room(MAX_UNSENT_BYTES / UNIT_BYTES);
        Limits { requests: room(requests), max_watches: watches.available_permits(), watches, bytes }
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
            _ => take(&self.requests).map(|request| Room::Request(Permit { _request: request, bytes: None })),
        };
        taken.map_err(|_| too_many_requests())
    }

    /// Takes room for a large answer that is complete. Only one that has changed nothing may be refused.
    pub(super) fn enter_answer(&self, permit: &mut Permit, bytes: usize) -> Outcome<()> {
        if bytes > SMALL_ANSWER_BYTES {
            let units = bytes.min(MAX_UNSENT_BYTES) / UNIT_BYTES;
            let taken = self.bytes.clone().try_acquire_many_owned(u32::try_from(units).unwrap_or(u32::MAX));
            permit.bytes = Some(taken.map_err(|_| too_many_requests())?);
        }
        Ok(())
    }
}

fn too_many_requests() -> Failure {
    Failure::new(429, Reason::TooManyRequests, "Too many requests, please try again later.")
        .retry_after(RETRY_AFTER_SECONDS)
}

fn is_watch(parts: &Parts, target: &Target<'_>) -> bool {
    match target {
        Target::Objects(address) => {
            Verb::of(&parts.method, address, &Query::parse(parts.uri.query())) == Some(Verb::Watch)
        }
        _ => false,
    }
}
