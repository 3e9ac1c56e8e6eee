//! How stored objects are selected and shown.

pub(crate) mod list_text;
pub(crate) mod present;
pub(crate) mod selection;
pub(crate) mod table;
