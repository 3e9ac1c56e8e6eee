//! What is between the socket and HTTP: nothing, or TLS.

#[cfg(feature = "tls")]
use crate::transport::tls::Identity;

/// Accepts connections.
pub(crate) enum Acceptor {
    Plain,
    #[cfg(feature = "tls")]
    Tls(Box<Identity>),
}

impl Acceptor {
    pub(crate) fn scheme(&self) -> &'static str {
        match self {
            Acceptor::Plain => "http",
            #[cfg(feature = "tls")]
            Acceptor::Tls(_) => "https",
        }
    }
}
