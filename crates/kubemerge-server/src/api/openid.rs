//! Who issues the tokens of service accounts.
//!
//! Tokens of this server are not signed, so that there is no key to verify them with; TokenReview knows them.

use http::{HeaderMap, header::HOST};
use serde_json::json;

use crate::protocol::reply::Reply;

/// Whom tokens are from, and for.
pub(crate) const ISSUER: &str = "https://kubernetes.default.svc";

/// `/.well-known/openid-configuration`.
pub(crate) fn configuration(headers: &HeaderMap) -> Reply {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let document = json!({"issuer": ISSUER, "jwks_uri": format!("https://{host}/openid/v1/jwks"),
        "response_types_supported": ["id_token"], "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": []});
    Reply::value(200, &document).header("cache-control", "public, max-age=3600")
}

/// `/openid/v1/jwks`.
pub(crate) fn keys() -> Reply {
    Reply::bytes(200, "application/jwk-set+json", r#"{"keys":[]}"#)
        .header("cache-control", "public, max-age=3600")
}
