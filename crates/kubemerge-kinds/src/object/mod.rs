//! Objects as they come in: their typed form, what their text has twice or beyond their type, and who sends them.

pub mod duplicate_fields;
pub mod ordered_json;
pub mod typed;
pub mod unknown_fields;
pub(crate) mod user;
