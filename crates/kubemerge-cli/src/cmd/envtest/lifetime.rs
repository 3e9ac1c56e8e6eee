//! How long the programs run: until a signal, or until the process that started them dies.

use crate::report::{Notice, Result};

/// A runtime for a program that waits most of the time.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime> {
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    built.map_err(|error| Notice::error(format!("cannot start: {error}")).into())
}

/// Resolves when a signal to stop arrives, or when the parent has died.
pub(super) async fn told_to_stop(parent: Parent) {
    let signal = crate::cmd::serve::stopped();
    tokio::select! {
        () = signal => {}
        () = parent.died() => {}
    }
}

/// The process that has started this one. It is asked for before anything else, as it may die at once.
#[derive(Clone, Copy)]
pub(super) struct Parent {
    #[cfg(unix)]
    id: u32,
}

impl Parent {
    pub(super) fn now() -> Parent {
        Parent {
            #[cfg(unix)]
            id: std::os::unix::process::parent_id(),
        }
    }

    /// A process whose parent dies gets another one, on every Unix.
    #[cfg(unix)]
    async fn died(self) {
        const INTERVAL: std::time::Duration = std::time::Duration::from_millis(250);
        while std::os::unix::process::parent_id() == self.id {
            tokio::time::sleep(INTERVAL).await;
        }
    }

    #[cfg(not(unix))]
    async fn died(self) {
        std::future::pending().await
    }
}
