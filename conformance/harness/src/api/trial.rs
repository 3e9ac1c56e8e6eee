//! Random requests: which object, what damage, which verb.

use http::Method;
use serde_json::{Map, Value, json};

use super::{
    exchange::{Call, Identities},
    kinds::{Kind, Subresource},
    mutate::{Change, find, generate, mutate},
    schema::{Schema, Step},
    stored::{Stored, renamed},
};
use crate::rng::Rng;

/// A request to both servers.
pub(crate) struct Trial {
    pub(crate) area: &'static str,
    pub(crate) kind: String,
    pub(crate) call: Call,
    pub(crate) identities: Identities,
}

/// How many of a hundred objects are sent as they are.
const UNCHANGED_PERCENT: usize = 25;

/// Writes that store nothing, so that every request meets the same objects.
const DRY_RUN: &str = "?dryRun=All";

/// POST of an object, changed or not.
pub(crate) fn create(kind: &Kind, number: usize, schema: Option<Schema<'_>>, rng: &mut Rng) -> Trial {
    let mut object = renamed(&kind.objects[number], &format!("t{}", rng.below(1_000_000)));
    if let Some(namespace) = object.pointer_mut("/metadata/namespace").filter(|_| kind.namespaced) {
        *namespace = json!("default");
    }
    damage(&mut object, schema, &[], rng);
    if rng.chance(3) {
        damage_name(&mut object, rng);
    }
    // Reviews have no dry run: they store nothing anyway.
    let reviews = !kind.can("get");
    let path = format!("{}{}", kind.collection(), if reviews { "" } else { DRY_RUN });
    trial("create", kind, Call::new(Method::POST, path, &object), Identities::default())
}

/// PUT of a stored object, changed or not.
pub(crate) fn update(kind: &Kind, stored: &Stored, schema: Option<Schema<'_>>, rng: &mut Rng) -> Trial {
    let mut object = stored.object.clone();
    damage(&mut object, schema, &[], rng);
    let call = Call::new(Method::PUT, format!("{}{DRY_RUN}", stored.path), &object);
    trial("update", kind, call, stored.identities.clone())
}

/// One of the three patch types, made from a changed object.
pub(crate) fn patch(kind: &Kind, stored: &Stored, schema: Option<Schema<'_>>, rng: &mut Rng) -> Trial {
    let mut object = stored.object.clone();
    let changes = damage(&mut object, schema, &[], rng);
    let (content_type, body) = match rng.below(3) {
        0 => ("application/merge-patch+json", merge_patch(&stored.object, &object)),
        1 => ("application/strategic-merge-patch+json", merge_patch(&stored.object, &object)),
        _ => ("application/json-patch+json", json_patch(&stored.object, &object, &changes)),
    };
    let mut call = Call::new(Method::PATCH, format!("{}{DRY_RUN}", stored.path), &body);
    call.content_type = content_type.to_string();
    trial("patch", kind, call, stored.identities.clone())
}

/// Server-side apply of an object as a user writes it.
pub(crate) fn apply(
    kind: &Kind,
    number: usize,
    stored: &Stored,
    schema: Option<Schema<'_>>,
    run: &str,
    rng: &mut Rng,
) -> Trial {
    let mut object = renamed(&kind.objects[number], run);
    damage(&mut object, schema, &[], rng);
    let force = if rng.chance(50) { "&force=true" } else { "" };
    let path = format!("{}{DRY_RUN}&fieldManager=conformance{force}", stored.path);
    let mut call = Call::new(Method::PATCH, path, &object);
    call.content_type = "application/apply-patch+yaml".to_string();
    trial("apply", kind, call, stored.identities.clone())
}

/// A write to a subresource; none where there is nothing to write.
pub(crate) fn subresource(
    kind: &Kind,
    stored: &Stored,
    schema: Option<Schema<'_>>,
    rng: &mut Rng,
) -> Option<Trial> {
    let writable: Vec<&Subresource> = kind
        .subresources
        .iter()
        .filter(|sub| sub.verbs.iter().any(|verb| verb == "update" || verb == "create"))
        .collect();
    if writable.is_empty() {
        return None;
    }
    let subresource = *rng.pick(&writable);
    let path = format!("{}/{}", stored.path, subresource.name);
    let body = subresource_body(kind, stored, subresource, schema, rng)?;
    let can_update = subresource.verbs.iter().any(|verb| verb == "update");
    let mut call = match rng.below(4) {
        0 if can_update && subresource.verbs.iter().any(|verb| verb == "get") => Call::get(path),
        1 if can_update => {
            let mut call =
                Call::new(Method::PATCH, format!("{path}{DRY_RUN}"), &merge_patch(&json!({}), &body));
            call.content_type = "application/merge-patch+json".to_string();
            call
        }
        _ if can_update => Call::new(Method::PUT, format!("{path}{DRY_RUN}"), &body),
        _ => Call::new(Method::POST, format!("{path}{DRY_RUN}"), &body),
    };
    // The log and proxies of pods need a kubelet.
    if ["log", "exec", "attach", "portforward", "proxy"].contains(&subresource.name.as_str()) {
        call = Call::get(stored.path.clone());
    }
    Some(trial("subresource", kind, call, stored.identities.clone()))
}

fn subresource_body(
    kind: &Kind,
    stored: &Stored,
    subresource: &Subresource,
    schema: Option<Schema<'_>>,
    rng: &mut Rng,
) -> Option<Value> {
    let name = stored.object["metadata"]["name"].clone();
    let metadata = json!({"name": name, "namespace": stored.object["metadata"]["namespace"]});
    let mut body = match subresource.kind.as_str() {
        "Scale" => {
            json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata, "spec": {"replicas": rng.below(5)}})
        }
        "Eviction" => json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata}),
        "Binding" => {
            json!({"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": {"kind": "Node", "name": "node"}})
        }
        "TokenRequest" => return None,
        same if same == kind.kind => stored.object.clone(),
        _ => return None,
    };
    if subresource.kind == kind.kind {
        let status = schema.and_then(|schema| schema.property("status"));
        if let Some(status) = status.filter(|_| rng.chance(60)) {
            body["status"] = generate(status, 3, rng);
        }
        // A write to the status with another spec shows what is reset.
        damage(&mut body, schema, &["status", "spec", "metadata"], rng);
    } else {
        damage(&mut body, None, &["spec", "target"], rng);
    }
    Some(body)
}

/// GET of an object or its list, as a table or not.
pub(crate) fn read(kind: &Kind, stored: &Stored, rng: &mut Rng) -> Trial {
    let name = stored.object["metadata"]["name"].as_str().unwrap_or_default();
    let list = format!("{}?fieldSelector=metadata.name%3D{name}", kind.collection());
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    let partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    let (area, call) = match rng.below(6) {
        0 => ("read", Call::get(&stored.path)),
        1 if kind.can("list") => ("read", Call::get(list)),
        2 => ("read", Call::get(&stored.path).accepting(partial)),
        3 if kind.can("list") => ("table", Call::get(list).accepting(table)),
        4 => ("table", Call::get(format!("{}?includeObject=None", stored.path)).accepting(table)),
        _ => ("table", Call::get(&stored.path).accepting(table)),
    };
    trial(area, kind, call, stored.identities.clone())
}

/// A watch that ends after a second.
pub(crate) fn watch(kind: &Kind, stored: &Stored) -> Trial {
    let name = stored.object["metadata"]["name"].as_str().unwrap_or_default();
    let path = format!("{}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3D{name}", kind.collection());
    trial("watch", kind, Call::get(path), stored.identities.clone())
}

fn trial(area: &'static str, kind: &Kind, call: Call, identities: Identities) -> Trial {
    Trial { area, kind: kind.label(), call, identities }
}

fn damage(object: &mut Value, schema: Option<Schema<'_>>, roots: &[&str], rng: &mut Rng) -> Vec<Change> {
    if rng.chance(UNCHANGED_PERCENT) { Vec::new() } else { mutate(object, schema, roots, rng) }
}

fn damage_name(object: &mut Value, rng: &mut Rng) {
    let names = ["A", "-a", "a.b", "a_b", "", "a/b", "..", "a b", &"a".repeat(254), "1a"];
    // The metadata may have been damaged before.
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("name".to_string(), json!(rng.pick(&names)));
    }
}

/// The merge patch between two objects. A member that was set to null is removed by it.
pub(crate) fn merge_patch(original: &Value, modified: &Value) -> Value {
    let (Value::Object(from), Value::Object(to)) = (original, modified) else { return modified.clone() };
    let mut patch = Map::new();
    for key in from.keys().filter(|key| !to.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    for (key, value) in to {
        match from.get(key) {
            Some(same) if same == value => {}
            Some(before) if before.is_object() && value.is_object() => {
                patch.insert(key.clone(), merge_patch(before, value));
            }
            _ => drop(patch.insert(key.clone(), value.clone())),
        }
    }
    Value::Object(patch)
}

fn json_patch(original: &Value, modified: &Value, changes: &[Change]) -> Value {
    // Changes may overlap, so one operation replaces the member that holds them all.
    let operations = changes.iter().map(|change| {
        let root = &change.path[..change.path.len().min(2)];
        let (mut before, mut after) = (original.clone(), modified.clone());
        let pointer = pointer(root);
        match (find(&mut before, root).cloned(), find(&mut after, root).cloned()) {
            (_, None) => json!({"op": "remove", "path": pointer}),
            (None, Some(value)) => json!({"op": "add", "path": pointer, "value": value}),
            (Some(_), Some(value)) => json!({"op": "replace", "path": pointer, "value": value}),
        }
    });
    let mut list: Vec<Value> = operations.collect();
    // Several changes below one member are one operation.
    list.dedup();
    Value::Array(list)
}

fn pointer(path: &[Step]) -> String {
    let steps = path.iter().map(|step| match step {
        Step::Key(key) => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
        Step::Index(index) => format!("/{index}"),
    });
    steps.collect()
}
