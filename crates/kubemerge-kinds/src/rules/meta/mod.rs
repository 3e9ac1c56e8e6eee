//! Metadata that all kinds share: names, labels, annotations, owners, finalizers, and what may change.

mod conditions;
pub mod fields;
mod name;
mod object_meta;
mod scope;
mod selector;

pub use conditions::conditions;
pub use name::NameRule;
pub use object_meta::{
    annotations, immutable_metadata, labels, metadata_errors, validate_metadata, validate_metadata_update,
};
pub(crate) use object_meta::{generic_metadata, generic_metadata_update, is_standard_finalizer};
pub use scope::Scope;
pub use selector::{Selector, is_empty_selector, label_selector, selector_matches};
