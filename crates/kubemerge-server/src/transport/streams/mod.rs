//! Connections that are upgraded: WebSockets with numbered channels for exec, attach and port-forward, and with the
//! events of watches.

mod port_forward;
mod process;
mod socket;
mod watch;

use http::{HeaderMap, Request, Response, header::UPGRADE};
use hyper::{body::Incoming, upgrade::OnUpgrade};
use socket::upgraded;

use crate::{
    api::{
        streams::{StreamSession, WatchEvents},
        websocket,
    },
    protocol::reply::Body,
};

/// A request of a client that wants another protocol on its connection.
pub(super) struct UpgradeRequest {
    headers: HeaderMap,
    connection: OnUpgrade,
}

impl UpgradeRequest {
    /// What the request asks for; none for most.
    pub(super) fn of(request: &mut Request<Incoming>) -> Option<UpgradeRequest> {
        let headers = request.headers().contains_key(UPGRADE).then(|| request.headers().clone())?;
        Some(UpgradeRequest { headers, connection: hyper::upgrade::on(request) })
    }
}

/// Serves what the client gets on its upgraded connection, if the response has such a thing; gives the response that
/// is sent before.
pub(super) fn serve_upgrade(response: Response<Body>, request: Option<UpgradeRequest>) -> Response<Body> {
    let Some(UpgradeRequest { headers, connection }) = request else { return response };
    if response.extensions().get::<WatchEvents>().is_some() && websocket::is_wanted(&headers) {
        return watch::serve(response.into_body(), &headers, connection);
    }
    if let Some(session) = response.extensions().get::<StreamSession>().cloned() {
        tokio::spawn(async move {
            // A client that is gone before the upgrade has nothing to be told.
            let Some(socket) = upgraded(connection).await else { return };
            let ended = match session {
                StreamSession::Process(session) => process::run(socket, session).await,
                StreamSession::Ports(session) => port_forward::run(socket, session).await,
            };
            // The client sees the end of the connection, whatever the reason.
            drop(ended);
        });
    }
    response
}
