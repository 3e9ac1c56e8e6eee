//! The answers of one connection that its client has not read yet. An answer takes its room among the requests until the
//! connection has written it; one whose client does not read ends with its connection.

use std::{
    collections::BTreeMap,
    io::{self, IoSlice},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use http::Version;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::OwnedSemaphorePermit,
    time::{Instant, sleep, sleep_until},
};

use super::{idle::InProgress, limits::Permit, timeouts::WRITE_TIMEOUT};
use crate::protocol::reply::Held;

/// The answers of one connection that are not sent yet.
pub(super) struct Unsent(Mutex<Answers>);

struct Answers {
    /// When each of them made progress.
    progress: BTreeMap<u64, Progress>,
    next: u64,
    /// When the socket took something.
    written: Instant,
}

/// What tells that an answer makes progress.
#[derive(Clone, Copy)]
enum Progress {
    /// Its connection does, which has no other: HTTP/1 answers one request after the other.
    OfConnection { since: Instant },
    /// The client has made room for another piece of it.
    OfAnswer { last: Instant },
}

impl Unsent {
    pub(super) fn new() -> Arc<Unsent> {
        let answers = Answers { progress: BTreeMap::new(), next: 0, written: Instant::now() };
        Arc::new(Unsent(Mutex::new(answers)))
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes an answer, which keeps its room until it is sent.
    pub(super) fn begin(
        self: &Arc<Self>,
        version: Version,
        permit: Permit,
        progress: InProgress,
    ) -> UnsentAnswer {
        let (mut answers, now) = (self.answers(), Instant::now());
        let number = answers.next;
        answers.next += 1;
        let moves = match version {
            Version::HTTP_2 => Progress::OfAnswer { last: now },
            _ => Progress::OfConnection { since: now },
        };
        answers.progress.insert(number, moves);
        drop(answers);
        UnsentAnswer { unsent: self.clone(), number, _permit: permit, _progress: progress }
    }

    /// When the first of them will have made no progress for too long; none if all are sent.
    fn deadline(&self) -> Option<Instant> {
        let answers = self.answers();
        let last = answers.progress.values().map(|progress| match *progress {
            Progress::OfConnection { since } => since.max(answers.written),
            Progress::OfAnswer { last } => last,
        });
        last.min().map(|last| last + WRITE_TIMEOUT)
    }

    /// Waits until an answer has made no progress for too long.
    pub(super) async fn stalled(&self) {
        loop {
            match self.deadline() {
                Some(deadline) if deadline <= Instant::now() => return,
                Some(deadline) => sleep_until(deadline).await,
                // An answer that begins meanwhile is looked at in time: it has as long.
                None => sleep(WRITE_TIMEOUT).await,
            }
        }
    }
}

/// An answer that is not sent yet.
pub(super) struct UnsentAnswer {
    unsent: Arc<Unsent>,
    number: u64,
    _permit: Permit,
    _progress: InProgress,
}

impl Held for UnsentAnswer {
    fn on_piece(&self) {
        if let Some(Progress::OfAnswer { last }) = self.unsent.answers().progress.get_mut(&self.number) {
            *last = Instant::now();
        }
    }
}

impl Drop for UnsentAnswer {
    fn drop(&mut self) {
        self.unsent.answers().progress.remove(&self.number);
    }
}

/// A socket that notes when it takes something. It keeps its room among the connections, whoever has it: an upgraded
/// connection outlives its HTTP.
pub(super) struct NotedWrites<S> {
    socket: S,
    unsent: Arc<Unsent>,
    _room: OwnedSemaphorePermit,
}

impl<S> NotedWrites<S> {
    pub(super) fn new(socket: S, unsent: Arc<Unsent>, room: OwnedSemaphorePermit) -> Self {
        NotedWrites { socket, unsent, _room: room }
    }

    fn note(&self, written: io::Result<usize>) -> Poll<io::Result<usize>> {
        self.unsent.answers().written = Instant::now();
        Poll::Ready(written)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for NotedWrites<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for NotedWrites<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.socket).poll_write(cx, buf));
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.socket).poll_write_vectored(cx, slices));
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}
