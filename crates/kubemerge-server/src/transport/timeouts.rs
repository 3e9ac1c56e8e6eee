//! How long clients may take.

use std::time::Duration;

/// To send headers, and then a body.
pub(super) const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// To read more of an answer.
pub(super) const WRITE_TIMEOUT: Duration = Duration::from_mins(1);
/// Between two requests. Upstream: as long as kube-apiserver keeps a connection.
pub(super) const IDLE_TIMEOUT: Duration = Duration::from_secs(90);
/// To send a request where others wait for a connection.
pub(super) const CROWDED_TIMEOUT: Duration = Duration::from_secs(1);
/// To notice that the server has ended the connection.
pub(super) const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
