//! Deleting objects: what a deletion waits for, and kinds of which the content is deleted first.

pub(crate) mod definition_deletion;
pub(crate) mod delete;
pub(crate) mod delete_options;
pub(crate) mod namespace_deletion;
