//! Objects that are answered and never stored: reviews, which allow everything, and bindings.

use serde_json::{Value, json};

use super::binding;
use crate::{
    catalog::call::Call,
    protocol::{
        json::tree,
        reply::Reply,
        status::{Outcome, bad_request},
    },
    write::{body, transaction::Transaction},
};

/// The answer to such an object; none if the resource is something else.
pub(crate) fn review(transaction: &Transaction<'_>, call: &Call<'_>) -> Option<Outcome<Reply>> {
    let answer: fn(&Value) -> Value = match (call.resource.group.as_str(), call.resource.plural.as_str()) {
        (
            "authorization.k8s.io",
            "selfsubjectaccessreviews" | "subjectaccessreviews" | "localsubjectaccessreviews",
        ) => |_| json!({"allowed": true, "reason": "this server allows everything"}),
        ("authorization.k8s.io", "selfsubjectrulesreviews") => |_| {
            json!({"incomplete": false,
                "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]})
        },
        ("authentication.k8s.io", "selfsubjectreviews") => {
            |_| json!({"userInfo": {"username": "system:admin", "groups": ["system:masters", "system:authenticated"]}})
        }
        ("authentication.k8s.io", "tokenreviews") => |_| {
            json!({"authenticated": true,
                "user": {"username": "system:admin", "groups": ["system:masters", "system:authenticated"]}})
        },
        ("", "bindings") => return Some(binding::handle_in_collection(transaction, call)),
        _ => return None,
    };
    Some(body::canonical_body(call).and_then(|body| {
        let mut object = tree(&body);
        if !object.is_object() {
            return Err(bad_request("the body of the request is not a JSON object"));
        }
        object["status"] = answer(&object);
        object["kind"] = call.resource.kind.as_str().into();
        object["apiVersion"] = call.resource.api_version.as_str().into();
        Ok(Reply::value(201, &object))
    }))
}
