//! What Kubernetes knows about its own kinds, and what a schema declares about others, without HTTP and without a store.
//!
//! Everything here is a pure function of a schema and objects, so that the library, the command and the API
//! server share it. Facts that only a store has (which addresses are taken, which namespaces exist) are
//! arguments.
//!
//! ```
//! use kubemerge_schema::{Dialect, Schema};
//!
//! let schema = Schema::builtin("1.37", Dialect::Upstream)?;
//! let pod = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[]}}"#;
//! let refusal = kubemerge_kinds::admit(&schema, pod).unwrap_err();
//! assert_eq!(refusal.to_string(), "spec.containers: Required value");
//! # Ok::<(), kubemerge_schema::LoadError>(())
//! ```
//!
//! The feature `cel` evaluates the rules of custom resources (`x-kubernetes-validations`); without it a server refuses
//! objects with rules, and [`admit()`] leaves the rules out. In WebAssembly no expression is read.
//!
//! [`admit()`] answers what the API server would store of an object, or all field errors. The way there: [`typed`]
//! reads text into a [`tree`], [`groups`] has the rules of each kind, which fill in defaults and walk the
//! object with a [`field::Field`].

pub mod admission;
mod admissionregistration;
mod admit;
mod apiextensions;
mod apiregistration;
mod apiserverinternal;
mod apps;
mod authentication;
mod authorization;
mod autoscaling;
mod batch;
mod certificates;
pub mod columns;
mod coordination;
mod core;
pub mod custom;
pub mod declared;
mod discovery;
pub mod disruption;
pub mod document_path;
pub mod duplicate_fields;
mod events;
pub mod field;
pub mod field_error;
pub mod field_selector;
mod flowcontrol;
mod go_json;
pub mod go_text;
pub mod groups;
pub mod label_selector;
mod lifecycle;
pub mod meta;
pub mod namespaces;
mod networking;
mod node;
pub mod ordered_json;
mod policy;
mod rbac;
pub mod registry;
mod resource;
mod scheduling;
mod storage;
mod storagemigration;
pub mod typed;
pub mod unknown_fields;
mod user;

pub use admit::{BuiltinKind, FoundKind, Refusal, admit, admit_update};
pub use kubemerge_value::{format, octets, timestamp, tree};
pub use registry::{reset_fields, strategy};
pub use user::User;
