//! Who sends a request: the user of a certificate, of a token, or the administrator where users are not distinguished.

use std::borrow::Cow;

use http::{HeaderMap, request::Parts};
use kubemerge_kinds::User;

use crate::{
    api::{
        openid::ISSUER,
        state::Api,
        subresource::token_claims::{self, TokenUser},
    },
    protocol::{
        peer::Peer,
        reason::Reason,
        status::{Failure, Outcome},
        target::Target,
    },
};

impl Api {
    /// Refuses a request without valid credentials, before anything is done for it.
    #[cfg(feature = "serve")]
    pub(crate) fn authenticate(&self, parts: &Parts) -> Outcome<()> {
        if is_public(&Target::of(parts.uri.path())) {
            return Ok(());
        }
        user_of(self, parts).map(drop)
    }
}

/// Upstream: whether the server works is told to all, so that probes need no token; single checks are not.
pub(super) fn is_public(target: &Target<'_>) -> bool {
    matches!(target, Target::Health(path) if !path.contains('/'))
}

/// The user of a request.
pub(super) fn user_of<'r>(api: &Api, parts: &'r Parts) -> Outcome<Cow<'r, User>> {
    let token = bearer_token(&parts.headers);
    if let Some(own) = &api.settings.token
        && !token.is_some_and(|given| is_same_secret(given, own))
    {
        return Err(unauthorized());
    }
    let peer = match parts.extensions.get::<Peer>() {
        None => return Ok(Cow::Borrowed(User::administrator())),
        Some(Peer::Certified(user)) => return Ok(Cow::Borrowed(user)),
        Some(peer) => peer,
    };
    match (peer, token) {
        (_, Some(_)) if api.settings.token.is_some() => Ok(Cow::Borrowed(User::administrator())),
        (_, Some(token)) => of_service_account(api, token).map(Cow::Owned).ok_or_else(unauthorized),
        (Peer::Refused, None) => Err(unauthorized()),
        (_, None) => Ok(Cow::Borrowed(User::anonymous())),
    }
}

fn of_service_account(api: &Api, token: &str) -> Option<User> {
    let TokenUser { user, audiences } = token_claims::user(&api.cluster, token).ok()?;
    audiences.iter().any(|one| one == ISSUER).then_some(user)
}

fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let given = headers.get(http::header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = given.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

fn unauthorized() -> Failure {
    Failure::new(401, Reason::Unauthorized, "Unauthorized")
}

/// Compares in constant time, so that the duration does not tell how much was right.
pub(super) fn is_same_secret(given: &str, secret: &str) -> bool {
    let differing = given.bytes().zip(secret.bytes()).fold(0, |seen, (a, b)| seen | (a ^ b));
    given.len() == secret.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_compared_as_a_whole() {
        assert!(is_same_secret("secret", "secret"));
        // The differences of the last are the same in both places, and must not cancel out.
        for (given, secret) in
            [("", "secret"), ("secre", "secret"), ("secrets", "secret"), ("Secret", "secret"), ("bb", "aa")]
        {
            assert!(!is_same_secret(given, secret), "{given} {secret}");
            assert!(!is_same_secret(secret, given), "{secret} {given}");
        }
    }

    #[test]
    fn only_bearer_tokens_are_tokens() {
        let token = |header: &'static str| {
            let value = http::HeaderValue::from_static(header);
            let headers = HeaderMap::from_iter([(http::header::AUTHORIZATION, value)]);
            bearer_token(&headers).map(str::to_owned)
        };
        for header in ["Bearer secret", "bearer secret", "BEARER  secret "] {
            assert_eq!(token(header).as_deref(), Some("secret"), "{header}");
        }
        for header in ["Basic secret", "Bearer", "secret", "Bearersecret"] {
            assert_eq!(token(header), None, "{header}");
        }
        assert_eq!(bearer_token(&HeaderMap::new()), None);
    }
}
