//! How requests arrive: in process, or through a listener.

#[cfg(feature = "serve")]
mod acceptor;
#[cfg(feature = "serve")]
pub(crate) mod access_log;
#[cfg(feature = "tls")]
mod any_certificate;
#[cfg(feature = "tls")]
mod client_certificate;
#[cfg(feature = "serve")]
mod connection;
#[cfg(all(test, feature = "serve"))]
mod connection_tests;
#[cfg(feature = "serve")]
mod effort;
#[cfg(feature = "serve")]
mod event_expiry;
#[cfg(feature = "serve")]
mod gate;
#[cfg(feature = "tls")]
pub(crate) mod given_certificate;
#[cfg(feature = "serve")]
mod guard;
#[cfg(feature = "serve")]
mod idle;
#[cfg(feature = "serve")]
mod in_memory;
#[cfg(feature = "serve")]
mod intake;
#[cfg(feature = "serve")]
mod kubeconfig;
#[cfg(feature = "serve")]
mod limits;
#[cfg(feature = "serve")]
pub(crate) mod listener;
#[cfg(feature = "serve")]
pub(crate) mod options;
#[cfg(feature = "serve")]
mod recovery;
#[cfg(feature = "serve")]
mod request_labels;
pub(crate) mod service;
#[cfg(feature = "serve")]
mod streams;
#[cfg(feature = "serve")]
mod timeouts;
#[cfg(feature = "tls")]
mod tls;
#[cfg(feature = "serve")]
mod unsent;
