//! What the connection of a request tells about its client.

use std::sync::Arc;

use kubemerge_kinds::User;

/// The client at the other end of a connection whose certificate was asked for. It is an extension of requests; those
/// without it come from clients that are not distinguished.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "tls"), allow(dead_code, reason = "only TLS tells clients apart"))]
pub(crate) enum Peer {
    /// It has shown no certificate, or one without a name.
    Unnamed,
    /// Its certificate is one of the authority.
    Certified(Arc<User>),
    /// Its certificate is not one of the authority, or not valid now.
    Refused,
}
