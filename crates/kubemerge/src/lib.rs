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
//! A [`Patch`] is a strategic merge patch, a JSON merge patch, a JSON patch or a server-side apply. A [`Schema`] says how fields
//! merge, in a dialect: [`Dialect::Upstream`] is exactly Kubernetes 1.37, bug for bug, with an error where it
//! crashes; [`Dialect::Spec`] is what Kubernetes' design documents promise; [`Dialect::Kustomize`] applies patches
//! as kustomize does. Every verb takes
//! documents in any form ([`Object`]: bytes, text, YAML, [`Canonical`] bytes, `serde_json` values, own types), each in
//! one of its own, and answers in the same form. An [`Error`] has a kind, a path, Kubernetes' own message, a hint, and the status
//! that an API server answers with.
//!
//! | verb | answers |
//! |---|---|
//! | [`apply`] | what is the patched object? |
//! | [`apply_in_place`] | the same, in the place of the object |
//! | [`diff`] | which patch makes one of the other? |
//! | [`convert`] | which patch of another type does the same? |
//! | [`compose`] | which patch does what these do in turn? |
//! | [`invert`] | which patch takes it back? |
//! | [`three_way`] | which patch brings the object on the server to the wanted state? |
//! | [`json_three_way`](json_three_way()) | the same, for an object without a schema |
//! | [`kubectl_apply`](kubectl_apply()) | what does `kubectl apply` do, last applied configuration included? |
//! | [`conflicts`] | what did both sides change? |
//! | [`admit`](admit()) | what does the API server store of a new object, or why does it refuse it? |
//! | [`admit_update`] | the same, for an object that replaces another one |
//! | [`ServerSideApply`] | what does a server-side apply do, to the object and to the owners of its fields? |
//! | [`owners`], [`owners_of`] | which manager owns which field? |
//!
//! # Features
//!
//! | feature | for |
//! |---|---|
//! | `kube` | a [`Patch`] from and to `kube::api::Patch` |
//! | `json-patch` | a [`Patch`] from and to `json_patch::Patch` |
//!
//! Nothing here does input or output, or reads a clock. The crates below this one (`kubemerge-schema` and others) are
//! internal: any release may change them.

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

mod admit;
mod applier;
mod apply;
mod compose;
mod diff;
mod error;
#[cfg(feature = "json-patch")]
mod from_json_patch;
#[cfg(feature = "kube")]
mod from_kube;
mod json_diff;
mod json_patch;
mod json_three_way;
mod kubectl_apply;
mod merge_compose;
mod merge_diff;
mod merge_patch;
mod object;
mod ownership;
mod patch;
mod patch_body;
mod patch_serde;
mod rule_source;
mod server_side_apply;
mod three_way;

pub use admit::{admit, admit_update};
pub use applier::Applier;
#[doc(hidden)]
pub use apply::apply_node;
pub use apply::{apply, apply_in_place};
pub use compose::compose;
pub use diff::{Target, convert, diff, invert};
pub use error::{Error, ErrorKind};
pub use json_diff::Tests;
pub use json_patch::{MAX_COPY_BYTES, MAX_OPERATIONS};
pub use json_three_way::json_three_way;
pub use kubectl_apply::{KubectlApplied, LAST_APPLIED, MAX_ANNOTATION_BYTES, kubectl_apply};
pub use kubemerge_kinds::{Refusal, field::FieldError, typed::DecodeError};
pub use kubemerge_schema::{Dialect, LoadError, LoadErrorKind, Overlay, OverlayRule, Schema, SchemaBuilder};
pub use kubemerge_ssa::managed_fields::{
    ApplyError, Conflicts, Effect, ManagerConflict, ManagerId, Operation, OwnedField, PlannedField, Time,
};
pub use kubemerge_ssa::typed::{ValidationError, ValidationErrors};
pub use kubemerge_strategic::{ErrorDetails, MergeErrorKind, Precondition, SAME_OBJECT};
pub use kubemerge_value::{Canonical, ParseError, Side};
pub use object::{Object, Typed, Yaml};
pub use ownership::{owners, owners_of};
pub use patch::{Patch, PatchType};
pub use patch_body::PatchBody;
pub use rule_source::RuleSource;
pub use server_side_apply::{ServerSideApplied, ServerSideApply};
pub use three_way::{Change, Conflict, OnConflict, Versions, conflicts, three_way};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
