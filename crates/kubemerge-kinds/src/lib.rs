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

pub mod admission;
mod admit;
pub mod columns;
pub mod custom;
pub mod declared;
pub mod groups;
mod object;
pub mod registry;
mod rules;
mod text;

pub use admit::{Admitted, BuiltinKind, FoundKind, Refusal, admit, admit_update, admit_with_warnings};
pub use kubemerge_value::{base64_bytes, format, timestamp, tree};
pub use object::{duplicate_fields, ordered_json, typed, unknown_fields, user::User};
pub use registry::{reset_fields, strategy};
pub(crate) use rules::x509;
pub use rules::{disruption, field, field_error, meta, namespaces};
pub use text::{document_path, field_selector, go_text, label_selector, selector_error};
