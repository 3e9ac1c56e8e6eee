//! How requests arrive: in process, or through a listener.

#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod service;
