//! A service that answers what kubemerge-server answered once, whatever is asked: the floor for any server in
//! process.

use std::convert::Infallible;

use bytes::Bytes;
use http::{Method, Request, Response, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Full};
use kubemerge_server::ApiServer;
use tower::ServiceExt;

use crate::options::Settings;
use crate::pods::{OBJECTS, Pods, annotation, new_image};

/// One answer for each operation.
#[derive(Clone)]
pub(crate) struct Answers {
    pub(crate) one: Bytes,
    all: Bytes,
    some: Bytes,
    strategic: Bytes,
    merge: Bytes,
    deleted: Bytes,
}

const COLLECTION: &str = "/api/v1/namespaces/default/pods";

impl Answers {
    /// Lets kubemerge-server answer everything once.
    pub(crate) async fn of(pods: Pods, settings: Settings) -> Answers {
        let server = settings.server();
        for at in 0..OBJECTS {
            ask(&server, Request::post(COLLECTION), pods.pod(at).to_string()).await;
        }
        let one = || format!("{COLLECTION}/{}", Pods::name(0));
        let patch = |kind| Request::patch(one()).header(CONTENT_TYPE, format!("application/{kind}+json"));
        Answers {
            one: ask(&server, Request::get(one()), String::new()).await,
            all: ask(&server, Request::get(COLLECTION), String::new()).await,
            some: ask(&server, Request::get(format!("{COLLECTION}?labelSelector=group%3D3")), String::new())
                .await,
            strategic: ask(&server, patch("strategic-merge-patch"), new_image(0).to_string()).await,
            merge: ask(&server, patch("merge-patch"), annotation(0).to_string()).await,
            deleted: ask(&server, Request::delete(one()), String::new()).await,
        }
    }

    fn to<B>(&self, request: &Request<B>) -> Bytes {
        let content_type = request.headers().get(CONTENT_TYPE).map_or(&b""[..], |value| value.as_bytes());
        let answer = match (request.method(), request.uri().path().ends_with("pods"), request.uri().query()) {
            (&Method::GET, true, Some(query)) if query.contains("labelSelector") => &self.some,
            (&Method::GET, true, _) => &self.all,
            (&Method::PATCH, ..) if content_type.starts_with(b"application/strategic") => &self.strategic,
            (&Method::PATCH, ..) => &self.merge,
            (&Method::DELETE, ..) => &self.deleted,
            _ => &self.one,
        };
        answer.clone()
    }

    /// Reads the request and answers.
    pub(crate) async fn serve<B: http_body::Body>(
        self,
        request: Request<B>,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        let answer = self.to(&request);
        drop(request.into_body().collect().await);
        Ok(Response::new(Full::new(answer)))
    }
}

async fn ask(server: &ApiServer, request: http::request::Builder, body: String) -> Bytes {
    let request = request.body(Full::new(Bytes::from(body))).unwrap();
    let answer = server.service().oneshot(request).await.unwrap();
    assert!(answer.status().is_success(), "{}", answer.status());
    answer.into_body().collect().await.unwrap().to_bytes()
}
