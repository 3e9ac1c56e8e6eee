//! exec and attach: stdin, stdout, stderr, the exit status and terminal sizes, each in a channel of its own.

use kubemerge_value::part::part_of;
use std::io;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    sync::watch,
};
use tokio_tungstenite::tungstenite::Error;

use super::socket::{ChannelMessage, ChannelReceiver, ChannelSender, MAX_MESSAGE_BYTES, Socket, channels};
use crate::api::streams::{ExecProcess, ProcessSession, TerminalSize};
use crate::protocol::json::Members;

const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const STATUS: u8 = 3;
const RESIZE: u8 = 4;
/// Followed by the channel that has ended.
const CLOSE: u8 = 255;

/// Runs a handler between the channels of a connection.
pub(super) async fn run(socket: Socket, session: ProcessSession) -> Result<(), Error> {
    let (mut sender, receiver) = channels(socket);
    let (stdin, process_stdin) = duplex(MAX_MESSAGE_BYTES);
    let (stdout, process_stdout) = duplex(MAX_MESSAGE_BYTES);
    let (stderr, process_stderr) = duplex(MAX_MESSAGE_BYTES);
    let (sizes, terminal_size) = watch::channel(None);
    let running = (session.handler)(ExecProcess {
        container: session.container.clone(),
        command: session.command.clone(),
        tty: session.tty,
        stdin: process_stdin,
        stdout: process_stdout,
        stderr: process_stderr,
        terminal_size,
    });
    // An empty message tells the client that the process runs.
    sender.send(if session.stdout { STDOUT } else { STDERR }, &[]).await?;
    let ended = async {
        let (exit, sent) = tokio::join!(running, send_outputs(&mut sender, &session, stdout, stderr));
        sent?;
        sender.send(STATUS, status(&exit).to_string().as_bytes()).await?;
        sender.close().await
    };
    tokio::select! {
        ended = ended => ended,
        // The client is gone: the handler is dropped where it waits.
        // Without an input the process reads the end of it at once.
        () = receive_inputs(receiver, session.stdin.then_some(stdin), sizes) => Ok(()),
    }
}

/// Sends both outputs until the handler has dropped them.
async fn send_outputs(
    sender: &mut ChannelSender,
    session: &ProcessSession,
    mut stdout: DuplexStream,
    mut stderr: DuplexStream,
) -> Result<(), Error> {
    let (mut out, mut err) = (vec![0; MAX_MESSAGE_BYTES], vec![0; MAX_MESSAGE_BYTES]);
    let (mut out_open, mut err_open) = (true, true);
    while out_open || err_open {
        let (channel, length) = tokio::select! {
            length = stdout.read(&mut out), if out_open => (STDOUT, length?),
            length = stderr.read(&mut err), if err_open => (STDERR, length?),
        };
        let (open, data, wanted) = match channel {
            STDOUT => (&mut out_open, &out, session.stdout),
            _ => (&mut err_open, &err, session.stderr),
        };
        match length {
            0 => *open = false,
            // What the client did not ask for is read all the same, or the handler would wait forever.
            _ if !wanted => {}
            _ => sender.send(channel, part_of(data, ..length)).await?,
        }
    }
    Ok(())
}

/// Hands on what the client sends; returns when it is gone.
async fn receive_inputs(
    mut receiver: ChannelReceiver,
    mut stdin: Option<DuplexStream>,
    sizes: watch::Sender<Option<TerminalSize>>,
) {
    while let Some(ChannelMessage { channel, data }) = receiver.next().await {
        match channel {
            STDIN => {
                if let Some(open) = &mut stdin
                    && open.write_all(&data).await.is_err()
                {
                    // The handler reads no more: the rest is dropped.
                    stdin = None;
                }
            }
            CLOSE if data.first() == Some(&STDIN) => stdin = None,
            RESIZE => {
                if let Some(size) = terminal_size(&data) {
                    sizes.send_replace(Some(size));
                }
            }
            _ => {}
        }
    }
}

fn terminal_size(data: &[u8]) -> Option<TerminalSize> {
    let size: Value = serde_json::from_slice(data).ok()?;
    let side = |name: &str| size.member(name).as_u64().and_then(|side| u16::try_from(side).ok());
    Some(TerminalSize { width: side("Width")?, height: side("Height")? })
}

/// What the kubelet sends at the end.
fn status(exit: &io::Result<i32>) -> Value {
    match exit {
        Ok(0) => json!({"metadata": {}, "status": "Success"}),
        Ok(code) => json!({"metadata": {}, "status": "Failure", "reason": "NonZeroExitCode",
            "message": format!("command terminated with non-zero exit code: exit status {code}"),
            "details": {"causes": [{"reason": "ExitCode", "message": code.to_string()}]}}),
        Err(error) => json!({"metadata": {}, "status": "Failure", "reason": "InternalError", "code": 500,
            "message": format!("Internal error occurred: {error}"),
            "details": {"causes": [{"message": error.to_string()}]}}),
    }
}
