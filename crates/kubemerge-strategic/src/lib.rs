//! Strategic merge patch as Kubernetes does it.
//!
//! [`apply`] merges a patch into a document, guided by the rules of a compiled schema. The dialect is that of
//! the schema: `upstream` does exactly what Kubernetes 1.37 does, `spec` what its design documents promise.
//! [`diff`] makes a patch from two documents, [`conflicts`] tells what two patches disagree about.
//!
//! This crate reads no schema documents and does no input or output.

mod apply;
mod compose;
mod conflict;
mod depth;
mod diff;
mod difference;
pub mod directive;
mod element;
mod error;
mod go_text;
mod identity;
mod invert;
mod observe;
mod order;
mod partial;
mod patch_map;
mod precondition;
mod register;
mod repeats;
mod skew;
mod spec_diff;
mod strategy;
mod string_form;
mod three_way;
mod verbs;
mod versions;

pub use apply::{apply, apply_observed};
pub use conflict::{PatchChange, PatchConflict};
pub use diff::{DiffOptions, Emission};
pub use difference::ValueDifference;
pub use error::{MergeError, MergeErrorKind};
pub use invert::invert;
pub use observe::{MergeEvent, Observer, Ordering, Removal, Replacement};
pub use precondition::{Precondition, SAME_OBJECT, check_preconditions};
pub use skew::{Skew, skew};
pub use three_way::{OnConflict, three_way, three_way_checked, three_way_conflicts};
pub use verbs::{compose, conflicts, diff};
pub use versions::VersionNodes;
