//! What the tests of several packages, the harness and xtask share.
//!
//! `corpus`, `recording` and `scenario` read what is in `conformance/`; `reference` asks the Go program that has
//! Kubernetes' own code. `seed` is for tests with random inputs, `etcd` and `history` are for tests of stores, `documents` and `stopwatch` for benchmarks.
//! Nothing here needs the server, and without features nothing needs the engine, so that xtask builds in seconds.

#![allow(clippy::missing_panics_doc, reason = "a test that cannot go on fails")]

pub mod corpus;
pub mod documents;
#[cfg(feature = "etcd")]
pub mod etcd;
pub mod go_module;
pub mod history;
#[cfg(feature = "recordings")]
pub mod recording;
pub mod reference;
#[cfg(feature = "scenarios")]
pub mod scenario;
pub mod seed;
pub mod stopwatch;
pub mod verdict;

use std::path::{Path, PathBuf};

/// Where the repository is.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package).to_path_buf()
}

/// Where cargo builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
