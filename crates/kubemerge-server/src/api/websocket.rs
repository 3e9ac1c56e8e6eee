//! The handshake of a WebSocket: whether a client wants one, and the answer that turns its connection into one.

use http::{HeaderMap, header};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use crate::protocol::{
    reply::Reply,
    status::{Outcome, bad_request},
};

/// What the connection is to become; empty if it is to stay as it is.
pub(crate) fn wanted(headers: &HeaderMap) -> &str {
    text(headers, header::UPGRADE)
}

/// Whether that is a WebSocket.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    wanted(headers).eq_ignore_ascii_case("websocket")
}

/// The protocols that the client offers, the best first.
pub(crate) fn offered(headers: &HeaderMap) -> Vec<&str> {
    let offered = text(headers, header::SEC_WEBSOCKET_PROTOCOL).split(',').map(str::trim);
    offered.filter(|protocol| !protocol.is_empty()).collect()
}

/// The answer that turns the connection into a WebSocket.
pub(crate) fn accept(headers: &HeaderMap, protocol: Option<&str>) -> Outcome<Reply> {
    let key = text(headers, header::SEC_WEBSOCKET_KEY);
    if key.is_empty() {
        return Err(bad_request("Sec-WebSocket-Key is missing"));
    }
    let reply = Reply::bytes(101, "", "")
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-accept", derive_accept_key(key.as_bytes()));
    Ok(match protocol {
        Some(protocol) => reply.header("sec-websocket-protocol", protocol),
        None => reply,
    })
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
