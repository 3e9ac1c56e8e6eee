//! Upgraded connections for clients in the same process. Only hyper can upgrade, so that it runs on both ends of a pipe
//! in memory; all other requests go to the handler directly.

use std::{convert::Infallible, sync::Arc};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::TokioIo;

use super::{
    service::{self, InProcess},
    streams::{self, UpgradeRequest},
};
use crate::{
    api::state::Api,
    protocol::{
        reply::{Body, Reply},
        status::internal,
    },
};

/// How many bytes may be on their way.
const PIPE_BYTES: usize = 64 * 1024;

/// Answers a request that asks for an upgrade; the response leads to the upgraded connection.
pub(super) async fn answer(api: Arc<Api>, request: Request<Bytes>) -> Response<Body> {
    exchange(api, request).await.unwrap_or_else(|error| {
        Reply::failure(&internal(format!("the connection was not upgraded: {error}"))).into_response()
    })
}

async fn exchange(api: Arc<Api>, request: Request<Bytes>) -> hyper::Result<Response<Body>> {
    let (client, server) = tokio::io::duplex(PIPE_BYTES);
    let handle = service_fn(move |request: Request<Incoming>| {
        let api = api.clone();
        async move { Ok::<_, Infallible>(upgrade(&api, request).await) }
    });
    let connection =
        hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(server), handle);
    tokio::spawn(connection.with_upgrades());
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(client)).await?;
    tokio::spawn(connection.with_upgrades());
    let (parts, body) = sender.send_request(request.map(Full::new)).await?.into_parts();
    // The body of an upgrade is the connection itself.
    let is_upgrade = parts.status == StatusCode::SWITCHING_PROTOCOLS;
    let bytes = if is_upgrade { Bytes::new() } else { body.collect().await?.to_bytes() };
    Ok(Response::from_parts(parts, Body::from(bytes)))
}

async fn upgrade(api: &Api, mut request: Request<Incoming>) -> Response<Body> {
    let upgrade = UpgradeRequest::of(&mut request);
    let (parts, body) = request.into_parts();
    let response = match service::collect(body, InProcess).await {
        Ok(body) => api.handle(parts, body).await,
        Err(failure) => Reply::failure(&failure).into_response(),
    };
    streams::serve_upgrade(response, upgrade)
}
