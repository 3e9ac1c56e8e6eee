//! A watch over a WebSocket: a message for each event. Clients of browsers and fabric8's for Java watch like this.

use futures_util::{SinkExt, StreamExt};
use http::{HeaderMap, Response, header::ORIGIN};
use http_body_util::BodyExt;
use hyper::upgrade::OnUpgrade;
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use super::socket::{Socket, upgraded};
use crate::{
    api::websocket,
    protocol::reply::{Body, Reply},
};

/// Answers with the handshake, and sends the events once the connection is upgraded.
pub(super) fn serve(events: Body, headers: &HeaderMap, connection: OnUpgrade) -> Response<Body> {
    let reply = match handshake(headers) {
        Ok(reply) => {
            tokio::spawn(async move {
                if let Some(socket) = upgraded(connection).await {
                    // The client sees the end of the connection, whatever the reason.
                    drop(run(socket, events).await);
                }
            });
            reply
        }
        Err(code) => Reply::bytes(code, "", ""),
    };
    reply.into_response()
}

/// Upstream: Go's library refuses clients without origin and those with a choice of protocols, without a body.
fn handshake(headers: &HeaderMap) -> Result<Reply, u16> {
    if !headers.contains_key(ORIGIN) {
        return Err(403);
    }
    match websocket::offered(headers)[..] {
        [] => websocket::accept(headers, None).map_err(|failure| failure.code()),
        [one] => websocket::accept(headers, Some(one)).map_err(|failure| failure.code()),
        _ => Err(400),
    }
}

/// Sends events until there are no more or the client is gone.
async fn run(socket: Socket, mut events: Body) -> Result<(), Error> {
    let (mut sink, mut stream) = socket.split();
    loop {
        tokio::select! {
            event = events.frame() => match event.and_then(Result::ok).map(|frame| frame.into_data()) {
                Some(Ok(line)) => match Utf8Bytes::try_from(line) {
                    Ok(text) => sink.send(Message::Text(text)).await?,
                    // No event is anything but JSON.
                    Err(_) => return sink.close().await,
                },
                Some(Err(_)) => {}
                None => return sink.close().await,
            },
            // Clients have nothing to say but that they go; pings are answered by the library.
            message = stream.next() => {
                if matches!(message, None | Some(Err(_) | Ok(Message::Close(_)))) {
                    return Ok(());
                }
            }
        }
    }
}
