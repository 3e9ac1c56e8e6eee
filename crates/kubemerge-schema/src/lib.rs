//! How every field of a Kubernetes object merges.
//!
//! Documents go in (OpenAPI v2 and v3, custom resource definitions, built-in tables), rules come out: a
//! [`SchemaBuilder`] loads, [`SchemaBuilder::compile`] makes a [`Schema`] for one [`Dialect`], and a
//! [`Type`] walks it, answering for each field how a map or a list there merges.
//!
//! ```
//! use kubemerge_schema::{Dialect, ListStrategy, SchemaBuilder};
//! use serde_json::json;
//!
//! let document = json!({"components": {"schemas": {"Pod": {"type": "object", "properties": {
//!     "containers": {
//!         "type": "array",
//!         "items": {"type": "object", "properties": {"name": {"type": "string"}}},
//!         "x-kubernetes-patch-strategy": "merge",
//!         "x-kubernetes-patch-merge-key": "name",
//!     },
//! }}}}});
//! let schema = SchemaBuilder::new().openapi_v3(&document)?.compile(Dialect::Upstream)?;
//! let rule = schema.definition("Pod").unwrap().list_field("containers").unwrap();
//! assert!(matches!(rule.strategy, ListStrategy::Keyed([key]) if key.name == "name"));
//! # Ok::<(), kubemerge_schema::LoadError>(())
//! ```
//!
//! The crate does no input or output: callers parse JSON or YAML and hand over values.

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

mod builder;
pub mod builtin;
pub mod check;
mod compile;
mod document;
mod error;
mod explain;
mod export;
mod load;
mod lookup;
mod model;
pub mod overlay;
mod ownership;
pub mod pattern;
mod releases;
mod schema;
mod stats;

pub use builder::SchemaBuilder;
pub use compile::{Alternative, Dialect, GoKind, GoValue, StructId, ValueId};
pub use compile::{ItemStrategy, ListStrategy, MapStrategy, MergeKey};
pub use document::kubernetes_version;
pub use error::{LoadError, LoadErrorKind, LookupError, LookupErrorKind};
pub use explain::{ExplainError, FieldExplanation, Merge, RuleChange, changes};
pub use lookup::{ListRule, MapRule};
pub use model::{Column, ListType, MapType, Origin, Pattern, Required, Shape, StrategicPatch, ValueChecks};
pub use overlay::{Overlay, OverlayRule};
pub use ownership::{ListForm, ListItems, ListKey, MapEntries, MapForm, ScalarType, TypeRef};
pub use schema::unions;
pub use schema::unions::{
    Excluded, FieldUnion, UnionFault, UnionMember, UnionState, UnionValue, UnionViolation, Unions,
};
pub use schema::{
    Additional, Declared, DeclaredField, DeclaredType, Definition, GoField, GoStruct, GoTypes, KindOf,
    NameError, Resource, Schema, Subresource, Type, ValueType, ValueTypeId,
};
pub use stats::Stats;
