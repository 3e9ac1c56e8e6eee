//! How stored objects are selected and shown.

pub(crate) mod present;
pub(crate) mod selector;
pub(crate) mod table;
