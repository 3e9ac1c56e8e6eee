//! Objects that are answered and never stored: reviews, which allow everything and know two kinds of tokens, and
//! bindings.

use kubemerge_kinds::{
    BuiltinKind, User,
    field_error::quoted,
    field_selector::FieldSelector,
    label_selector::LabelSelector,
    tree::{Arena, Map},
};
use kubemerge_value::Canonical;
use serde_json::{Value, json};

use super::{
    binding,
    token_claims::{self, Refusal, TokenUser},
    typed_body::{self, KindName},
};
use crate::{
    api::{authentication::is_same_secret, openid::ISSUER, state::Api},
    catalog::request_context::RequestContext,
    kind::{Kind, decode_complete},
    protocol::{
        json::{Members, canonical, tree},
        reply::Reply,
        status::{Outcome, Qualified, bad_request, invalid},
    },
    write::{
        commit::transaction::Transaction,
        decode::{body, check_type_names},
        track::answer::{self, Answered},
    },
};

/// The answer to such an object; none if the resource is something else.
pub(crate) fn review(
    api: &Api,
    transaction: &Transaction<'_>,
    call: &RequestContext<'_>,
) -> Option<Outcome<Reply>> {
    let (group, plural) = (call.resource.group.as_str(), call.resource.plural.as_str());
    if (group, plural) == ("", "bindings") {
        return Some(binding::handle_in_collection(transaction, call));
    }
    matches!(group, "authorization.k8s.io" | "authentication.k8s.io").then(|| {
        let body = body::canonical_body(call)?;
        let mut object = checked(call, &body)?;
        object.set_member("status", answer(api, call, object.member("spec")));
        object.set_member("kind", call.resource.kind.as_str().into());
        object.set_member("apiVersion", call.resource.api_version.as_str().into());
        if call.resource.kind == "SelfSubjectReview" {
            object.set_member("metadata", json!({"creationTimestamp": call.cluster.clock.now().to_string()}));
        }
        Ok(Reply::value(201, &object))
    })
}

fn answer(api: &Api, call: &RequestContext<'_>, spec: &Value) -> Value {
    match call.resource.kind.as_str() {
        "SelfSubjectRulesReview" => json!({"incomplete": false,
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]}),
        "SelfSubjectReview" => json!({"userInfo": call.user.to_info()}),
        "TokenReview" => token_status(api, call, spec),
        // Every user may do everything, as with the authorization mode AlwaysAllow.
        _ => access(spec.member("resourceAttributes")),
    }
}

/// The answer to an access review: allowed, with a note about selectors that an authorizer could not use.
fn access(attributes: &Value) -> Value {
    let mut notes = Vec::new();
    let selectors = [
        ("fieldSelector", field_selector(attributes.member("fieldSelector"))),
        ("labelSelector", label_selector(attributes.member("labelSelector"))),
    ];
    for (name, usable) in selectors {
        let ignored = match usable {
            Usable::All => continue,
            Usable::Some => "partially ignored",
            Usable::Nothing => "ignored",
        };
        notes.push(format!("spec.resourceAttributes.{name} {ignored} due to parse error"));
    }
    if notes.is_empty() {
        json!({"allowed": true})
    } else {
        json!({"allowed": true, "evaluationError": notes.join("; ")})
    }
}

/// How much of a selector an authorizer can use.
enum Usable {
    All,
    Some,
    Nothing,
}

impl Usable {
    /// A text is used as a whole.
    fn text(is_readable: bool) -> Usable {
        if is_readable { Usable::All } else { Usable::Nothing }
    }

    fn requirements(selector: &Value, is_usable: impl Fn(&Value) -> bool) -> Usable {
        let all = selector.member("requirements").as_array().map_or(&[][..], Vec::as_slice);
        match all.iter().filter(|one| is_usable(one)).count() {
            count if count == all.len() => Usable::All,
            0 => Usable::Nothing,
            _ => Usable::Some,
        }
    }
}

fn field_selector(selector: &Value) -> Usable {
    match selector.member("rawSelector").as_str() {
        Some(text) if !text.is_empty() => Usable::text(FieldSelector::parse(text).is_ok()),
        // Upstream: of several values none is used.
        _ => Usable::requirements(selector, |requirement| {
            matches!(requirement.member("operator").as_str(), Some("In" | "NotIn"))
                && requirement.member("values").as_array().is_some_and(|values| values.len() == 1)
        }),
    }
}

fn label_selector(selector: &Value) -> Usable {
    const OPERATORS: [&str; 4] = ["In", "NotIn", "Exists", "DoesNotExist"];
    match selector.member("rawSelector").as_str() {
        Some(text) if !text.is_empty() => Usable::text(LabelSelector::parse(text).is_ok()),
        _ => Usable::requirements(selector, |requirement| {
            requirement.member("operator").as_str().is_some_and(|operator| OPERATORS.contains(&operator))
        }),
    }
}

/// Who a token is from: the token of this server, or one of a service account.
fn token_status(api: &Api, call: &RequestContext<'_>, spec: &Value) -> Value {
    const REFUSED: &str = "invalid bearer token";
    let token = spec["token"].as_str().unwrap_or_default();
    let asked: Vec<&str> =
        spec["audiences"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    // Whom the review is about, unless it says so.
    let asked = if asked.is_empty() { vec![ISSUER] } else { asked };
    let is_admin = api.settings.token.as_ref().is_some_and(|own| is_same_secret(token, own));
    let found = if is_admin {
        Ok(TokenUser { user: User::administrator().clone(), audiences: vec![ISSUER.to_owned()] })
    } else {
        token_claims::user(call.cluster, token)
    };
    let TokenUser { user, audiences } = match found {
        Ok(found) => found,
        Err(Refusal::Unknown) => return json!({"user": {}, "error": REFUSED}),
        Err(Refusal::Ended(why)) => return json!({"user": {}, "error": format!("[{REFUSED}, {why}]")}),
    };
    let common: Vec<&str> =
        asked.iter().copied().filter(|one| audiences.iter().any(|own| own == one)).collect();
    match common.is_empty() {
        false => json!({"authenticated": true, "user": user.to_info(), "audiences": common}),
        true if is_admin => json!({"user": {}, "error": REFUSED}),
        true => json!({"user": {}, "error": format!(
            "[{REFUSED}, token audiences {} is invalid for the target audiences {}]", quoted_list(&audiences), quoted_list(&asked))}),
    }
}

/// A list of texts as Go prints it with `%q`.
fn quoted_list(list: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = list.iter().map(|one| quoted(one.as_ref())).collect();
    format!("[{}]", quoted.join(" "))
}

/// The typed form of a review that holds to the rules of its kind.
fn checked(call: &RequestContext<'_>, body: &Canonical) -> Outcome<Value> {
    let object = tree(body);
    if !object.is_object() {
        return Err(bad_request("the body of the request is not a JSON object"));
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let kind = Kind::of(call.cluster, call.resource);
    check_type_names(call, kind, &text(object.member("apiVersion")), &text(object.member("kind")))?;
    let Some(kind) = call.resource.built_in(&call.cluster.schema) else { return Ok(object) };
    let arena = Arena::new();
    let name = KindName { kind: &call.resource.kind, version: &call.resource.version };
    let mut typed = typed_body::decode(call, name, kind, &arena, body.as_str())?;
    wipe_system_fields(typed.ensure_map("metadata"));
    check_required(call, &mut typed)?;
    let mut object = typed_body::to_value(&typed);
    set_entries(call, kind, &mut object);
    // Messages quote the metadata with the entries.
    let text = canonical(&object)?;
    let errors = kind.validate(&kind.read_stored(&arena, text.as_str()));
    if !errors.is_empty() {
        // Kubernetes names neither the kind nor an object here.
        let group = Qualified { group: &call.resource.group, name: "" };
        return Err(invalid(group, "", &errors));
    }
    Ok(object)
}

/// What a client cannot set on a new object.
fn wipe_system_fields(metadata: &mut Map<'_>) {
    let names = ["creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"];
    for name in names {
        metadata.remove(name);
    }
}

/// Sets the owners of the fields of a review.
fn set_entries(call: &RequestContext<'_>, kind: BuiltinKind<'_>, review: &mut Value) {
    let (api_version, name) = (&*call.resource.api_version, &*call.resource.kind);
    let (arena, bare) = (Arena::new(), json!({"apiVersion": api_version, "kind": name}).to_string());
    // An object without content fits every kind.
    let Ok((empty, _)) = decode_complete(kind, &arena, &bare) else { return };
    let empty = typed_body::to_value(&empty);
    let answered = Answered { api_version, kind: name, subresource: "", empty: &empty };
    answer::set_entries(call, &answered, review);
}

/// What reviews check before anything else.
fn check_required(call: &RequestContext<'_>, review: &mut Map<'_>) -> Outcome<()> {
    let lacks = |name| review.map("spec").is_none_or(|spec| spec.str(name).is_empty());
    match call.resource.kind.as_str() {
        "TokenReview" if lacks("token") => {
            Err(bad_request("token is required for TokenReview in authentication"))
        }
        "SelfSubjectRulesReview" if lacks("namespace") => Err(bad_request("no namespace on request")),
        "SelfSubjectRulesReview" => {
            // The answer does not repeat the question.
            for name in ["spec", "metadata"] {
                review.remove(name);
                review.ensure_map(name);
            }
            Ok(())
        }
        "LocalSubjectAccessReview" => same_namespace(call, review.ensure_map("metadata")),
        _ => Ok(()),
    }
}

fn same_namespace(call: &RequestContext<'_>, metadata: &mut Map<'_>) -> Outcome<()> {
    let namespace = metadata.str("namespace");
    if !namespace.is_empty() && namespace != call.namespace() {
        let text = "the namespace of the provided object does not match the namespace sent on the request";
        return Err(bad_request(text));
    }
    metadata.set_text("namespace", call.namespace());
    Ok(())
}
