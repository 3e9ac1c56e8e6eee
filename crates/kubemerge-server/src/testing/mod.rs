//! What tests ask for besides the API: faults, the request log, expectations.

pub(crate) mod expect;
pub(crate) mod fault;
pub(crate) mod log;
