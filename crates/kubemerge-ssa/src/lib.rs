//! Server-side apply as Kubernetes does it: who owns which field, and what an apply makes of an object.
//!
//! For authors of API servers and of tools that work on `managedFields`; programs that only want the result of an
//! apply use `kubemerge::ServerSideApply`. A [`value::ParsedValue`] is a parsed object, a type of the schema says
//! which of its containers are atomic, granular, sets or keyed. [`fieldpath`] has sets of paths and their text form,
//! [`typed`] the operations on values of a type, and [`managed_fields`] everything Kubernetes puts around them.
//! [`managed_fields::apply`] and [`managed_fields::update`] are the two calls that servers need.
//!
//! The crate does no input or output and reads no clock: schema and time are arguments. It knows nothing of
//! HTTP and nothing of single kinds.
//!
//! ```
//! use kubemerge_ssa::fieldpath::{FieldOrder, FieldSet};
//! use kubemerge_ssa::managed_fields::{Conflicting, Endpoint, Live, ManagedFields, Time, Writer, apply};
//! use kubemerge_ssa::value::{Arena, ParsedValue};
//! use kubemerge_ssa::SameForm;
//!
//! let arena = Arena::new();
//! let versions = SameForm::schemaless();
//! let bare = ParsedValue::parse(br#"{"apiVersion": "example.com/v1", "kind": "Widget"}"#, &arena)?;
//! let nothing = FieldSet::new();
//! let endpoint = Endpoint {
//!     versions: &versions,
//!     api_version: "example.com/v1",
//!     kind: "Widget",
//!     subresource: "",
//!     reset_fields: &nothing,
//!     order: FieldOrder::Label,
//!     empty: bare,
//! };
//! let managed = ManagedFields::new();
//! let live = Live { object: bare, managed: &managed };
//! let config = br#"{"apiVersion": "example.com/v1", "kind": "Widget", "spec": {"size": 3}}"#;
//! let config = ParsedValue::parse(config, &arena)?;
//! let me = Writer { manager: "me", time: Some(Time(0)) };
//! let applied = apply(&endpoint, live, config, me, Conflicting::Refuse, &arena).unwrap();
//! assert_eq!(applied.managed.entries()[0].fields.as_str(), r#"{"f:spec":{".":{},"f:size":{}}}"#);
//! # Ok::<(), kubemerge_value::ParseError>(())
//! ```

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

pub mod fieldpath;
pub mod managed_fields;
pub mod typed;
pub mod unions;
mod update;
pub mod value;

pub use update::{ConversionError, SameForm, VersionConverter};
