//! Texts that need neither a kind nor a schema: selectors, paths, and texts as Go prints and refuses them.

pub mod document_path;
pub mod field_selector;
pub(crate) mod go_json;
pub mod go_text;
pub mod label_selector;
pub(crate) mod message_error;
pub mod selector_error;
