//! Connections without a request in progress, which end after a while: at once where others wait for a connection.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::{Instant, sleep_until},
};

use super::timeouts::{CROWDED_TIMEOUT, IDLE_TIMEOUT, READ_TIMEOUT};

/// Room for connections.
pub(super) struct Connections {
    room: Arc<Semaphore>,
    /// Whether a client waits for another to leave.
    crowded: watch::Sender<bool>,
}

impl Connections {
    pub(super) fn new(most: usize) -> Connections {
        let room = Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
        Connections { room, crowded: watch::channel(false).0 }
    }

    /// Waits for room. None if the server has none any more, which does not happen.
    pub(super) async fn enter(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(permit) = self.room.clone().try_acquire_owned() {
            return Some(permit);
        }
        self.crowded.send_replace(true);
        let permit = self.room.clone().acquire_owned().await.ok();
        self.crowded.send_replace(false);
        permit
    }

    /// What a new connection needs to know when to end.
    pub(super) fn idle(&self) -> Idle {
        let state = State { open: 0, has_served: false, since: Instant::now() };
        Idle { state: Arc::new(Mutex::new(state)), crowded: self.crowded.subscribe() }
    }
}

/// Whether a connection has requests in progress.
#[derive(Clone)]
pub(super) struct Idle {
    state: Arc<Mutex<State>>,
    crowded: watch::Receiver<bool>,
}

struct State {
    /// Requests, and answers that are not sent yet.
    open: usize,
    has_served: bool,
    /// When the last of them ended.
    since: Instant,
}

impl Idle {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request.
    pub(super) fn begin(&self) -> InProgress {
        let mut state = self.state();
        state.open += 1;
        state.has_served = true;
        InProgress(self.clone())
    }

    /// Waits until the connection has been without a request for too long.
    pub(super) async fn expired(mut self) {
        loop {
            let is_crowded = *self.crowded.borrow_and_update();
            let (now, deadline) = (Instant::now(), self.deadline(is_crowded));
            match deadline {
                Some(deadline) if deadline <= now => return,
                _ => {}
            }
            // A connection with requests is looked at again: noticing their end would cost each of them more.
            let wake = deadline.unwrap_or(now + if is_crowded { CROWDED_TIMEOUT } else { READ_TIMEOUT });
            tokio::select! {
                () = sleep_until(wake) => {}
                Ok(()) = self.crowded.changed() => {}
            }
        }
    }

    /// When the connection ends if nothing happens; none while it has requests.
    fn deadline(&self, is_crowded: bool) -> Option<Instant> {
        let state = self.state();
        let most = match (is_crowded, state.has_served) {
            (true, _) => CROWDED_TIMEOUT,
            (false, true) => IDLE_TIMEOUT,
            (false, false) => READ_TIMEOUT,
        };
        (state.open == 0).then(|| state.since + most)
    }
}

/// A request of a connection, until its answer is sent.
pub(super) struct InProgress(Idle);

impl Drop for InProgress {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.open = state.open.saturating_sub(1);
        state.since = Instant::now();
    }
}

/// How many files are left to others, such as those of a store, when all connections are open.
const RESERVED_FILES: usize = 128;

/// How many connections the limit of the process for open files leaves room for; none where it is not known.
pub(super) fn most_by_files() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    let soft: usize = line.split_whitespace().next()?.parse().ok()?;
    Some(soft.saturating_sub(RESERVED_FILES).max(1))
}
