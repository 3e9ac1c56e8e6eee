//! Subresources: parts of objects, and actions on them.

mod binding;
mod eviction;
mod review;
mod scale;

pub(crate) use review::review;
use serde_json::json;

use crate::{
    api::{call::Call, verb},
    object::Object,
    protocol::{
        query::{Query, WriteOptions},
        reply::Reply,
        status::{Failure, Outcome, bad_request, method_not_allowed},
    },
    write::{decode, strategy::Part},
};

/// Carries out a request for a subresource that the resource has.
pub(crate) fn handle(call: &Call<'_>, verb: &str) -> Outcome<Reply> {
    match call.subresource().unwrap_or_default() {
        "scale" => scale::handle(call, verb),
        "eviction" => eviction::handle(call),
        "binding" => binding::handle(call),
        "token" => token(call),
        "log" => log(call),
        "exec" | "attach" | "portforward" | "proxy" => Err(Failure::new(
            501,
            "NotImplemented",
            "exec, attach, portforward and proxy need a connection that is upgraded; this server has none",
        )),
        _ => part(call, verb),
    }
}

fn part(call: &Call<'_>, verb: &str) -> Outcome<Reply> {
    let part = Part::of(call.subresource());
    let part = part.ok_or_else(|| method_not_allowed(call.resource.qualified(), verb))?;
    match verb {
        "get" => verb::get::handle(call),
        "update" => verb::update::handle(call, part),
        "patch" => verb::patch::handle(call, part),
        _ => Err(method_not_allowed(call.resource.qualified(), verb)),
    }
}

/// The object in the path, which must exist.
pub(crate) fn parent(call: &Call<'_>) -> Outcome<Object> {
    let stored = call.app().store.get(&call.key()).ok_or_else(|| call.not_found())?;
    Ok(Object::of(&stored))
}

/// A token that is good for nothing but looks like one.
fn token(call: &Call<'_>) -> Outcome<Reply> {
    let parent = parent(call)?;
    let request = crate::object::tree(&decode::body(call)?);
    let seconds = request.pointer("/spec/expirationSeconds").and_then(|value| value.as_i64()).unwrap_or(3600);
    let expires = call.app().clock.now().plus(seconds).to_string();
    let mut spec = request.get("spec").filter(|spec| spec.is_object()).cloned().unwrap_or(json!({}));
    spec["expirationSeconds"] = json!(seconds);
    let token = format!("kubemerge.{}.{}", parent.metadata.uid(), call.app().entropy.uid());
    let answer = json!({"kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1",
        "metadata": {"name": call.name(), "namespace": call.namespace()}, "spec": spec,
        "status": {"token": token, "expirationTimestamp": expires}});
    Ok(Reply::value(201, &answer))
}

/// What a test has put there for the container, or nothing.
fn log(call: &Call<'_>) -> Outcome<Reply> {
    let parent = parent(call)?;
    let container = container(call, &parent)?;
    let text = call.app().logs.get(call.namespace(), call.name(), &container);
    Ok(Reply::bytes(200, "text/plain", text))
}

/// The container whose log is wanted, of whatever sort; the only one if none is named.
fn container(call: &Call<'_>, pod: &Object) -> Outcome<String> {
    let names = |list: &str| -> Vec<String> {
        let list = pod.at(&["spec", list]).unwrap_or_default();
        let names = list.as_array().into_iter().flatten().filter_map(|one| one["name"].as_str());
        names.map(str::to_string).collect()
    };
    let (own, others) =
        (names("containers"), [names("initContainers"), names("ephemeralContainers")].concat());
    match (call.query.get("container"), &own[..]) {
        (Some(wanted), _) if own.iter().chain(&others).any(|name| name == wanted) => Ok(wanted.to_string()),
        (Some(wanted), _) => {
            Err(bad_request(format!("container {wanted} is not valid for pod {}", call.name())))
        }
        (None, [only]) => Ok(only.clone()),
        (None, _) => {
            let (pod, list) = (call.name(), own.join(" "));
            Err(bad_request(format!(
                "a container name must be specified for pod {pod}, choose one of: [{list}]"
            )))
        }
    }
}

/// Whether an action is only rehearsed.
pub(crate) fn write_options(query: &Query) -> Outcome<WriteOptions> {
    WriteOptions::read(query, "CreateOptions")
}
