//! Strategic merge patch as Kubernetes does it.

pub mod directive;
mod error;
mod go_text;

pub use error::{Error, ErrorKind};
