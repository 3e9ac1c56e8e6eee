//! Strategic merge patch as Kubernetes does it.
//!
//! [`apply`] merges a patch into a document, guided by the rules of a compiled schema. The dialect is that of
//! the schema: `upstream` does exactly what Kubernetes 1.37 does, `spec` what its design documents promise.
//! [`diff`] makes a patch from two documents, [`conflicts`] tells what two patches disagree about.
//!
//! ```
//! use kubemerge_schema::{Dialect, Schema};
//! use kubemerge_strategic::apply;
//! use kubemerge_value::{Arena, Node, to_bytes};
//! use serde_json::json;
//!
//! let schema = Schema::builtin("1.37", Dialect::Upstream)?;
//! let pod = schema.type_of("v1", "Pod").unwrap();
//! let live = json!({"spec": {"containers": [{"name": "web", "image": "web:1"}, {"name": "log"}]}});
//! let patch = json!({"spec": {"containers": [{"name": "web", "image": "web:2"}]}});
//! let arena = Arena::new();
//! let merged = apply(pod, Node::from_value(&live)?, Node::from_value(&patch)?, &arena)?;
//! let expected = br#"{"spec":{"containers":[{"image":"web:2","name":"web"},{"name":"log"}]}}"#;
//! assert_eq!(to_bytes(merged), expected);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Programs that have texts or typed objects use the crate `kubemerge`, which also has the other types of patches.
//! This crate reads no schema documents and does no input or output.

#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_methods,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::print_stderr,
        clippy::print_stdout,
        clippy::string_slice,
        clippy::unwrap_used
    )
)]
#![forbid(unsafe_code)]
#![warn(clippy::must_use_candidate)]

mod apply;
mod compose;
mod conflict;
mod depth;
mod diff;
mod difference;
pub mod directive;
mod element;
mod error;
mod error_details;
mod go_text;
mod identity;
mod invert;
mod leftover;
mod observe;
mod order;
mod partial;
mod patch_map;
mod precondition;
mod register;
mod repeats;
mod skew;
mod strategy;
mod string_form;
mod three_way;
mod unions;
mod verbs;
mod versions;

pub use apply::{apply, apply_observed};
pub use conflict::{PatchChange, PatchConflict};
pub use diff::{DiffOptions, Emission};
pub use difference::ValueDifference;
pub use error::{MergeError, MergeErrorKind};
pub use error_details::ErrorDetails;
pub use invert::invert;
pub use leftover::take_out_merged;
pub use observe::{MergeEvent, Observer, Ordering, Removal, Replacement};
pub use precondition::{Precondition, SAME_OBJECT, check_preconditions};
pub use skew::{Skew, skew};
pub use three_way::{OnConflict, three_way, three_way_checked, three_way_conflicts};
pub use verbs::{compose, conflicts, diff};
pub use versions::VersionNodes;
