//! Requests that may take long. They are carried out by threads of their own: the threads that answer connections, health
//! checks among them, never wait for one.

use std::{future::pending, panic::resume_unwind, sync::Arc, thread::available_parallelism};

use bytes::Bytes;
use http::{Response, request::Parts};
use tokio::{runtime::Handle, sync::Semaphore, task::spawn_blocking};

use crate::{
    api::state::Api,
    protocol::{
        media,
        query::Query,
        reply::Body,
        target::{Named, Target},
        verb::Verb,
    },
};

/// A body up to this size is read, merged and validated in a few milliseconds.
const SMALL_BODY_BYTES: usize = 32 * 1024;
/// So many objects are looked through in a few milliseconds.
const FEW_OBJECTS: usize = 2_000;
/// How many long requests are carried out at once for each processor.
const TURNS_PER_PROCESSOR: usize = 4;

/// How long a request may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// A few milliseconds.
    Small,
    /// Any time.
    Large,
}

/// Judges a request by what it asks for.
pub(super) fn effort_of(api: &Api, parts: &Parts, body: &Bytes) -> Effort {
    let is_large = match Target::of(parts.uri.path()) {
        Target::Objects(address) => is_large(api, parts, body, &address),
        Target::OpenApiV2 | Target::OpenApiV3Index | Target::OpenApiV3(_) => true,
        _ => false,
    };
    if is_large { Effort::Large } else { Effort::Small }
}

fn is_large(api: &Api, parts: &Parts, body: &Bytes, address: &Named<'_>) -> bool {
    let query = Query::parse(parts.uri.query());
    let has_many = || api.cluster.store.size().values > FEW_OBJECTS;
    match Verb::of(&parts.method, address, &query) {
        None | Some(Verb::Get) => false,
        // Whole objects are sent as they are stored; all other forms look into each.
        Some(Verb::List) => !is_plain(parts) || query.has("labelSelector") || has_many(),
        Some(Verb::Watch) => has_many(),
        Some(Verb::DeleteCollection) => true,
        // What depends on the object may be deleted with it.
        Some(Verb::Delete) => is_elaborate(api, address) || has_many(),
        Some(Verb::Create | Verb::Update | Verb::Patch) => {
            body.len() > SMALL_BODY_BYTES || is_elaborate(api, address) || has_aliases(parts, body)
        }
    }
}

/// Whether a list is wanted as it is stored.
fn is_plain(parts: &Parts) -> bool {
    media::form(&parts.headers, None).is_ok_and(|form| matches!(form, media::Form::Whole))
        && !media::wants_yaml(&parts.headers)
}

/// Whether even a small body may mean much work: schemas, patterns and expressions that are compiled or evaluated, and
/// the objects of a namespace.
fn is_elaborate(api: &Api, address: &Named<'_>) -> bool {
    match (&*address.group, &*address.resource) {
        ("apiextensions.k8s.io" | "admissionregistration.k8s.io" | "resource.k8s.io", _)
        | ("", "namespaces") => true,
        (group, resource) => {
            let index = api.cluster.catalog.index();
            index.find(group, &address.version, resource).is_some_and(|found| found.custom().is_some())
        }
    }
}

/// Whether a body may be larger than it looks: aliases of YAML are expanded.
fn has_aliases(parts: &Parts, body: &[u8]) -> bool {
    media::content_type(&parts.headers).is_some_and(|media| media.contains("yaml"))
        && !body.trim_ascii_start().starts_with(b"{")
}

/// Carries out long requests, a few at once.
pub(super) struct LongRequests(Arc<Semaphore>);

impl LongRequests {
    pub(super) fn new() -> LongRequests {
        let processors = available_parallelism().map_or(1, usize::from);
        LongRequests(Arc::new(Semaphore::new(processors * TURNS_PER_PROCESSOR)))
    }

    /// Answers a request, and gives back what is kept meanwhile, also when its client has gone.
    pub(super) async fn carry_out<T: Send + 'static>(
        &self,
        api: Arc<Api>,
        (parts, body): (Parts, Bytes),
        kept: T,
    ) -> (Response<Body>, T) {
        let turn = self.0.clone().acquire_owned().await;
        let runtime = Handle::current();
        let work = move || {
            let response = runtime.block_on(api.handle(parts, body));
            drop(turn);
            (response, kept)
        };
        match spawn_blocking(work).await.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(answered) => answered,
            // Panics are caught where all requests pass.
            Err(Ok(panic)) => resume_unwind(panic),
            // The runtime ends, and this with it.
            Err(Err(_)) => pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;
    use crate::ApiServer;

    fn effort(server: &ApiServer, request: http::request::Builder, body: &str) -> Effort {
        let (parts, ()) = request.body(()).unwrap().into_parts();
        effort_of(&server.api(), &parts, &Bytes::from(body.to_owned()))
    }

    #[test]
    fn most_requests_are_small() {
        let server = ApiServer::builder().deterministic().build().unwrap();
        let pods = "/api/v1/namespaces/default/pods";
        let get = |path: &str| effort(&server, Request::get(path), "");
        for path in ["/healthz", "/readyz", "/version", "/apis", "/metrics", pods, "/api/v1/pods?watch=true"]
        {
            assert_eq!(get(path), Effort::Small, "{path}");
        }
        assert_eq!(effort(&server, Request::post(pods), "{}"), Effort::Small);
        let apply = || Request::patch(format!("{pods}/p")).header("content-type", media::APPLY_PATCH);
        assert_eq!(effort(&server, apply(), " {\"spec\": {}}"), Effort::Small);
        assert_eq!(effort(&server, Request::delete(format!("{pods}/p")), ""), Effort::Small);
    }

    #[test]
    fn what_may_take_long_is_large() {
        let server = ApiServer::builder().deterministic().build().unwrap();
        let pods = "/api/v1/namespaces/default/pods";
        let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
        for (request, body) in [
            (Request::get("/openapi/v2"), String::new()),
            (Request::get(pods).header("accept", table), String::new()),
            (Request::get(pods).header("accept", "application/yaml"), String::new()),
            (Request::get(format!("{pods}?labelSelector=a")), String::new()),
            (Request::delete(pods), String::new()),
            (Request::delete("/api/v1/namespaces/default"), String::new()),
            (Request::post(definitions), "{}".to_owned()),
            (Request::post(pods), " ".repeat(40_000)),
            (Request::post(pods).header("content-type", "application/yaml"), "a: &a b".to_owned()),
        ] {
            assert_eq!(effort(&server, request, &body), Effort::Large, "{body:.10}");
        }
    }

    #[test]
    fn a_full_store_makes_lists_large() {
        let object = |at| serde_json::json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("m{at}")}});
        let server =
            ApiServer::builder().deterministic().objects((0..FEW_OBJECTS).map(object)).build().unwrap();
        assert_eq!(effort(&server, Request::get("/api/v1/pods"), ""), Effort::Large);
        assert_eq!(effort(&server, Request::get("/api/v1/namespaces/default"), ""), Effort::Small);
    }
}
