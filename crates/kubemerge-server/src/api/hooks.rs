//! What may interfere with requests and watches: the handler asks, tests answer.

use std::{future::Future, pin::Pin, time::Duration};

use bytes::Bytes;
use http::request::Parts;

use crate::{
    protocol::{
        reply::Reply,
        status::{Failure, Outcome},
        target::Named,
        verb::Verb,
    },
    store::{Event, Revision},
    write::commit::transaction::Changes,
};

/// Hooks around every request.
pub(crate) trait Hooks: Send + Sync {
    /// Whether [`Hooks::before`], [`Hooks::intercept`] and [`Hooks::rewrite`] would never do anything, so that requests
    /// need not be parsed for them.
    fn is_idle(&self) -> bool;

    /// Called before a request for objects; returns how to treat it.
    fn before(&self, request: &IncomingRequest<'_>) -> Interference;

    /// Called before a request is carried out; may change its body, or answer it.
    fn intercept(&self, parts: &mut Parts, body: &mut Bytes) -> Option<Outcome<Reply>>;

    /// Called with the answer to a request; may change it.
    fn rewrite(&self, parts: &Parts, body: &Bytes, reply: Reply) -> Reply;

    /// Called with every request that was answered.
    fn after(&self, answered: Answered);

    /// Called when a watch is opened.
    fn watch(&self, address: &Named<'_>) -> Box<dyn WatchHooks>;
}

/// Hooks of one open watch.
pub(crate) trait WatchHooks: Send {
    /// Called for every event that is about to be sent.
    fn next_event(&mut self) -> EventFault;

    /// Whether the watch ends now, and how.
    fn end(&mut self) -> Option<WatchEnd>;

    /// Whether no bookmarks are sent.
    fn holds_bookmarks(&mut self) -> bool;

    /// How much later each line is sent.
    fn delay(&mut self) -> Option<Duration>;

    /// The revision up to which a watch that lags may read.
    fn lag(&mut self, events: &[Event]) -> Option<Revision>;

    /// Resolves when the other answers may have changed.
    fn changed(&mut self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// A request for objects before it is carried out.
pub(crate) struct IncomingRequest<'r> {
    /// None if the method does not fit the path.
    pub(crate) verb: Option<Verb>,
    pub(crate) address: &'r Named<'r>,
    pub(crate) content_type: &'r str,
}

/// How a request is treated; by default as usual.
#[derive(Default)]
pub(crate) struct Interference {
    /// It is carried out this much later.
    pub(crate) delay: Duration,
    /// It is not carried out, and answered with this.
    pub(crate) failure: Option<Failure>,
    /// It is not carried out, and answered with this by an interceptor.
    pub(crate) answer: Option<Outcome<Reply>>,
    /// It is carried out, but answered with this.
    pub(crate) lost_answer: Option<Failure>,
}

/// A request that was answered.
pub(crate) struct Answered {
    pub(crate) parts: Parts,
    pub(crate) body: Bytes,
    pub(crate) code: u16,
    pub(crate) changes: Changes,
}

/// How one event is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventFault {
    /// Once.
    None,
    /// Not at all.
    Dropped,
    /// Twice.
    Repeated,
}

/// How a watch ends early.
pub(crate) enum WatchEnd {
    /// As if the connection were lost.
    Silent,
    /// With this failure as its last event.
    With(Failure),
}
