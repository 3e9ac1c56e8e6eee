//! The two servers of a comparison, and the requests that both get.

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use kubemerge_server::ApiServer;
use kubemerge_test_support::recording::normal::{Identity, RESOURCE_VERSION, UID};
use serde_json::Value;
use tokio::runtime::Runtime;
use tower_service::Service;

use crate::apiserver::{Client, Instance};
use crate::connection::Answer;

/// A request as text; the servers get it with their own uid and resource version.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) content_type: String,
    pub(crate) accept: String,
    pub(crate) body: String,
}

impl Call {
    /// A request with JSON in both directions.
    pub(crate) fn new(method: Method, path: impl Into<String>, body: &Value) -> Call {
        Call {
            method,
            path: path.into(),
            content_type: "application/json".to_string(),
            accept: "application/json".to_string(),
            body: if body.is_null() { String::new() } else { body.to_string() },
        }
    }

    pub(crate) fn get(path: impl Into<String>) -> Call {
        Call::new(Method::GET, path, &Value::Null)
    }

    pub(crate) fn accepting(mut self, accept: &str) -> Call {
        self.accept = accept.to_string();
        self
    }

    fn request(&self, identity: &Identity) -> Result<Request<Bytes>, String> {
        let body =
            self.body.replace(UID, &identity.uid).replace(RESOURCE_VERSION, &identity.resource_version);
        let mut request = Request::builder().method(self.method.clone()).uri(&self.path);
        request = request.header(http::header::ACCEPT, &self.accept);
        // The manager of fields is named after it, so both servers must see the same.
        request = request.header(http::header::USER_AGENT, "conformance");
        if !self.body.is_empty() {
            request = request.header(http::header::CONTENT_TYPE, &self.content_type);
        }
        request.body(Bytes::from(body)).map_err(|error| format!("{}: {error}", self.path))
    }
}

/// A server that answers requests.
pub(crate) trait Server {
    /// Sends a request about an object, with the server's own identity of it.
    fn send(&mut self, call: &Call, identity: &Identity) -> Result<Answer, String>;
}

impl Server for Client {
    fn send(&mut self, call: &Call, identity: &Identity) -> Result<Answer, String> {
        Client::send(self, &call.request(identity)?)
    }
}

/// Our server, in this process.
pub(crate) struct Ours {
    runtime: Runtime,
    service: kubemerge_server::Service,
}

impl Ours {
    pub(crate) fn start() -> Result<Ours, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let server = {
            // The server starts tasks when it is built.
            let _entered = runtime.enter();
            ApiServer::builder().build().map_err(|error| error.to_string())?
        };
        Ok(Ours { service: server.service(), runtime })
    }
}

impl Server for Ours {
    fn send(&mut self, call: &Call, identity: &Identity) -> Result<Answer, String> {
        let request = call.request(identity)?.map(Full::new);
        let answer = self.service.call(request);
        self.runtime.block_on(async {
            let Ok(response) = answer.await;
            let (parts, body) = response.into_parts();
            let body = body.collect().await.map_err(|_| "a body that breaks off".to_string())?.to_bytes();
            Ok(Answer::new(&http::Response::from_parts(parts, ()), body))
        })
    }
}

/// Both servers.
pub(crate) struct Pair {
    pub(crate) real: Client,
    pub(crate) ours: Ours,
}

/// What both know about one stored object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identities {
    pub(crate) real: Identity,
    pub(crate) ours: Identity,
}

/// The answers of both servers to one request.
pub(crate) struct Answers {
    pub(crate) real: Answer,
    pub(crate) ours: Answer,
}

impl Pair {
    pub(crate) fn connect(instance: &Instance) -> Result<Pair, String> {
        Ok(Pair { real: instance.client()?, ours: Ours::start()? })
    }

    /// Asks both.
    pub(crate) fn ask(&mut self, call: &Call, identities: &Identities) -> Result<Answers, String> {
        let describe = |error| format!("{} {}: {error}", call.method, call.path);
        Ok(Answers {
            real: Server::send(&mut self.real, call, &identities.real).map_err(describe)?,
            ours: self.ours.send(call, &identities.ours).map_err(describe)?,
        })
    }
}

/// The body as JSON, or as a string where it is no JSON.
pub(crate) fn json(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&answer.body).into_owned()))
}
