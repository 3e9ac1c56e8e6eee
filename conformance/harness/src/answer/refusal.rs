//! Error replies.

/// An error reply: a fault of the catalogue, or a request that cannot be carried out.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(super) kind: String,
    pub(super) message: String,
    pub(super) path: String,
}

impl Refusal {
    pub(super) fn new(kind: &str, message: impl Into<String>) -> Refusal {
        Refusal { kind: kind.into(), message: message.into(), path: String::new() }
    }

    pub(super) fn at(kind: &str, message: &str, path: &str) -> Refusal {
        Refusal { kind: kind.into(), message: message.into(), path: path.into() }
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Refusal {
        Refusal::new("bad-request", message)
    }
}
