//! Strategic merge patch as Kubernetes does it.
//!
//! [`apply`] merges a patch into a document, guided by the rules of a compiled schema. The dialect is that of
//! the schema: `upstream` does exactly what Kubernetes 1.37 does, `spec` what its design documents promise.
//!
//! This crate reads no schema documents and does no input or output.

mod apply;
pub mod directive;
mod error;
mod go_text;
mod identity;
mod observe;
mod order;

pub use apply::{apply, apply_observed};
pub use error::{Error, ErrorKind};
pub use observe::{Event, Observer, Ordering, Removal, Replacement};
