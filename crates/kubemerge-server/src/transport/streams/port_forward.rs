//! Port-forward: two channels for each port, one for the data of both directions and one for an error.

use kubemerge_value::part::part_of;
use std::io;

use futures_util::{StreamExt, stream::FuturesUnordered};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split},
    sync::mpsc,
};
use tokio_tungstenite::tungstenite::Error;

use super::socket::{ChannelMessage, ChannelReceiver, MAX_MESSAGE_BYTES, Socket, channels};
use crate::api::streams::{ForwardedPort, PortHandler, PortSession};

/// Runs a handler for each port between the channels of a connection.
pub(super) async fn run(socket: Socket, session: PortSession) -> Result<(), Error> {
    let (mut sender, receiver) = channels(socket);
    let (to_client, mut messages) = mpsc::channel(1);
    let (mut running, mut writers) = (FuturesUnordered::new(), Vec::new());
    // Ports are numbered in the order of the query; more than fit into a byte have no channel.
    for (at, port) in session.ports.iter().take(usize::from(u8::MAX / 2)).enumerate() {
        let channel = 2 * at as u8;
        let (ours, stream) = duplex(MAX_MESSAGE_BYTES);
        let (reader, writer) = split(ours);
        writers.push(writer);
        // Both channels begin with their port, lowest byte first.
        sender.send(channel, &port.to_le_bytes()).await?;
        sender.send(channel + 1, &port.to_le_bytes()).await?;
        let forwarded = ForwardedPort { port: *port, stream };
        running.push(serve_port(session.handler.clone(), forwarded, reader, channel, to_client.clone()));
    }
    drop(to_client);
    let forward = async {
        while let Some(ChannelMessage { channel, data }) = messages.recv().await {
            sender.send(channel, &data).await?;
        }
        sender.close().await
    };
    let serve = async { while running.next().await.is_some() {} };
    tokio::select! {
        (sent, ()) = async { tokio::join!(forward, serve) } => sent,
        // The client is gone: handlers are dropped where they wait.
        () = receive(receiver, writers) => Ok(()),
    }
}

/// Runs the handler of one port and sends what it writes, then its error if it failed.
async fn serve_port(
    handler: std::sync::Arc<PortHandler>,
    forwarded: ForwardedPort,
    reader: ReadHalf<DuplexStream>,
    channel: u8,
    to_client: mpsc::Sender<ChannelMessage>,
) {
    let (served, _) = tokio::join!(handler(forwarded), send_data(reader, channel, &to_client));
    if let Err(error) = served {
        let message = ChannelMessage { channel: channel + 1, data: error.to_string().into() };
        // If this fails the client is gone.
        drop(to_client.send(message).await);
    }
}

async fn send_data(
    mut reader: ReadHalf<DuplexStream>,
    channel: u8,
    to_client: &mpsc::Sender<ChannelMessage>,
) -> io::Result<()> {
    let mut data = vec![0; MAX_MESSAGE_BYTES];
    loop {
        let length = reader.read(&mut data).await?;
        let message = ChannelMessage { channel, data: part_of(&data, ..length).to_vec().into() };
        if length == 0 || to_client.send(message).await.is_err() {
            return Ok(());
        }
    }
}

/// Hands on what the client sends; returns when it is gone.
async fn receive(mut receiver: ChannelReceiver, mut writers: Vec<WriteHalf<DuplexStream>>) {
    while let Some(ChannelMessage { channel, data }) = receiver.next().await {
        if channel % 2 == 0
            && let Some(writer) = writers.get_mut(usize::from(channel / 2))
        {
            // A handler that has ended takes nothing more.
            drop(writer.write_all(&data).await);
        }
    }
}
