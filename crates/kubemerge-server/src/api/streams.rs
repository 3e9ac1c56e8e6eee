//! Handlers of exec, attach and port-forward: closures of a test in place of the processes in a container.

use std::{
    collections::HashMap,
    future::Future,
    io,
    pin::Pin,
    sync::{Arc, PoisonError, RwLock},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream},
    sync::watch,
};

/// A command in a container, or what is attached to, as its handler sees it.
#[derive(Debug)]
pub struct ExecProcess {
    /// The container.
    pub container: String,
    /// The command with its arguments; empty for attach.
    pub command: Vec<String>,
    /// Whether the client wants a terminal.
    pub tty: bool,
    /// What the client sends; it ends when the client closes it.
    pub stdin: DuplexStream,
    /// What the client sees as stdout.
    pub stdout: DuplexStream,
    /// What the client sees as stderr.
    pub stderr: DuplexStream,
    /// The size of the client's terminal; none until it was sent.
    pub terminal_size: watch::Receiver<Option<TerminalSize>>,
}

/// The size of a terminal in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSize {
    /// Columns.
    pub width: u16,
    /// Lines.
    pub height: u16,
}

impl ExecProcess {
    /// All that the client sends, as text.
    ///
    /// # Errors
    /// If it is not UTF-8.
    pub async fn read_stdin(&mut self) -> io::Result<String> {
        let mut text = String::new();
        self.stdin.read_to_string(&mut text).await?;
        Ok(text)
    }

    /// Writes a text to stdout.
    ///
    /// # Errors
    /// If the client is gone.
    pub async fn print(&mut self, text: &str) -> io::Result<()> {
        self.stdout.write_all(text.as_bytes()).await
    }
}

/// A connection to a port of a pod, as its handler sees it.
#[derive(Debug)]
pub struct ForwardedPort {
    /// The port of the pod.
    pub port: u16,
    /// Both directions of the connection.
    pub stream: DuplexStream,
}

type Running<T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send>>;
/// A handler of a command; answers its exit code.
pub(crate) type ExecHandler = dyn Fn(ExecProcess) -> Running<i32> + Send + Sync;
/// A handler of one connection.
pub(crate) type PortHandler = dyn Fn(ForwardedPort) -> Running<()> + Send + Sync;

/// Namespace and name of a pod.
type PodName = (String, String);

/// All handlers of a server, by pod.
#[derive(Default)]
pub(crate) struct StreamHandlers {
    exec: RwLock<HashMap<PodName, Arc<ExecHandler>>>,
    attach: RwLock<HashMap<PodName, Arc<ExecHandler>>>,
    ports: RwLock<HashMap<PodName, Arc<PortHandler>>>,
}

/// The ways to a process in a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessAccess {
    Exec,
    Attach,
}

impl StreamHandlers {
    fn processes(&self, access: ProcessAccess) -> &RwLock<HashMap<PodName, Arc<ExecHandler>>> {
        match access {
            ProcessAccess::Exec => &self.exec,
            ProcessAccess::Attach => &self.attach,
        }
    }

    pub(crate) fn set_process(&self, access: ProcessAccess, pod: PodName, handler: Arc<ExecHandler>) {
        self.processes(access).write().unwrap_or_else(PoisonError::into_inner).insert(pod, handler);
    }

    pub(crate) fn process(&self, access: ProcessAccess, pod: &PodName) -> Option<Arc<ExecHandler>> {
        self.processes(access).read().unwrap_or_else(PoisonError::into_inner).get(pod).cloned()
    }

    pub(crate) fn set_ports(&self, pod: PodName, handler: Arc<PortHandler>) {
        self.ports.write().unwrap_or_else(PoisonError::into_inner).insert(pod, handler);
    }

    pub(crate) fn ports(&self, pod: &PodName) -> Option<Arc<PortHandler>> {
        self.ports.read().unwrap_or_else(PoisonError::into_inner).get(pod).cloned()
    }
}

/// Marks a response whose body is the events of a watch, which a client may want as messages of a WebSocket.
#[derive(Clone, Copy)]
pub(crate) struct WatchEvents;

/// What runs over a connection once it is upgraded; the transport finds it in the extensions of the response.
#[derive(Clone)]
pub(crate) enum StreamSession {
    Process(ProcessSession),
    Ports(PortSession),
}

/// A command over a connection.
#[derive(Clone)]
pub(crate) struct ProcessSession {
    pub(crate) handler: Arc<ExecHandler>,
    pub(crate) container: String,
    pub(crate) command: Vec<String>,
    pub(crate) tty: bool,
    /// Whether the client sends an input, and which outputs it wants.
    pub(crate) stdin: bool,
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
}

/// Connections to ports over a connection.
#[derive(Clone)]
pub(crate) struct PortSession {
    pub(crate) handler: Arc<PortHandler>,
    pub(crate) ports: Vec<u16>,
}
