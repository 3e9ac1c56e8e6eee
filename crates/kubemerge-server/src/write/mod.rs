//! How objects get into the store: one sequence from the text of a request to what follows from the write.

pub(crate) mod admit;
pub(crate) mod collector;
pub(crate) mod commit;
pub(crate) mod decode;
pub(crate) mod defaults;
pub(crate) mod definition;
pub(crate) mod definition_names;
pub(crate) mod fields;
pub(crate) mod ledger;
pub(crate) mod namespace;
pub(crate) mod strategy;
