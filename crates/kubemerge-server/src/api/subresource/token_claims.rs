//! What a token of a service account says, and whether it is still valid: known to TokenReview, and the user of requests
//! where clients are distinguished.

use std::collections::BTreeMap;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use kubemerge_kinds::{User, timestamp::Timestamp};
use serde_json::{Value, json};

use crate::{
    catalog::cluster::Cluster,
    protocol::{
        json::Members,
        status::{Qualified, not_found},
    },
    store::{Record, metadata_field::Field},
};

/// What comes in place of a signature.
const UNSIGNED: &str = "unsigned";

/// How long clocks may differ, in seconds: a token and its objects end that much later.
const LEEWAY: i64 = 60;

const INVALIDATED: &str = "service account token has been invalidated";

/// A kind of objects that tokens are bound to.
pub(super) struct BoundKind {
    pub(super) kind: &'static str,
    pub(super) plural: &'static str,
    claim: &'static str,
    is_namespaced: bool,
}

/// The order is that in which a token is checked.
pub(super) const BOUND_KINDS: [BoundKind; 3] = [
    BoundKind { kind: "Secret", plural: "secrets", claim: "secret", is_namespaced: true },
    BoundKind { kind: "Pod", plural: "pods", claim: "pod", is_namespaced: true },
    BoundKind { kind: "Node", plural: "nodes", claim: "node", is_namespaced: false },
];

impl BoundKind {
    /// The key of an object of the kind.
    pub(super) fn key(&self, namespace: &str, name: &str) -> String {
        if self.is_namespaced {
            format!("/{}/{namespace}/{name}", self.plural)
        } else {
            format!("/{}/{name}", self.plural)
        }
    }
}

/// An object that a token is bound to.
pub(super) struct Binding {
    pub(super) kind: &'static str,
    claim: &'static str,
    name: String,
    uid: String,
}

impl Binding {
    pub(super) fn to(bound: &BoundKind, name: &str, uid: &str) -> Binding {
        Binding { kind: bound.kind, claim: bound.claim, name: name.to_owned(), uid: uid.to_owned() }
    }

    /// Writes the object into the claims of a token.
    pub(super) fn write(&self, claims: &mut Value) {
        let mut object = json!({"name": self.name});
        if !self.uid.is_empty() {
            object.set_member("uid", self.uid.as_str().into());
        }
        claims.set_member(self.claim, object);
    }
}

/// The user that a service account is.
pub(super) fn user_name(namespace: &str, name: &str) -> String {
    format!("system:serviceaccount:{namespace}:{name}")
}

/// A token with these claims.
pub(super) fn text(claims: &Value) -> String {
    let encoded = |value: &Value| BASE64.encode(value.to_string());
    format!("{}.{}.{UNSIGNED}", encoded(&json!({"alg": "none"})), encoded(claims))
}

/// What a valid token says: the user, and whom the token is for.
pub(crate) struct TokenUser {
    pub(crate) user: User,
    pub(crate) audiences: Vec<String>,
}

/// Why a token is refused.
pub(crate) enum Refusal {
    /// It is none of this server.
    Unknown,
    /// It was issued here, and is not valid any more.
    Ended(String),
}

/// The user of a token that this server has issued and that is still valid.
pub(crate) fn user(cluster: &Cluster, token: &str) -> Result<TokenUser, Refusal> {
    let claims = claims_of(token).ok_or(Refusal::Unknown)?;
    let token = Claims::read(&claims).ok_or(Refusal::Unknown)?;
    token.check(cluster).map_err(Refusal::Ended)?;
    let groups = vec![
        "system:serviceaccounts".to_owned(),
        format!("system:serviceaccounts:{}", token.namespace),
        "system:authenticated".to_owned(),
    ];
    let user = User {
        name: user_name(token.namespace, token.account.name),
        uid: token.account.uid.to_owned(),
        groups,
        extra: token.extra(),
    };
    let audiences = claims.member("aud").as_array().into_iter().flatten();
    Ok(TokenUser { user, audiences: audiences.filter_map(Value::as_str).map(str::to_owned).collect() })
}

fn claims_of(token: &str) -> Option<Value> {
    let payload = token.strip_suffix(UNSIGNED)?.strip_suffix('.')?.split_once('.')?.1;
    serde_json::from_slice(&BASE64.decode(payload).ok()?).ok()
}

/// An object in the claims of a token.
#[derive(Clone, Copy)]
struct Named<'c> {
    name: &'c str,
    uid: &'c str,
}

impl<'c> Named<'c> {
    fn read(object: &'c Value) -> Option<Named<'c>> {
        let uid = object.member("uid").as_str().unwrap_or_default();
        Some(Named { name: object.member("name").as_str()?, uid })
    }
}

/// The claims of a token, as far as they are of use.
struct Claims<'c> {
    id: &'c str,
    expires: i64,
    namespace: &'c str,
    account: Named<'c>,
    own: &'c Value,
}

impl<'c> Claims<'c> {
    fn read(claims: &'c Value) -> Option<Claims<'c>> {
        let own = claims.member("kubernetes.io");
        Some(Claims {
            id: claims.member("jti").as_str()?,
            expires: claims.member("exp").as_i64()?,
            namespace: own.member("namespace").as_str()?,
            account: Named::read(own.member("serviceaccount"))?,
            own,
        })
    }

    fn bound(&self, bound: &BoundKind) -> Option<Named<'c>> {
        Named::read(self.own.member(bound.claim))
    }

    /// A token ends with its account and with what it is bound to, even if others have the same names now.
    fn check(&self, cluster: &Cluster) -> Result<(), String> {
        let now = cluster.clock.now();
        if self.expires + LEEWAY < now.seconds() {
            return Err("service account token has expired".to_owned());
        }
        self.check_account(cluster, now)?;
        let is_of_pod = !self.own.member("pod").is_null();
        for bound in &BOUND_KINDS {
            // The node of a pod is only told.
            let is_told = bound.kind == "Node" && is_of_pod;
            if let Some(named) = self.bound(bound).filter(|_| !is_told) {
                self.check_bound(cluster, now, bound, named)?;
            }
        }
        Ok(())
    }

    fn check_account(&self, cluster: &Cluster, now: Timestamp) -> Result<(), String> {
        let (namespace, Named { name, uid }) = (self.namespace, self.account);
        let accounts = Qualified { group: "", name: "serviceaccounts" };
        let account = cluster.store.get(&format!("/serviceaccounts/{namespace}/{name}"));
        let account = account.ok_or_else(|| not_found(accounts, name).message().to_owned())?.record;
        let own = account.uid();
        if own != uid {
            return Err(format!("service account UID ({own}) does not match claim ({uid})"));
        }
        if is_gone(&account, now) {
            return Err(format!("service account {namespace}/{name} has been deleted"));
        }
        Ok(())
    }

    fn check_bound(
        &self,
        cluster: &Cluster,
        now: Timestamp,
        bound: &BoundKind,
        Named { name, uid }: Named<'_>,
    ) -> Result<(), String> {
        let object = cluster.store.get(&bound.key(self.namespace, name));
        let object = object.ok_or(INVALIDATED)?.record;
        let own = object.uid();
        if own != uid {
            let what = bound.claim;
            return Err(format!(
                "{what} UID ({own}) does not match service account {what} ref claim ({uid})"
            ));
        }
        if is_gone(&object, now) { Err(INVALIDATED.to_owned()) } else { Ok(()) }
    }

    /// What the user of the token is known by besides its name.
    fn extra(&self) -> BTreeMap<String, Vec<String>> {
        let mut extra = BTreeMap::from([(User::CREDENTIAL_ID.to_owned(), vec![format!("JTI={}", self.id)])]);
        for bound in BOUND_KINDS.iter().filter(|bound| bound.kind != "Secret") {
            let Some(Named { name, uid }) = self.bound(bound) else { continue };
            for (part, value) in [("name", name), ("uid", uid)] {
                if !value.is_empty() {
                    let key = format!("authentication.kubernetes.io/{}-{part}", bound.claim);
                    extra.insert(key, vec![value.to_owned()]);
                }
            }
        }
        extra
    }
}

/// Whether an object was to be gone some time ago.
fn is_gone(object: &Record, now: Timestamp) -> bool {
    let end = object.metadata_text(Field::DeletionTimestamp);
    Timestamp::parse(&end).is_some_and(|end| now.since(end) > LEEWAY)
}
