//! How requests arrive: in process, or through a listener.

#[cfg(feature = "serve")]
mod acceptor;
#[cfg(feature = "serve")]
mod kubeconfig;
#[cfg(feature = "serve")]
pub(crate) mod listener;
pub(crate) mod service;
#[cfg(feature = "tls")]
mod tls;
