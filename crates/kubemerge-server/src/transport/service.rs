//! The handler as a `tower::Service`, for clients in the same process.

use std::{
    convert::Infallible,
    future::Future,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout_at};

#[cfg(feature = "serve")]
use crate::transport::in_memory;
use crate::{
    api::{handler::MAX_BODY_BYTES, state::Api},
    protocol::{
        reason::Reason,
        reply::{Body, Reply},
        status::{Failure, Outcome, bad_request, too_large},
    },
};

/// A service for requests with any body; it is always ready and never fails.
#[derive(Clone)]
pub struct Service {
    api: Arc<Api>,
}

impl Service {
    pub(crate) fn new(api: Arc<Api>) -> Self {
        Service { api }
    }
}

type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

impl<B> tower_service::Service<Request<B>> for Service
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Answer {
        let api = self.api.clone();
        let (parts, body) = request.into_parts();
        Box::pin(async move {
            Ok(match collect(body, InProcess).await {
                #[cfg(feature = "serve")]
                Ok(bytes) if parts.headers.contains_key(http::header::UPGRADE) => {
                    in_memory::answer(api, Request::from_parts(parts, bytes)).await
                }
                Ok(bytes) => api.handle(parts, bytes).await,
                Err(failure) => Reply::failure(&failure).into_response(),
            })
        })
    }
}

/// Bodies that announce more than this are refused before they arrive.
const MAX_ANNOUNCED_BYTES: u64 = 64 * 1024 * 1024;

/// How a body may arrive.
pub(crate) trait Intake {
    /// When more than this must have been received.
    fn deadline(&self, received: usize) -> Option<Instant>;

    /// Is told how much has been received.
    fn on_received(&mut self, received: usize) -> Outcome<()>;
}

/// The body of a request in the same process.
pub(crate) struct InProcess;

impl Intake for InProcess {
    fn deadline(&self, _: usize) -> Option<Instant> {
        None
    }

    fn on_received(&mut self, _: usize) -> Outcome<()> {
        Ok(())
    }
}

/// Reads a body up to the limit.
pub(crate) async fn collect<B>(body: B, mut intake: impl Intake) -> Outcome<Bytes>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let too_long = || too_large(format!("limit is {MAX_BODY_BYTES}"));
    // A client that is still sending may miss the reply, so that only very large bodies are refused early.
    if body.size_hint().lower() > MAX_ANNOUNCED_BYTES {
        return Err(too_long());
    }
    let (mut body, mut first, mut joined) = (pin!(body), Bytes::new(), Vec::new());
    loop {
        // Only one of the two is in use, so that the larger one is the length so far.
        let received = first.len().max(joined.len());
        let frame = match intake.deadline(received) {
            None => body.frame().await,
            Some(deadline) => timeout_at(deadline, body.frame()).await.map_err(|_| slow())?,
        };
        let Some(frame) = frame else { break };
        let Ok(data) = frame.map_err(unreadable)?.into_data() else { continue };
        if received + data.len() > MAX_BODY_BYTES {
            return Err(too_long());
        }
        intake.on_received(received + data.len())?;
        // Most bodies arrive in one piece, which needs no copy.
        if first.is_empty() {
            first = data;
            continue;
        }
        if joined.is_empty() {
            joined.extend_from_slice(&first);
        }
        joined.extend_from_slice(&data);
    }
    Ok(if joined.is_empty() { first } else { joined.into() })
}

fn unreadable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Failure {
    bad_request(format!("the body of the request could not be read: {}", error.into()))
}

fn slow() -> Failure {
    Failure::new(408, Reason::Timeout, "the body of the request did not arrive in time")
}
