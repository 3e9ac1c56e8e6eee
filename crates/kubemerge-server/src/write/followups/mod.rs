//! What follows from a write once it is stored, done once per request: garbage collection and what controllers of the
//! API server do.

pub(crate) mod collector;
pub(crate) mod controller_status;
pub(crate) mod quota_status;
#[cfg(feature = "serve")]
pub(crate) mod recovery;
