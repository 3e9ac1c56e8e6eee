//! Server-side apply as Kubernetes does it.

pub mod fieldpath;
pub mod managed_fields;
pub mod typed;
mod update;
pub mod value;

pub use update::{ConversionError, SameForm, Versions};
