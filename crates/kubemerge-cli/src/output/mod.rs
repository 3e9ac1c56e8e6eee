//! Where results go: stdout, or the files themselves.

mod private;
mod rewrite;
mod stdout;

pub(crate) use private::write_private;
pub(crate) use rewrite::{Rewrite, commit};
pub(crate) use stdout::Stdout;
