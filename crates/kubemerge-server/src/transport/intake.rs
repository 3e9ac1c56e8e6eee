//! The body of a request from a socket: it must arrive in time and not too slowly, and large ones need room.

use tokio::time::{Duration, Instant};

use super::{
    limits::{Limits, Permit},
    service::Intake,
    timeouts::READ_TIMEOUT,
};
use crate::protocol::status::Outcome;

/// A client that sends no more than this in a second is too slow ...
const MIN_BYTES_PER_SECOND: u64 = 16 * 1024;
/// ... after this long.
const GRACE: Duration = Duration::from_secs(5);

/// A body that arrives from a socket.
pub(super) struct SocketIntake<'r> {
    start: Instant,
    limits: &'r Limits,
    permit: Option<&'r mut Permit>,
}

impl<'r> SocketIntake<'r> {
    pub(super) fn new(limits: &'r Limits, permit: Option<&'r mut Permit>) -> Self {
        SocketIntake { start: Instant::now(), limits, permit }
    }
}

impl Intake for SocketIntake<'_> {
    fn deadline(&self, received: usize) -> Option<Instant> {
        let earned = Duration::from_secs(received as u64 / MIN_BYTES_PER_SECOND);
        Some(self.start + (GRACE + earned).min(READ_TIMEOUT))
    }

    fn on_received(&mut self, received: usize) -> Outcome<()> {
        match &mut self.permit {
            Some(permit) => self.limits.enter_bytes(permit, received),
            None => Ok(()),
        }
    }
}
