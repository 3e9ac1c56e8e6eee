//! What can be chosen about watches, and the trigger for bookmarks.

use std::time::Duration;

use tokio::sync::watch;

/// How long watches live, and how often they send bookmarks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WatchSettings {
    pub(crate) bookmark_interval: Duration,
    /// The least lifetime of watches without a timeout; a random part of it is added.
    pub(crate) lifetime: Duration,
}

/// Makes all open watches send a bookmark.
#[derive(Default)]
pub(crate) struct BookmarkTrigger(watch::Sender<u64>);

impl BookmarkTrigger {
    /// Changes with every call of [`BookmarkTrigger::fire`].
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.0.subscribe()
    }

    pub(crate) fn fire(&self) {
        self.0.send_modify(|fired| *fired += 1);
    }
}
