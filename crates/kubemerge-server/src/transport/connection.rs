//! One connection: HTTP/1 or HTTP/2 over a socket, until its client or the server ends it.

use std::{convert::Infallible, sync::Arc};

use http::Request;
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    time::timeout,
};

use super::{
    gate::{Asking, Gate},
    idle::Idle,
    timeouts::{CLOSE_TIMEOUT, READ_TIMEOUT},
    unsent::Unsent,
};
use crate::protocol::peer::Peer;

/// The other end of a connection.
pub(super) struct Client {
    pub(super) peer: Option<Peer>,
    pub(super) unsent: Arc<Unsent>,
    pub(super) idle: Idle,
}

/// How many requests of a connection may be open at once. Upstream: what Go allows.
const MAX_STREAMS: u32 = 250;

/// Answers the requests of one connection.
pub(super) async fn serve_connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    client: Client,
    gate: Arc<Gate>,
    mut stopped: watch::Receiver<bool>,
) {
    let Client { peer, unsent, idle } = client;
    let (stalled, expired) = (unsent.clone(), idle.clone());
    let answer = service_fn(move |mut request: Request<Incoming>| {
        if let Some(peer) = &peer {
            request.extensions_mut().insert(peer.clone());
        }
        let (gate, unsent, progress) = (gate.clone(), unsent.clone(), idle.begin());
        async move { Ok::<_, Infallible>(gate.answer(request, Asking { unsent: &unsent, progress }).await) }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // Without a timer hyper ignores the timeout.
    builder.http1().timer(TokioTimer::new()).header_read_timeout(READ_TIMEOUT);
    builder.http2().timer(TokioTimer::new()).max_concurrent_streams(MAX_STREAMS);
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), answer);
    tokio::pin!(connection);
    let ended = async {
        // Before the version of HTTP is known, and in HTTP/2, hyper has no timeout for headers.
        tokio::select! {
            _ = &mut connection => {}
            () = expired.expired() => {
                connection.as_mut().graceful_shutdown();
                drop(timeout(CLOSE_TIMEOUT, connection).await);
            }
            _ = stopped.changed() => {
                connection.as_mut().graceful_shutdown();
                drop(connection.await);
            }
        }
    };
    tokio::select! {
        () = ended => {}
        () = stalled.stalled() => {}
    }
}
