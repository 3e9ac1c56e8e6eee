//! How long the programs run: until a signal, or until the process that started them dies.

use crate::report::{Notice, Result};

/// A runtime for a program that waits most of the time.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime> {
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    built.map_err(|error| Notice::error(format!("cannot start: {error}")).into())
}

/// Resolves when a signal to stop arrives, or when the parent has died.
pub(super) async fn told_to_stop() {
    let signal = crate::cmd::serve::stopped();
    tokio::select! {
        () = signal => {}
        () = parent_died() => {}
    }
}

/// A process whose parent dies gets another one.
#[cfg(unix)]
async fn parent_died() {
    const INTERVAL: std::time::Duration = std::time::Duration::from_millis(250);
    let parent = std::os::unix::process::parent_id();
    while std::os::unix::process::parent_id() == parent {
        tokio::time::sleep(INTERVAL).await;
    }
}

#[cfg(not(unix))]
async fn parent_died() {
    std::future::pending().await
}
