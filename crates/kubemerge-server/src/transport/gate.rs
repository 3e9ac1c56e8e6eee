//! What every request from a socket passes: who may ask, how much is done at once, the body, the handler, the log.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Instant};

use futures_util::FutureExt;
use http::{
    HeaderMap, HeaderValue, Request, Response,
    header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS},
    request::Parts,
};
use hyper::body::Incoming;
use kubemerge_kinds::User;
use tokio::sync::OwnedSemaphorePermit;

use crate::{
    api::state::Api,
    protocol::{
        peer::Peer,
        reply::{Body, Held, Reply},
        status::Outcome,
    },
    transport::{
        access_log::{AccessLogEntry, ErrorSink, LogSink},
        effort::{Effort, LongRequests, effort_of},
        guard::Guard,
        idle::InProgress,
        intake::SocketIntake,
        limits::{Limits, Room},
        options::ServeOptions,
        request_labels::labels,
        service,
        streams::{self, UpgradeRequest},
        unsent::Unsent,
    },
};

/// What a request is a part of.
pub(super) struct Asking<'c> {
    /// The answers of its connection.
    pub(super) unsent: &'c Arc<Unsent>,
    pub(super) progress: InProgress,
}

/// The way from a socket to the handler.
pub(super) struct Gate {
    api: Arc<Api>,
    guard: Guard,
    limits: Limits,
    long: LongRequests,
    log_sink: Option<LogSink>,
    error_sink: Option<ErrorSink>,
}

impl Gate {
    pub(super) fn new(api: Arc<Api>, options: &ServeOptions) -> Gate {
        Gate {
            api,
            guard: Guard::new(options.allowed_hosts.clone()),
            limits: Limits::new(options.max_requests_inflight, options.max_watches),
            long: LongRequests::new(),
            log_sink: options.access_log.clone(),
            error_sink: options.error_log.clone(),
        }
    }

    /// Answers a request, whatever is wrong with it.
    pub(super) async fn answer(&self, mut request: Request<Incoming>, client: Asking<'_>) -> Response<Body> {
        let upgrade = UpgradeRequest::of(&mut request);
        streams::serve_upgrade(self.log(request, client).await, upgrade)
    }

    /// Passes a request on, and records it in log and metrics.
    async fn log(&self, request: Request<Incoming>, client: Asking<'_>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let (start, labels) = (Instant::now(), labels(&self.api, &parts));
        let log = self
            .log_sink
            .as_ref()
            .map(|log| (log, parts.method.clone(), parts.uri.path().to_owned(), user_of(&parts)));
        let line = format!("{} {}", parts.method, parts.uri.path().escape_debug());
        // The only place at which a panic is caught: a defect costs one answer, not the process.
        let mut response = match AssertUnwindSafe(self.pass(parts, body, client)).catch_unwind().await {
            Ok(response) => response,
            Err(_) => self.panicked(&line),
        };
        protect(response.headers_mut());
        let (code, duration) = (response.status().as_u16(), start.elapsed());
        self.api.metrics.count(labels, code, duration);
        if let Some((log, method, path, user)) = log {
            let user = user.as_deref().map(|user| user.name.as_str());
            log(&AccessLogEntry { method: &method, path: &path, code, duration, user });
        }
        response
    }

    /// The answer to a request that made the server panic, in the words of kube-apiserver.
    fn panicked(&self, request: &str) -> Response<Body> {
        self.api.metrics.count_panic();
        if let Some(log) = &self.error_sink {
            log(&format!("the server panicked while it answered {request}"));
        }
        let text = "This request caused apiserver to panic. Look in the logs for details.\n";
        Reply::bytes(500, "text/plain; charset=utf-8", text).into_response()
    }

    async fn pass(&self, parts: Parts, body: Incoming, client: Asking<'_>) -> Response<Body> {
        if let Some(problem) = Guard::malformed(&parts) {
            let text = format!("400 Bad Request: {problem}");
            return Reply::bytes(400, "text/plain; charset=utf-8", text)
                .header("connection", "close")
                .into_response();
        }
        let answered = self.carry_out(parts, body, client).await;
        answered.unwrap_or_else(|failure| Reply::failure(&failure).into_response())
    }

    async fn carry_out(&self, parts: Parts, body: Incoming, client: Asking<'_>) -> Outcome<Response<Body>> {
        let Asking { unsent, progress } = client;
        let (version, method) = (parts.version, parts.method.clone());
        // In this order: what costs more comes later, and nothing is kept for clients that may not ask.
        self.guard.check(&parts)?;
        self.api.authenticate(&parts)?;
        let mut room = self.limits.enter(&parts)?;
        self.api.metrics.set_watches(self.limits.open_watches());
        let intake = SocketIntake::new(&self.limits, room.permit());
        let body = service::collect(body, intake).await?;
        let (response, room) = match effort_of(&self.api, &parts, &body) {
            Effort::Small => (self.api.handle(parts, body).await, room),
            Effort::Large => self.long.carry_out(self.api.clone(), (parts, body), room).await,
        };
        Ok(match room {
            // A watch takes its room until its last event.
            Room::Watch(permit) => response
                .map(|body| body.holding(Arc::new(OpenWatch { _permit: permit, _progress: progress }))),
            Room::Request(mut permit) => {
                if method.is_safe() {
                    let bytes = response.body().as_bytes().map_or(0, |bytes| bytes.len());
                    self.limits.enter_bytes(&mut permit, bytes)?;
                }
                let answer = Arc::new(unsent.begin(version, permit, progress));
                response.map(|body| body.holding(answer))
            }
            Room::Health => response,
        })
    }
}

/// Says that an answer is for this client and is nothing but what its type says. Upstream: kube-apiserver sends the first
/// with every answer, and the second with texts of errors.
fn protect(headers: &mut HeaderMap) {
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache, private"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// The user that the client's certificate names.
fn user_of(parts: &Parts) -> Option<Arc<User>> {
    match parts.extensions.get::<Peer>() {
        Some(Peer::Certified(user)) => Some(user.clone()),
        _ => None,
    }
}

/// A watch, until its last event.
struct OpenWatch {
    _permit: OwnedSemaphorePermit,
    _progress: InProgress,
}

impl Held for OpenWatch {}
