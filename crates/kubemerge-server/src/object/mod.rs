//! API objects while a request is processed: trees, between the text of a body and the text of a record.

pub(crate) mod draft;
pub(crate) mod edit;
pub(crate) mod kept;
