//! `serviceaccounts/token`: issues tokens of service accounts.
//!
//! They look like those of kube-apiserver and say the same, but are not signed: they tell who a client says it is,
//! and allow nothing that other clients may not do. `token_claims` reads them.

use kubemerge_kinds::{
    BuiltinKind,
    field_error::FieldError,
    timestamp::Timestamp,
    tree::{Arena, Map},
};
use kubemerge_value::Canonical;
use serde_json::{Value, json};

use super::{
    parent,
    token_claims::{self, Binding},
    typed_body::{self, KindName},
};
use crate::{
    api::openid::ISSUER,
    catalog::request_context::RequestContext,
    kind::{Kind, decode_complete},
    protocol::{
        json::{Members, tree},
        reply::Reply,
        status::{Outcome, Qualified, bad_request, conflict, invalid, no_such_path, not_found},
    },
    store::{Record, metadata_field::Field},
    write::{
        decode::{GivenType, body, other_kind, precondition::check_namespace},
        track::answer::{self, Answered},
    },
};

const API_VERSION: &str = "authentication.k8s.io/v1";
const KIND: Qualified<'static> = Qualified { group: "authentication.k8s.io", name: "TokenRequest" };

/// The duration for which kubelets ask. Upstream: such a token of a pod is valid for a year, and only warns before.
const WARNED_SECONDS: i64 = 3607;
const EXTENDED_SECONDS: i64 = 365 * 24 * 3600;

/// Issues a token for the service account in the path.
pub(super) fn handle(call: &RequestContext<'_>) -> Outcome<Reply> {
    let body = body::canonical_body(call)?;
    let kind = BuiltinKind::find(&call.cluster.schema, API_VERSION, KIND.name).ok_or_else(no_such_path)?;
    check_type(call, &body)?;
    let (arena, name) = (Arena::new(), KindName { kind: KIND.name, version: "v1" });
    let typed = typed_body::decode(call, name, kind, &arena, body.as_str())?;
    check_place(call, &typed)?;
    let account = parent(call)?;
    check_account(call, &typed, &account)?;
    let errors = kind.validate(&typed);
    if !errors.is_empty() {
        return Err(invalid(KIND, "", &errors));
    }
    let mut request = typed_body::to_value(&typed);
    set_entries(call, kind, &mut request);
    let bindings = bindings(call, request.member("spec").member("boundObjectRef"))?;
    let now = call.cluster.clock.now();
    complete(call, &mut request, &account, now);
    let spec = request.member("spec");
    let seconds = spec.member("expirationSeconds").as_i64().unwrap_or_default();
    let mut claims = json!({
        "aud": spec.member("audiences"), "exp": now.plus(seconds).seconds(), "iat": now.seconds(), "iss": ISSUER,
        "jti": call.cluster.entropy.uid(), "nbf": now.seconds(),
        "kubernetes.io": {"namespace": call.namespace(),
            "serviceaccount": {"name": call.name(), "uid": account.uid()}},
        "sub": token_claims::user_name(call.namespace(), call.name()),
    });
    let own = claims.member_mut("kubernetes.io");
    bindings.iter().for_each(|binding| binding.write(own));
    if seconds == WARNED_SECONDS && is_of_pod(&bindings) && is_for_this_server(spec) {
        own.set_member("warnafter", now.plus(seconds).seconds().into());
        claims.set_member("exp", now.plus(EXTENDED_SECONDS).seconds().into());
    }
    let expires = now.plus(seconds).to_string();
    request
        .set_member("status", json!({"token": token_claims::text(&claims), "expirationTimestamp": expires}));
    Ok(Reply::value(201, &request))
}

/// A request is of its own kind, if it says so.
fn check_type(call: &RequestContext<'_>, body: &Canonical) -> Outcome<()> {
    let request = tree(body);
    let text = |name: &str| request.member(name).as_str().unwrap_or_default();
    let (schema, scheme) = (&call.cluster.schema, Kind::of(call.cluster, call.resource).go_scheme());
    let given = GivenType { api_version: text("apiVersion"), kind: text("kind") };
    match other_kind(schema, KIND, given, body.as_str()) {
        Some(failure) => Err(failure),
        None => GivenType { api_version: API_VERSION, kind: KIND.name }.check(schema, scheme, given),
    }
}

/// The name and the namespace of the account may be repeated in the body.
fn check_place(call: &RequestContext<'_>, request: &Map<'_>) -> Outcome<()> {
    let given = |field: Field| request.map("metadata").map_or("", |metadata| metadata.str(field.name()));
    let (name, namespace) = (given(Field::Name), given(Field::Namespace));
    if !namespace.is_empty() {
        check_namespace(call, namespace)?;
    }
    if !name.is_empty() && name != call.name() {
        let why = "must match the service account name if specified";
        let error = FieldError::invalid("metadata.name", &name.into(), why);
        return Err(invalid(KIND, call.name(), &[error]));
    }
    Ok(())
}

/// A request may say which account it means, so that it gets no token of another one with the same name.
fn check_account(call: &RequestContext<'_>, request: &Map<'_>, account: &Record) -> Outcome<()> {
    let given = request.map("metadata").map_or("", |metadata| metadata.str(Field::Uid.name()));
    let own = account.uid();
    if given.is_empty() || given == own {
        return Ok(());
    }
    let text = format!(
        "the UID in the token request ({given}) does not match the UID of the service account ({own})"
    );
    Err(conflict(KIND, call.name(), &text))
}

/// Sets the owners of what the request says; the default of its duration is among that.
fn set_entries(call: &RequestContext<'_>, kind: BuiltinKind<'_>, request: &mut Value) {
    let (arena, bare) = (Arena::new(), json!({"apiVersion": API_VERSION, "kind": KIND.name}).to_string());
    // An object without content fits every kind.
    let Ok((empty, _)) = decode_complete(kind, &arena, &bare) else { return };
    let mut empty = typed_body::to_value(&empty);
    empty.member_mut("spec").set_member("expirationSeconds", Value::Null);
    let answered =
        Answered { api_version: API_VERSION, kind: KIND.name, subresource: "token", empty: &empty };
    answer::set_entries(call, &answered, request);
}

/// Fills in what the request leaves out.
fn complete(call: &RequestContext<'_>, request: &mut Value, account: &Record, now: Timestamp) {
    request.set_member("kind", KIND.name.into());
    request.set_member("apiVersion", API_VERSION.into());
    let metadata = request.member_mut("metadata");
    for (field, value) in [
        (Field::Name, call.name()),
        (Field::Namespace, call.namespace()),
        (Field::Uid, &account.uid()),
        (Field::CreationTimestamp, &now.text()),
    ] {
        metadata.set_member(field.name(), value.into());
    }
    let spec = request.member_mut("spec");
    if spec.member("audiences").as_array().is_none_or(Vec::is_empty) {
        spec.set_member("audiences", json!([ISSUER]));
    }
}

/// The object that a token is to be bound to, and the node of a pod.
fn bindings(call: &RequestContext<'_>, reference: &Value) -> Outcome<Vec<Binding>> {
    if reference.is_null() {
        return Ok(Vec::new());
    }
    let text = |name: &str| reference.member(name).as_str().unwrap_or_default();
    let (api_version, kind, name) = (text("apiVersion"), text("kind"), text("name"));
    let (group, version) = group_and_version(api_version);
    let Some(bound) = token_claims::BOUND_KINDS.iter().find(|one| group.is_empty() && one.kind == kind)
    else {
        let name = format!("{group}/{version}, Kind={kind}");
        let gate = match kind {
            "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration"
                if api_version == "admissionregistration.k8s.io/v1" =>
            {
                " (feature gate APIServerWebhookAuthenticationToken is disabled)"
            }
            _ => "",
        };
        return Err(bad_request(format!("cannot bind token to object of type {name}{gate}")));
    };
    if name.is_empty() {
        return Err(bad_request("Name parameter required."));
    }
    let stored = call.cluster.store.get(&bound.key(call.namespace(), name));
    let resource = Qualified { group: "", name: bound.plural };
    let object = stored.ok_or_else(|| not_found(resource, name))?.record;
    let mut bindings = vec![Binding::to(bound, name, &object.uid())];
    if kind == "Pod" {
        bindings.extend(of_pod(call, &object)?);
    }
    let (given, own) = (text("uid"), object.uid());
    if !given.is_empty() && given != own {
        let text = format!(
            "the UID in the bound object reference ({given}) does not match the UID in record. \
             The object might have been deleted and then recreated"
        );
        return Err(conflict(Qualified { group, name: kind }, name, &text));
    }
    Ok(bindings)
}

/// The group and the version of an apiVersion. Upstream: what cannot be one is of no group.
fn group_and_version(api_version: &str) -> (&str, &str) {
    match api_version.split_once('/') {
        None => ("", api_version),
        Some((group, version)) if !version.contains('/') => (group, version),
        Some(_) => ("", ""),
    }
}

/// The node that a pod of the account runs on. Upstream: a node that is not there is named without a uid.
fn of_pod(call: &RequestContext<'_>, pod: &Record) -> Outcome<Option<Binding>> {
    if pod.text_at(&["spec", "serviceAccountName"]) != call.name() {
        return Err(bad_request(format!(
            "cannot bind token for serviceaccount {:?} to pod running with different serviceaccount name.",
            call.name()
        )));
    }
    let name = pod.text_at(&["spec", "nodeName"]);
    let Some(bound) = token_claims::BOUND_KINDS.iter().find(|one| one.kind == "Node") else {
        return Ok(None);
    };
    let node = call.cluster.store.get(&bound.key("", &name));
    let uid = node.map(|node| node.record.uid().into_owned()).unwrap_or_default();
    Ok((!name.is_empty()).then(|| Binding::to(bound, &name, &uid)))
}

fn is_of_pod(bindings: &[Binding]) -> bool {
    bindings.iter().any(|binding| binding.kind == "Pod")
}

fn is_for_this_server(spec: &Value) -> bool {
    spec.member("audiences").as_array().is_some_and(|all| all.iter().all(|one| one == ISSUER))
}
