//! What will Kubernetes make of this object and this patch?
//!
//! ```
//! use kubemerge::{Dialect, Patch, Schema, apply};
//!
//! let schema = Schema::builtin("1.37", Dialect::Upstream)?;
//! let pod = r#"{
//!   "apiVersion": "v1",
//!   "kind": "Pod",
//!   "spec": {"containers": [{"name": "web", "image": "web:1"}, {"name": "sidecar", "image": "log:7"}]}
//! }"#;
//! let patch = Patch::strategic(r#"{"spec": {"containers": [{"name": "web", "image": "web:2"}]}}"#)?;
//! let result = apply(&schema, pod, &patch)?;
//! assert!(result.contains("web:2") && result.contains("log:7"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Patch`] is a strategic merge patch, a JSON merge patch or a JSON patch. A [`Schema`] says how fields
//! merge; it speaks one of two dialects: [`Dialect::Upstream`] is exactly Kubernetes 1.37, bug for bug, with an
//! error where it crashes; [`Dialect::Spec`] is what Kubernetes' design documents promise. Every verb takes
//! documents in any form ([`Object`]: bytes, text, [`Canonical`] bytes, `serde_json` values, own types) and
//! answers in the same form. An [`Error`] has a kind, a path, Kubernetes' own message, a hint, and the status
//! that an API server answers with.
//!
//! The crate does no input or output.

mod apply;
mod diff;
mod error;
mod guide;
mod json_diff;
mod json_patch;
mod merge_diff;
mod merge_patch;
mod object;
mod patch;
mod three_way;

pub use apply::{apply, apply_node};
pub use diff::{Target, convert, diff, invert};
pub use error::{Error, ErrorKind};
pub use guide::Guide;
pub use json_diff::Tests;
pub use json_patch::{MAX_COPY_BYTES, MAX_OPERATIONS};
pub use kubemerge_schema::{Dialect, LoadError, Schema, SchemaBuilder, Type};
pub use kubemerge_value::{
    Arena, Canonical, Document, Kind, Node, ParseError, Scalar, Segments, Str, segments, to_bytes,
    to_canonical, to_value,
};
pub use object::{Object, Source, Typed};
pub use patch::{Patch, PatchType};
pub use three_way::{Change, Conflict, OnConflict, Versions, conflicts, three_way};
