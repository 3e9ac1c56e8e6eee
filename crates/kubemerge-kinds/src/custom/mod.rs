//! Custom resources: what their schemas may say, and what a schema does to every object.

pub mod default;
mod format;
pub mod jsonpath;
pub mod prune;
pub mod rules;
pub mod scale;
pub mod structural;
pub mod structure;
pub mod validate;
