//! Tokens of service accounts: issued by `serviceaccounts/token`, known to TokenReview, and the user of requests where
//! clients are distinguished.
//!
//! They look like those of kube-apiserver and say the same, but are not signed: they tell who a client says it is,
//! and allow nothing that other clients may not do.

use std::collections::BTreeMap;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use serde_json::{Value, json};

use super::parent;
use crate::{
    api::openid::ISSUER,
    catalog::{cluster::Cluster, request_context::RequestContext},
    protocol::{
        json::{Members, tree},
        reply::Reply,
        status::{Outcome, Qualified, invalid},
    },
    store::metadata_field::Field,
    write::{
        decode::body,
        track::answer::{self, Answered},
    },
};
use kubemerge_kinds::{User, field_error::FieldError};

/// How long a token is valid unless the request says otherwise.
const DEFAULT_SECONDS: i64 = 3600;
const MIN_SECONDS: i64 = 600;
const MAX_SECONDS: i64 = 1 << 32;

const API_VERSION: &str = "authentication.k8s.io/v1";
const KIND: &str = "TokenRequest";

/// What comes in place of a signature.
const UNSIGNED: &str = "unsigned";

/// Issues a token for the service account in the path.
pub(super) fn handle(call: &RequestContext<'_>) -> Outcome<Reply> {
    let account = parent(call)?;
    let request = tree(&body::canonical_body(call)?);
    let mut spec = request.get("spec").filter(|spec| spec.is_object()).cloned().unwrap_or(json!({}));
    let seconds = spec.member("expirationSeconds").as_i64().unwrap_or(DEFAULT_SECONDS);
    check_duration(seconds)?;
    let entries = entries(call, &spec, seconds);
    if spec.member("audiences").as_array().is_none_or(Vec::is_empty) {
        spec.set_member("audiences", json!([ISSUER]));
    }
    spec.set_member("expirationSeconds", json!(seconds));
    // Typed form: the reference is written even if it is absent.
    spec.set_member("boundObjectRef", spec.get("boundObjectRef").cloned().unwrap_or_default());
    let now = call.cluster.clock.now();
    let (uid, created) = (account.uid(), account.metadata(Field::CreationTimestamp).map(tree));
    let claims = json!({
        "aud": spec.member("audiences"), "exp": now.plus(seconds).seconds(), "iat": now.seconds(), "iss": ISSUER,
        "jti": call.cluster.entropy.uid(), "nbf": now.seconds(),
        "kubernetes.io": {"namespace": call.namespace(), "serviceaccount": {"name": call.name(), "uid": uid}},
        "sub": user_name(call.namespace(), call.name()),
    });
    let mut answer = json!({"kind": KIND, "apiVersion": API_VERSION,
        "metadata": {"name": call.name(), "namespace": call.namespace(), "uid": uid, "creationTimestamp": created},
        "spec": spec,
        "status": {"token": text(&claims), "expirationTimestamp": now.plus(seconds).to_string()}});
    if let Some(entries) = entries {
        answer.member_mut("metadata").set_member("managedFields", entries);
    }
    Ok(Reply::value(201, &answer))
}

/// The entries of a request: what it says, and its duration, which has a default.
fn entries(call: &RequestContext<'_>, spec: &Value, seconds: i64) -> Option<Value> {
    let member = |name: &str| spec.get(name).cloned().unwrap_or_default();
    let request =
        |spec: Value| json!({"kind": KIND, "apiVersion": API_VERSION, "metadata": {}, "spec": spec});
    let empty = request(json!({"audiences": null, "expirationSeconds": null, "boundObjectRef": null}));
    let (audiences, object) = (member("audiences"), member("boundObjectRef"));
    let mut given =
        request(json!({"audiences": audiences, "expirationSeconds": seconds, "boundObjectRef": object}));
    let answered = Answered { api_version: API_VERSION, kind: KIND, subresource: "token", empty: &empty };
    answer::set_entries(call, &answered, &mut given);
    given.get_mut("metadata")?.get_mut("managedFields").map(Value::take)
}

fn check_duration(seconds: i64) -> Outcome<()> {
    let why = match seconds {
        ..MIN_SECONDS => "may not specify a duration less than 10 minutes",
        _ if seconds > MAX_SECONDS => "may not specify a duration larger than 2^32 seconds",
        _ => return Ok(()),
    };
    let error = FieldError::invalid("spec.expirationSeconds", &seconds.into(), why);
    Err(invalid(Qualified { group: "authentication.k8s.io", name: KIND }, "", &[error]))
}

fn user_name(namespace: &str, name: &str) -> String {
    format!("system:serviceaccount:{namespace}:{name}")
}

fn text(claims: &Value) -> String {
    let encoded = |value: &Value| BASE64.encode(value.to_string());
    format!("{}.{}.{UNSIGNED}", encoded(&json!({"alg": "none"})), encoded(claims))
}

/// What a valid token says: the user, and whom the token is for.
pub(crate) struct TokenUser {
    pub(crate) user: User,
    pub(crate) audiences: Vec<String>,
}

/// The user of a token that this server has issued and that is still valid.
pub(crate) fn user(cluster: &Cluster, token: &str) -> Option<TokenUser> {
    let payload = token.strip_suffix(UNSIGNED)?.strip_suffix('.')?.split_once('.')?.1;
    let claims: Value = serde_json::from_slice(&BASE64.decode(payload).ok()?).ok()?;
    let word = |pointer: &str| claims.pointer(pointer).and_then(Value::as_str);
    let (namespace, name) = (word("/kubernetes.io/namespace")?, word("/kubernetes.io/serviceaccount/name")?);
    let (uid, id) = (word("/kubernetes.io/serviceaccount/uid")?, word("/jti")?);
    // A token ends with its account, even if another one has the same name now.
    let account = cluster.store.get(&format!("/serviceaccounts/{namespace}/{name}"))?;
    let is_same = account.record.uid() == uid;
    let is_current = claims.member("exp").as_i64()? > cluster.clock.now().seconds();
    let audiences =
        claims.member("aud").as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let groups = vec![
        "system:serviceaccounts".to_owned(),
        format!("system:serviceaccounts:{namespace}"),
        "system:authenticated".to_owned(),
    ];
    let extra = BTreeMap::from([(User::CREDENTIAL_ID.to_owned(), vec![format!("JTI={id}")])]);
    let user = User { name: user_name(namespace, name), uid: uid.to_owned(), groups, extra };
    (is_same && is_current).then_some(TokenUser { user, audiences })
}
