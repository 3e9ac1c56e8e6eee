//! Where results go: stdout, or the files themselves.

mod folder_lock;
#[cfg(feature = "serve")]
mod private;
mod rewrite;
mod stdout;

#[cfg(feature = "serve")]
pub(crate) use private::write_private;
pub(crate) use rewrite::{NewText, Rewrites, remove_leftovers};
pub(crate) use stdout::Stdout;
