//! An upgraded connection: a WebSocket, and its messages with numbered channels.

use bytes::Bytes;
use futures_util::{
    SinkExt, StreamExt,
    stream::{SplitSink, SplitStream},
};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Error, Message, protocol::Role},
};

pub(super) type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// How much of an output is sent in one message, and how much a handler may write before the client reads.
pub(super) const MAX_MESSAGE_BYTES: usize = 32 * 1024;

/// The connection as a WebSocket; none if the client is gone.
pub(super) async fn upgraded(connection: OnUpgrade) -> Option<Socket> {
    let upgraded = connection.await.ok()?;
    Some(WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, None).await)
}

/// The sending side of a WebSocket with channels.
pub(super) struct ChannelSender(SplitSink<Socket, Message>);

/// The receiving side.
pub(super) struct ChannelReceiver(SplitStream<Socket>);

/// What a client sends.
pub(super) struct ChannelMessage {
    pub(super) channel: u8,
    pub(super) data: Bytes,
}

pub(super) fn channels(socket: Socket) -> (ChannelSender, ChannelReceiver) {
    let (sink, stream) = socket.split();
    (ChannelSender(sink), ChannelReceiver(stream))
}

impl ChannelSender {
    pub(super) async fn send(&mut self, channel: u8, data: &[u8]) -> Result<(), Error> {
        let mut message = Vec::with_capacity(data.len() + 1);
        message.push(channel);
        message.extend_from_slice(data);
        self.0.send(Message::binary(message)).await
    }

    pub(super) async fn close(mut self) -> Result<(), Error> {
        self.0.close().await
    }
}

impl ChannelReceiver {
    /// The next message; none when the client has closed the connection.
    pub(super) async fn next(&mut self) -> Option<ChannelMessage> {
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
