//! Where results go: stdout, or the files themselves.

mod folder_lock;
mod private;
mod rewrite;
mod stdout;

pub(crate) use private::write_private;
pub(crate) use rewrite::{NewText, Rewrites, remove_leftovers};
pub(crate) use stdout::Stdout;
