//! Writes of a sequence: several managers create, update, patch and apply one object that is stored for real.

use http::Method;
use serde_json::{Value, json};

use super::{
    exchange::Call,
    kinds::{Kind, Subresource},
    mutate::{generate, mutate},
    schema::Schema,
    stored::Stored,
    trial::{Trial, merge_patch},
};
use crate::rng::Rng;

/// Few managers, so that they meet.
const MANAGERS: [&str; 3] = ["a", "b", "c"];

/// How many of a hundred members and items a configuration leaves out.
const LEFT_OUT_PERCENT: usize = 15;

/// How many of a hundred writes have random damage as well; most of those are refused.
const DAMAGED_PERCENT: usize = 25;

/// What a sequence writes about.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'k> {
    pub(crate) kind: &'k Kind,
    pub(crate) schema: Option<Schema<'k>>,
    /// A valid object as a user writes it.
    pub(crate) manifest: &'k Value,
}

/// The first write: half of the objects are made by an apply.
pub(crate) fn create(subject: Subject<'_>, path: &str, rng: &mut Rng) -> Trial {
    let (kind, manifest) = (subject.kind, subject.manifest);
    let call = if rng.chance(50) {
        Call::new(
            Method::POST,
            format!("{}?fieldManager={}", kind.collection(), rng.pick(&MANAGERS)),
            manifest,
        )
    } else {
        apply(path, manifest, rng)
    };
    trial(subject, call)
}

/// One more write to an object.
pub(crate) fn write(subject: Subject<'_>, stored: &Stored, rng: &mut Rng) -> Trial {
    let subresources: Vec<&Subresource> = writable(subject.kind).collect();
    let (path, before, body) = if !subresources.is_empty() && rng.chance(40) {
        let subresource = *rng.pick(&subresources);
        let body = subresource_body(subject, stored, subresource, rng);
        // A scale is no object that was read, so a patch has all of it.
        let before = if subresource.kind == "Scale" { json!({}) } else { stored.object.clone() };
        (format!("{}/{}", stored.path, subresource.name), before, body)
    } else {
        (stored.path.clone(), stored.object.clone(), main_body(subject, stored, rng))
    };
    let call = match rng.below(5) {
        0 | 1 => apply(&path, &configuration(subject, &path, &body, rng), rng),
        2 => managed(Method::PUT, &path, &with_entries(body, rng), rng),
        3 => patch(&path, "merge-patch", &merge_patch(&before, &with_entries(body, rng)), rng),
        _ => patch(&path, "strategic-merge-patch", &merge_patch(&before, &body), rng),
    };
    trial(subject, call)
}

fn trial(subject: Subject<'_>, call: Call) -> Trial {
    Trial {
        area: "managers",
        kind: subject.kind.label(),
        call,
        identities: super::exchange::Identities::default(),
    }
}

fn writable(kind: &Kind) -> impl Iterator<Item = &Subresource> {
    let takes = |sub: &&Subresource| sub.kind == kind.kind || sub.kind == "Scale";
    kind.subresources.iter().filter(takes).filter(|sub| sub.verbs.iter().any(|verb| verb == "patch"))
}

fn managed(method: Method, path: &str, body: &Value, rng: &mut Rng) -> Call {
    Call::new(method, format!("{path}?fieldManager={}", rng.pick(&MANAGERS)), body)
}

fn patch(path: &str, name: &str, body: &Value, rng: &mut Rng) -> Call {
    let mut call = managed(Method::PATCH, path, body, rng);
    call.content_type = format!("application/{name}+json");
    call
}

fn apply(path: &str, body: &Value, rng: &mut Rng) -> Call {
    let mut call = managed(Method::PATCH, path, body, rng);
    call.content_type = "application/apply-patch+yaml".to_string();
    if rng.chance(50) {
        call.path.push_str("&force=true");
    }
    call
}

/// The stored object with parts left out or changed.
fn main_body(subject: Subject<'_>, stored: &Stored, rng: &mut Rng) -> Value {
    let mut body = stored.object.clone();
    if let Some(labels) = body.pointer_mut("/metadata/labels").filter(|_| rng.chance(30)) {
        thin(labels, rng);
    }
    if rng.chance(50) {
        body["metadata"]["annotations"] = json!({ (*rng.pick(&["x", "y"])): rng.pick(&["1", "2"]) });
    }
    damaged(body, subject.schema, &[], rng)
}

/// What an applier sends: its manifest without some parts, or what it read without what the server writes.
fn configuration(subject: Subject<'_>, path: &str, body: &Value, rng: &mut Rng) -> Value {
    let is_main = path.ends_with(subject.manifest["metadata"]["name"].as_str().unwrap_or_default());
    let mut config = if is_main && rng.chance(80) { subject.manifest.clone() } else { body.clone() };
    if let Some(metadata) = config["metadata"].as_object_mut() {
        metadata.retain(|name, _| {
            ["name", "namespace", "labels", "annotations", "finalizers"].contains(&name.as_str())
        });
    }
    for (name, part) in config.as_object_mut().into_iter().flatten() {
        match name.as_str() {
            "apiVersion" | "kind" => {}
            "metadata" => part.get_mut("labels").into_iter().for_each(|labels| thin(labels, rng)),
            _ => thin(part, rng),
        }
    }
    damaged(config, subject.schema, &[], rng)
}

fn damaged(mut body: Value, schema: Option<Schema<'_>>, roots: &[&str], rng: &mut Rng) -> Value {
    if rng.chance(DAMAGED_PERCENT) {
        mutate(&mut body, schema, roots, rng);
    }
    body
}

/// Leaves out some members and items.
fn thin(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Object(map) => {
            map.retain(|_, _| !rng.chance(LEFT_OUT_PERCENT));
            map.values_mut().for_each(|member| thin(member, rng));
        }
        Value::Array(items) => {
            items.retain(|_| !rng.chance(LEFT_OUT_PERCENT));
            items.iter_mut().for_each(|item| thin(item, rng));
        }
        _ => {}
    }
}

/// Some writers send entries: an empty list or an empty entry resets all of them on the object itself.
fn with_entries(mut body: Value, rng: &mut Rng) -> Value {
    if rng.chance(8) && body["metadata"].is_object() {
        body["metadata"]["managedFields"] = rng.pick(&[json!([]), json!([{}]), Value::Null]).clone();
    }
    body
}

fn subresource_body(
    subject: Subject<'_>,
    stored: &Stored,
    subresource: &Subresource,
    rng: &mut Rng,
) -> Value {
    let mut body = stored.object.clone();
    match subresource.name.as_str() {
        "scale" => {
            let metadata =
                json!({"name": body["metadata"]["name"], "namespace": body["metadata"]["namespace"]});
            return json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata, "spec": {"replicas": rng.below(5)}});
        }
        "ephemeralcontainers" => {
            let container = json!({"name": rng.pick(&["debug", "shell"]), "image": "busybox", "terminationMessagePolicy": "File"});
            body["spec"]["ephemeralContainers"] = json!([container]);
        }
        "resize" => {
            let cpu = rng.pick(&["100m", "200m", "1"]);
            body["spec"]["containers"][0]["resources"]["requests"] = json!({ "cpu": cpu });
        }
        _ => {
            let status = subject.schema.and_then(|schema| schema.property("status"));
            if let Some(status) = status.filter(|_| rng.chance(70)) {
                body["status"] = generate(status, 3, rng);
            }
        }
    }
    damaged(body, subject.schema, &["status", "metadata"], rng)
}
