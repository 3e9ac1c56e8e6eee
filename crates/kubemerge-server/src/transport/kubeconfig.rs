//! The kubeconfig that leads to a listener.

use serde_json::{Value, json};

use super::acceptor::Acceptor;
use crate::protocol::json::Members;

/// A kubeconfig with one cluster, one user and one context, as YAML that is also JSON.
pub(super) fn text(url: &str, token: Option<&str>, acceptor: &Acceptor) -> String {
    let (mut cluster, mut user) = (json!({"server": url}), json!({}));
    if url.starts_with("http://") {
        // The JavaScript client uses HTTP only with this setting.
        cluster.set_member("insecure-skip-tls-verify", true.into());
    }
    if let Some(token) = token {
        user.set_member("token", token.into());
    }
    add_certificates(acceptor, &mut cluster, &mut user);
    if url.starts_with("https://") && user == json!({}) {
        // Without any credential kubectl asks for a user name. The server does not check this one.
        user.set_member("token", "unchecked".into());
    }
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "kubemerge", "cluster": cluster}],
        "users": [{"name": "kubemerge", "user": user}],
        "contexts": [{"name": "kubemerge", "context": {"cluster": "kubemerge", "user": "kubemerge"}}],
        "current-context": "kubemerge",
    });
    format!("{config:#}\n")
}

#[cfg(feature = "tls")]
fn add_certificates(acceptor: &Acceptor, cluster: &mut Value, user: &mut Value) {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let Acceptor::Tls(identity) = acceptor else { return };
    cluster["certificate-authority-data"] = STANDARD.encode(identity.authority()).into();
    if let Some((certificate, key)) = identity.client() {
        user["client-certificate-data"] = STANDARD.encode(certificate).into();
        user["client-key-data"] = STANDARD.encode(key).into();
    }
}

#[cfg(not(feature = "tls"))]
fn add_certificates(_: &Acceptor, _: &mut Value, _: &mut Value) {}
