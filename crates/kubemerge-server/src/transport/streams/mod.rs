//! Connections that are upgraded: WebSockets with numbered channels for exec, attach and port-forward.

mod port_forward;
mod process;

use bytes::Bytes;
use futures_util::{
    SinkExt, StreamExt,
    stream::{SplitSink, SplitStream},
};
use http::Response;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Error, Message, protocol::Role},
};

use crate::{api::streams::StreamSession, protocol::reply::Body};

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// How much of an output is sent in one message, and how much a handler may write before the client reads.
const MAX_MESSAGE_BYTES: usize = 32 * 1024;

/// Runs the session of a response, if it has one, as soon as the connection is upgraded.
pub(super) fn run_session(response: &Response<Body>, upgrade: Option<OnUpgrade>) {
    let (Some(session), Some(upgrade)) = (response.extensions().get::<StreamSession>().cloned(), upgrade)
    else {
        return;
    };
    tokio::spawn(async move {
        // A client that is gone before the upgrade has nothing to be told.
        let Ok(upgraded) = upgrade.await else { return };
        let socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, None).await;
        let ended = match session {
            StreamSession::Process(session) => process::run(socket, session).await,
            StreamSession::Ports(session) => port_forward::run(socket, session).await,
        };
        // The client sees the end of the connection, whatever the reason.
        drop(ended);
    });
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
