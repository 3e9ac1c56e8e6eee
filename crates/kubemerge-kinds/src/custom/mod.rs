//! Custom resources: what their schemas may say, and what a schema does to every object.

pub mod approval;
pub mod check;
pub mod correlation;
mod decode;
pub mod default;
pub mod definition;
pub mod embedded;
pub mod field_path;
pub(crate) mod format;
pub mod jsonpath;
mod list_type;
pub mod metadata;
pub mod names;
pub mod prune;
pub mod rules;
pub mod scale;
pub mod validate;

pub use decode::decode;
