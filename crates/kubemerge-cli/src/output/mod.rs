//! Where results go: stdout, or the files themselves.

mod rewrite;
mod stdout;

pub(crate) use rewrite::{Rewrite, commit};
pub(crate) use stdout::Stdout;
