//! Reasons of failures: the word in a `Status` that clients decide by.

use std::fmt;

/// Why a request was refused, in the words of Kubernetes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// An error without API status; clients see `Unknown`.
    None,
    /// 400: the request cannot be understood.
    BadRequest,
    /// 401: the client is not known.
    Unauthorized,
    /// 403: the client must not do this.
    Forbidden,
    /// 404: there is no such object or path.
    NotFound,
    /// 405: the resource does not have this verb.
    MethodNotAllowed,
    /// 406: no form of the answer suits the client.
    NotAcceptable,
    /// 409: an object of this name exists.
    AlreadyExists,
    /// 409: the object is not in the expected state.
    Conflict,
    /// 410: the object is gone for good.
    Gone,
    /// 410: the resource version is too old.
    Expired,
    /// 413: the body is too large.
    RequestEntityTooLarge,
    /// 415: the body has an unknown format.
    UnsupportedMediaType,
    /// 422: the object breaks rules.
    Invalid,
    /// 429: the client should slow down.
    TooManyRequests,
    /// 500: the server failed.
    InternalError,
    /// 501: this server does not have the feature.
    NotImplemented,
    /// 503: the server cannot answer now.
    ServiceUnavailable,
    /// 500: the server could not finish in time, and may be asked again.
    ServerTimeout,
    /// 504: the request could not be finished in time.
    Timeout,
    /// Any other word, for failures that tests inject.
    Other(&'static str),
}

/// The words. Kubernetes names its reasons so in a `Status`.
const WORDS: [(Reason, &str); 20] = [
    (Reason::None, ""),
    (Reason::BadRequest, "BadRequest"),
    (Reason::Unauthorized, "Unauthorized"),
    (Reason::Forbidden, "Forbidden"),
    (Reason::NotFound, "NotFound"),
    (Reason::MethodNotAllowed, "MethodNotAllowed"),
    (Reason::NotAcceptable, "NotAcceptable"),
    (Reason::AlreadyExists, "AlreadyExists"),
    (Reason::Conflict, "Conflict"),
    (Reason::Gone, "Gone"),
    (Reason::Expired, "Expired"),
    (Reason::RequestEntityTooLarge, "RequestEntityTooLarge"),
    (Reason::UnsupportedMediaType, "UnsupportedMediaType"),
    (Reason::Invalid, "Invalid"),
    (Reason::TooManyRequests, "TooManyRequests"),
    (Reason::InternalError, "InternalError"),
    (Reason::NotImplemented, "NotImplemented"),
    (Reason::ServiceUnavailable, "ServiceUnavailable"),
    (Reason::ServerTimeout, "ServerTimeout"),
    (Reason::Timeout, "Timeout"),
];

impl Reason {
    /// The word in a `Status`; empty for [`Reason::None`].
    pub fn as_str(self) -> &'static str {
        if let Reason::Other(word) = self {
            return word;
        }
        WORDS.into_iter().find(|(reason, _)| *reason == self).map_or("", |(_, word)| word)
    }
}

/// The reason of a word, so that tests can inject failures as they read them in a `Status`.
impl From<&'static str> for Reason {
    fn from(word: &'static str) -> Self {
        WORDS.into_iter().find(|(_, known)| *known == word).map_or(Reason::Other(word), |(reason, _)| reason)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_names_of_their_reasons() {
        for (reason, word) in WORDS {
            assert_eq!(Reason::from(word), reason);
            assert_eq!(reason.as_str(), word);
            assert!(reason == Reason::None || format!("{reason:?}") == word, "{word}");
        }
        assert_eq!(Reason::from("Teapot").as_str(), "Teapot");
    }
}
