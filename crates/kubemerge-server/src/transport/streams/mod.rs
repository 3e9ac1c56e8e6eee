//! Connections that are upgraded: WebSockets with numbered channels for exec, attach and port-forward, and with the
//! events of watches.

mod port_forward;
mod process;
mod watch;

use bytes::Bytes;
use futures_util::{
    SinkExt, StreamExt,
    stream::{SplitSink, SplitStream},
};
use http::{HeaderMap, Request, Response, header::UPGRADE};
use hyper::{
    body::Incoming,
    upgrade::{OnUpgrade, Upgraded},
};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Error, Message, protocol::Role},
};

use crate::{
    api::{
        streams::{StreamSession, WatchEvents},
        websocket,
    },
    protocol::reply::Body,
};

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// How much of an output is sent in one message, and how much a handler may write before the client reads.
const MAX_MESSAGE_BYTES: usize = 32 * 1024;

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

/// The connection as a WebSocket; none if the client is gone.
async fn upgraded(connection: OnUpgrade) -> Option<Socket> {
    let upgraded = connection.await.ok()?;
    Some(WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, None).await)
}

/// The sending side of a WebSocket with channels.
struct ChannelSender(SplitSink<Socket, Message>);

/// The receiving side.
struct ChannelReceiver(SplitStream<Socket>);

/// What a client sends.
struct ChannelMessage {
    channel: u8,
    data: Bytes,
}

fn channels(socket: Socket) -> (ChannelSender, ChannelReceiver) {
    let (sink, stream) = socket.split();
    (ChannelSender(sink), ChannelReceiver(stream))
}

impl ChannelSender {
    async fn send(&mut self, channel: u8, data: &[u8]) -> Result<(), Error> {
        let mut message = Vec::with_capacity(data.len() + 1);
        message.push(channel);
        message.extend_from_slice(data);
        self.0.send(Message::binary(message)).await
    }

    async fn close(mut self) -> Result<(), Error> {
        self.0.close().await
    }
}

impl ChannelReceiver {
    /// The next message; none when the client has closed the connection.
    async fn next(&mut self) -> Option<ChannelMessage> {
        loop {
            match self.0.next().await? {
                Ok(Message::Binary(mut data)) => {
                    if let Some(channel) = data.split_to(data.len().min(1)).first() {
                        return Some(ChannelMessage { channel: *channel, data });
                    }
                }
                Ok(Message::Close(_)) | Err(_) => return None,
                // Pings are answered by the library; texts belong to no protocol that was agreed on.
                Ok(_) => {}
            }
        }
    }
}
