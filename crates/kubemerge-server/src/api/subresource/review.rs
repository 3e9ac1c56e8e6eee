//! Objects that are answered and never stored: reviews, which allow everything, and bindings.

use kubemerge_kinds::tree::{Arena, Map};
use kubemerge_value::Canonical;
use serde_json::{Value, json};

use super::binding;
use crate::{
    catalog::call::Call,
    protocol::{
        json::tree,
        reply::Reply,
        status::{Outcome, Qualified, bad_request, invalid},
    },
    write::{
        body,
        decode::{Source, check_type_names},
        kind_rules::Typed,
        transaction::Transaction,
        unknown_fields::undecodable,
    },
};

/// The answer to such an object; none if the resource is something else.
pub(crate) fn review(transaction: &Transaction<'_>, call: &Call<'_>) -> Option<Outcome<Reply>> {
    let answer: fn(&Value) -> Value = match (call.resource.group.as_str(), call.resource.plural.as_str()) {
        (
            "authorization.k8s.io",
            "selfsubjectaccessreviews" | "subjectaccessreviews" | "localsubjectaccessreviews",
            // Nothing is forbidden here: who has the token may do everything.
        ) => |_| json!({"allowed": true}),
        ("authorization.k8s.io", "selfsubjectrulesreviews") => |_| {
            json!({"incomplete": false,
                "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]})
        },
        ("authentication.k8s.io", "selfsubjectreviews") => {
            |_| json!({"userInfo": {"username": "system:admin", "groups": ["system:masters", "system:authenticated"]}})
        }
        ("authentication.k8s.io", "tokenreviews") => |review| {
            // Whom tokens are for, unless the review says otherwise.
            let asked = review["spec"]["audiences"].as_array().filter(|asked| !asked.is_empty());
            let audiences = asked.map_or(json!(["https://kubernetes.default.svc"]), |asked| json!(asked));
            json!({"authenticated": true, "audiences": audiences,
                "user": {"username": "system:admin", "groups": ["system:masters", "system:authenticated"]}})
        },
        ("", "bindings") => return Some(binding::handle_in_collection(transaction, call)),
        _ => return None,
    };
    Some(body::canonical_body(call).and_then(|body| {
        let mut object = checked(call, &body)?;
        object["status"] = answer(&object);
        object["kind"] = call.resource.kind.as_str().into();
        object["apiVersion"] = call.resource.api_version.as_str().into();
        Ok(Reply::value(201, &object))
    }))
}

/// The typed form of a review that holds to the rules of its kind.
fn checked(call: &Call<'_>, body: &Canonical) -> Outcome<Value> {
    let object = tree(body);
    if !object.is_object() {
        return Err(bad_request("the body of the request is not a JSON object"));
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    check_type_names(call, &text(&object["apiVersion"]), &text(&object["kind"]))?;
    let Some(kind) = call.resource.built_in(&call.cluster.schema) else { return Ok(object) };
    let arena = Arena::new();
    let decoded = Typed::decode(kind, &arena, body.as_str());
    let (mut typed, _) = decoded.map_err(|problem| undecodable(call, &problem, Source::Body, ""))?;
    check_required(call, &mut typed.tree)?;
    let errors = kind.validate(&typed.tree);
    if !errors.is_empty() {
        // Kubernetes names neither the kind nor an object here.
        let group = Qualified { group: &call.resource.group, name: "" };
        return Err(invalid(group, "", &errors));
    }
    Ok(typed.to_value())
}

/// What reviews check before anything else.
fn check_required(call: &Call<'_>, review: &mut Map<'_>) -> Outcome<()> {
    let lacks = |name| review.map("spec").is_none_or(|spec| spec.str(name).is_empty());
    match call.resource.kind.as_str() {
        "TokenReview" if lacks("token") => {
            Err(bad_request("token is required for TokenReview in authentication"))
        }
        "SelfSubjectRulesReview" if lacks("namespace") => Err(bad_request("no namespace on request")),
        "SelfSubjectRulesReview" => {
            // The answer does not repeat the question.
            review.remove("spec");
            review.ensure_map("spec");
            Ok(())
        }
        "LocalSubjectAccessReview" => same_namespace(call, review.ensure_map("metadata")),
        _ => Ok(()),
    }
}

fn same_namespace(call: &Call<'_>, metadata: &mut Map<'_>) -> Outcome<()> {
    let namespace = metadata.str("namespace");
    if !namespace.is_empty() && namespace != call.namespace() {
        let text = "the namespace of the provided object does not match the namespace sent on the request";
        return Err(bad_request(text));
    }
    metadata.set_text("namespace", call.namespace());
    Ok(())
}
