//! Time as an argument: the system's, or one that only moves when a test advances it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use kubemerge_kinds::timestamp::Timestamp;

/// Where the server takes its timestamps from.
#[derive(Clone, Debug, Default)]
pub struct Clock(Source);

#[derive(Clone, Debug, Default)]
enum Source {
    #[default]
    System,
    /// Seconds since 1970, shared by all clones.
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// The system's clock.
    pub fn system() -> Self {
        Self::default()
    }

    /// A clock that shows this many seconds since 1970 until it is advanced.
    pub fn fixed(seconds: i64) -> Self {
        Clock(Source::Manual(Arc::new(AtomicI64::new(seconds))))
    }

    /// The present second.
    #[expect(clippy::disallowed_methods, reason = "the one place of the server that reads the time of day")]
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Source::Manual(seconds) => Timestamp::at(seconds.load(Ordering::Relaxed)),
            Source::System => {
                // A clock before 1970 shows 1970 rather than failing a request.
                let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Timestamp::at(passed.as_secs() as i64)
            }
        }
    }

    /// An independent clock that shows the same time.
    pub(crate) fn fork(&self) -> Clock {
        match &self.0 {
            Source::System => Clock::system(),
            Source::Manual(seconds) => Clock::fixed(seconds.load(Ordering::Relaxed)),
        }
    }

    /// Moves a fixed clock; the system's clock is not moved.
    pub fn advance(&self, by: Duration) {
        if let Source::Manual(seconds) = &self.0 {
            seconds.fetch_add(by.as_secs() as i64, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_clock_moves_when_told() {
        let clock = Clock::fixed(10);
        let clone = clock.clone();
        clone.advance(Duration::from_secs(5));
        assert_eq!(clock.now(), Timestamp::at(15));
    }
}
