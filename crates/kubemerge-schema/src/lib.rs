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

pub mod builtin;
mod changes;
pub mod check;
mod compile;
mod crd;
mod cursor;
mod error;
mod explain;
mod export;
mod find;
mod lookup;
mod model;
mod openapi;
mod openapi_v2;
mod openapi_v3;
pub mod overlay;
mod path;
mod place;
mod plain;
mod read;
mod rule;
mod schema;
mod stats;
mod terms;
mod view;

pub use changes::{RuleChange, changes};
pub use cursor::Type;
pub use error::{LoadError, LoadErrorKind, LookupError, LookupErrorKind};
pub use explain::{Explanation, FieldError, Merge};
pub use find::NameError;
pub use overlay::{Overlay, OverlayRule};
pub use rule::{Dialect, ItemStrategy, ListRule, ListStrategy, MapRule, MapStrategy, MergeKey};
pub use schema::{Schema, SchemaBuilder};
pub use stats::Stats;
pub use terms::{Column, ListType, MapType, Origin, Required, Shape};
pub use view::{Definition, Field, KindOf, Resource, Subresource};
