//! A client of the soak test: every answer must be the expected one.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::Request;
use serde_json::Value;

use crate::connection::{Answer, Connection, Endpoint, json_request};

/// Errors are printed as they happen, up to this many.
const MAX_PRINTED: usize = 20;

/// What all clients share.
pub(super) struct Soak {
    pub(super) endpoint: Endpoint,
    end: Instant,
    requests: AtomicU64,
    errors: Mutex<Vec<String>>,
}

impl Soak {
    pub(super) fn new(endpoint: Endpoint, duration: Duration) -> Soak {
        let end = Instant::now() + duration;
        Soak { endpoint, end, requests: AtomicU64::new(0), errors: Mutex::default() }
    }

    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }

    /// Notes something that no client caused.
    pub(super) fn complain(&self, complaint: String) {
        let mut errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        if errors.len() < MAX_PRINTED {
            eprintln!("{complaint}");
        }
        errors.push(complaint);
    }

    /// Requests and errors so far.
    pub(super) fn counts(&self) -> (u64, usize) {
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        (self.requests.load(Ordering::Relaxed), errors.len())
    }
}

/// One client with its connection.
pub(super) struct Session {
    pub(super) soak: Arc<Soak>,
    connection: Connection,
    /// Between two requests.
    pause: Duration,
}

impl Session {
    pub(super) fn new(soak: Arc<Soak>, pause: Duration) -> Session {
        let connection = Connection::new(soak.endpoint.clone());
        Session { soak, connection, pause }
    }

    /// The answer to a request with a JSON body, which must have the code; null after a complaint.
    pub(super) async fn expect(&mut self, code: u16, method: &str, path: &str, body: &Value) -> Value {
        match json_request(method, path, body) {
            Ok(request) => self.expect_of(code, &request).await,
            Err(error) => self.complain(format!("{method} {path}: {error}")),
        }
    }

    /// Applies a configuration.
    pub(super) async fn expect_apply(&mut self, path: &str, body: &Value) -> Value {
        let request = Request::patch(format!("{path}?fieldManager=soak"))
            .header("content-type", "application/apply-patch+yaml")
            .body(Bytes::from(body.to_string()));
        match request {
            Ok(request) => self.expect_of(200, &request).await,
            Err(error) => self.complain(format!("apply {path}: {error}")),
        }
    }

    async fn expect_of(&mut self, code: u16, request: &Request<Bytes>) -> Value {
        let (method, path) = (request.method(), request.uri());
        match self.send(request).await {
            Ok(answer) if answer.status == code => answer.json(),
            Ok(answer) => {
                let text = String::from_utf8_lossy(&answer.body);
                self.complain(format!("{method} {path}: {} instead of {code}: {text}", answer.status))
            }
            Err(error) => self.complain(format!("{method} {path}: {error}")),
        }
    }

    /// Any answer, after a pause.
    pub(super) async fn send(&mut self, request: &Request<Bytes>) -> Result<Answer, String> {
        tokio::time::sleep(self.pause).await;
        self.soak.requests.fetch_add(1, Ordering::Relaxed);
        self.connection.send_once(request).await
    }

    /// Notes a complaint; answers null in the place of the answer.
    pub(super) fn complain(&self, complaint: String) -> Value {
        self.soak.complain(complaint);
        Value::Null
    }
}
