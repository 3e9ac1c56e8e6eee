//! The handler: an HTTP request with its whole body in, a response out.
//!
//! It knows neither sockets nor any client library. Everything it needs (store, time, randomness, schema) is given to
//! it; every error becomes a response.

use bytes::Bytes;
use http::{HeaderMap, Method, Response, request::Parts};

use crate::{
    api::{
        authentication::{is_public, user_of},
        dispatch,
        hooks::{Answered, IncomingRequest, Interference},
        state::Api,
    },
    protocol::{
        media,
        query::Query,
        reply::{Body, Reply},
        status::{Outcome, too_large},
        target::Target,
        verb::Verb,
    },
    store::{StoreError, StoreStep, store_failure},
    write::{
        commit::transaction::{Changes, Transaction},
        followups::collector::run_followups,
    },
};

/// The largest body that is read.
pub(crate) const MAX_BODY_BYTES: usize = 3 * 1024 * 1024;

/// A request for the handler, with what was parsed of it.
struct Request<'r> {
    parts: &'r Parts,
    body: &'r Bytes,
    query: &'r Query,
    target: &'r Target<'r>,
}

impl Api {
    /// Answers a request. Only injected delays and watches take time.
    pub(crate) async fn handle(&self, mut parts: Parts, mut body: Bytes) -> Response<Body> {
        let mut interference = self.interference(&parts);
        if let Some(delay) = interference.as_ref().map(|one| one.delay).filter(|delay| !delay.is_zero()) {
            // Boxed, because a future reserves room for everything it may wait for, and delays are rare.
            Box::pin(tokio::time::sleep(delay)).await;
        }
        // Interceptors do not see requests that fail anyway.
        if let Some(one) = interference.as_mut().filter(|one| one.failure.is_none()) {
            one.answer = self.hooks.intercept(&mut parts, &mut body);
        }
        // Neither waits unless the store is on a disk or in a network.
        let begun = match self.cluster.store.begin() {
            StoreStep::Done(begun) => begun,
            StoreStep::Later(begun) => begun.await,
        };
        self.cluster.follow_definitions();
        let (reply, changes) = self.answer(&parts, &body, interference, begun.as_ref().err());
        let finished = match begun.map(|ticket| self.cluster.store.finish(ticket)) {
            Ok(StoreStep::Later(finished)) => {
                // Boxed for the same reason as the delay.
                let answered = async move { (finished.await, reply, changes) };
                let (finished, reply, changes) = Box::pin(answered).await;
                return self.conclude(parts, body, self.durable_reply(finished, reply), changes);
            }
            Ok(StoreStep::Done(finished)) => finished,
            // Said already in the answers that it matters for.
            Err(_) => Ok(()),
        };
        self.conclude(parts, body, self.durable_reply(finished, reply), changes)
    }

    /// A reply that may leave: everything that it is about is durable.
    fn durable_reply(&self, finished: Result<(), StoreError>, reply: Reply) -> Reply {
        match self.finished(finished) {
            Ok(()) => reply,
            Err(failure) => Reply::failure(&failure),
        }
    }

    /// Carries out a request of the server's owner: without hooks, delays and a place in the log.
    pub(crate) fn carry_out_unseen(&self, parts: &Parts, body: &Bytes) -> Outcome<Reply> {
        let (target, query) = (Target::of(parts.uri.path()), Query::parse(parts.uri.query()));
        self.durably(|| {
            self.carry_out(&self.transaction(), &Request { parts, body, query: &query, target: &target })
        })
    }

    fn interference(&self, parts: &Parts) -> Option<Box<Interference>> {
        if self.hooks.is_idle() {
            return None;
        }
        let Target::Objects(address) = Target::of(parts.uri.path()) else { return None };
        let verb = Verb::of(&parts.method, &address, &Query::parse(parts.uri.query()));
        let content_type = media::content_type(&parts.headers).unwrap_or_default();
        Some(Box::new(self.hooks.before(&IncomingRequest { verb, address: &address, content_type })))
    }

    fn answer(
        &self,
        parts: &Parts,
        body: &Bytes,
        interference: Option<Box<Interference>>,
        unreadable: Option<&StoreError>,
    ) -> (Reply, Changes) {
        let target = Target::of(parts.uri.path());
        // The server's own documents need no store.
        if let (Target::Objects(_), Some(error)) = (&target, unreadable) {
            return (Reply::failure(&store_failure(error)), Changes::new());
        }
        let query = Query::parse(parts.uri.query());
        let request = Request { parts, body, query: &query, target: &target };
        let (reply, changes) = self.respond(&request, interference);
        let reply = if media::wants_yaml(&parts.headers) {
            reply.yaml()
        } else if wants_indent(&query, &parts.headers) {
            reply.pretty()
        } else {
            reply
        };
        // Last, because the headers of HEAD are those of GET.
        let reply = if parts.method == Method::HEAD { reply.without_body() } else { reply };
        (reply, changes)
    }

    /// The response, once it is noted in the log.
    fn conclude(&self, parts: Parts, body: Bytes, reply: Reply, changes: Changes) -> Response<Body> {
        let code = reply.code;
        self.hooks.after(Answered { parts, body, code, changes });
        reply.into_response()
    }

    fn respond(&self, request: &Request<'_>, interference: Option<Box<Interference>>) -> (Reply, Changes) {
        let transaction = self.transaction();
        let Some(interference) = interference else {
            return (reply(self.carry_out(&transaction, request)), transaction.changes());
        };
        let Interference { failure, answer, lost_answer, .. } = *interference;
        let answered = match (failure, answer) {
            (Some(failure), _) => Err(failure),
            (None, Some(answer)) => answer,
            (None, None) => self.carry_out(&transaction, request),
        };
        let answered = match lost_answer {
            Some(failure) => Reply::failure(&failure),
            None => self.hooks.rewrite(request.parts, request.body, reply(answered)),
        };
        (answered, transaction.changes())
    }

    fn carry_out(&self, transaction: &Transaction<'_>, request: &Request<'_>) -> Outcome<Reply> {
        let Request { parts, body, query, target } = request;
        // Requests in process do not go through the transport, which has the same limit.
        if body.len() > MAX_BODY_BYTES {
            return Err(too_large(format!("limit is {MAX_BODY_BYTES}")));
        }
        let answered = match target {
            document if is_public(document) => dispatch::document(self, document, parts, query),
            Target::Objects(address) => {
                let user = &user_of(self, parts)?;
                let request = dispatch::Request { parts, body, query, address, user };
                dispatch::objects(self, transaction, request)
            }
            document => {
                user_of(self, parts)?;
                dispatch::document(self, document, parts, query)
            }
        };
        // Before the reply, so that a client sees the final state with its next request. After a failure too: a
        // creation that came too late was taken back, and the end of its namespace may have waited for that.
        let followed = run_followups(transaction);
        let reply = answered?;
        followed?;
        Ok(reply)
    }
}

fn reply(answered: Outcome<Reply>) -> Reply {
    answered.unwrap_or_else(|failure| Reply::failure(&failure))
}

/// Browsers and curl get indented JSON, as from Kubernetes.
fn wants_indent(query: &Query, headers: &HeaderMap) -> bool {
    if let Some(pretty) = query.get("pretty") {
        return !matches!(pretty, "false" | "0");
    }
    let agent =
        headers.get(http::header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    ["curl", "Wget", "Mozilla/5.0"].iter().any(|known| agent.starts_with(known))
}
