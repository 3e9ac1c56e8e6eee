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

/// How many bytes bodies may have, and complete answers that are not sent yet, small ones not counted. Lists are no such
/// answers, unless they are indented or YAML: they are written while they are sent.
const MAX_LARGE_BYTES: usize = 256 * 1024 * 1024;
/// Each may have as many bytes as the first piece of a list.
const SMALL_BYTES: usize = 512 * 1024;
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
    /// The room of the body and of the answer, which take it one after the other.
    bytes: Option<OwnedSemaphorePermit>,
}

/// The room that one request takes.
pub(super) enum Room {
    Request(Permit),
    Watch(OwnedSemaphorePermit),
    /// None. Upstream: a busy server still says that it is alive, or it would be restarted for being busy.
    Health,
}

impl Room {
    /// The room of a request whose body may be large.
    pub(super) fn permit(&mut self) -> Option<&mut Permit> {
        match self {
            Room::Request(permit) => Some(permit),
            Room::Watch(_) | Room::Health => None,
        }
    }
}

impl Limits {
    pub(super) fn new(requests: usize, watches: usize) -> Limits {
        let room = |count: usize| Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS)));
        let watches = room(watches);
        let bytes = room(MAX_LARGE_BYTES / UNIT_BYTES);
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

    /// Takes room for a body or an answer, unless it is small or has room already. Only a request that has changed
    /// nothing may be refused.
    pub(super) fn enter_bytes(&self, permit: &mut Permit, bytes: usize) -> Outcome<()> {
        let held = permit.bytes.as_ref().map_or(0, |held| held.num_permits() * UNIT_BYTES);
        if bytes <= SMALL_BYTES || bytes <= held {
            return Ok(());
        }
        // In large steps: a body arrives in many small pieces.
        let wanted = bytes.next_multiple_of(SMALL_BYTES).min(MAX_LARGE_BYTES);
        let units = u32::try_from(wanted.saturating_sub(held) / UNIT_BYTES).unwrap_or(u32::MAX);
        let taken = self.bytes.clone().try_acquire_many_owned(units).map_err(|_| too_many_requests())?;
        match &mut permit.bytes {
            Some(held) => held.merge(taken),
            none => *none = Some(taken),
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
