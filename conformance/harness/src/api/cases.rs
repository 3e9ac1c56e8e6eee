//! Makes the recorded cases of a kind: what to ask, and which answers are worth keeping.

use std::collections::BTreeSet;

use kubemerge_test_support::recording::{Case, edits::edits};
use serde_json::{Value, json};

use super::{
    kinds::{Kind, documents, is_changed_by_server},
    mutate::find,
    recorder::Recorder,
    schema::Step as PathStep,
};

/// Requests that change one field each, of one kind.
const MAX_UPDATES: usize = 30;
/// Invalid objects of one kind that are kept.
const MAX_INVALID: usize = 60;

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

/// Records all cases of a kind.
pub(crate) fn record(kind: &Kind, recorder: &mut Recorder<'_>) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    // Reviews are created and never stored.
    if kind.can("get") {
        cases.push(recorder.case("minimal", |recorder| lifecycle(kind, recorder))?);
        cases.push(recorder.case("complete", |recorder| complete(kind, recorder))?);
        cases.push(recorder.case("change one field", |recorder| updates(kind, recorder))?);
    } else {
        cases.push(recorder.case("create", |recorder| reviews(kind, recorder))?);
    }
    cases.push(recorder.case("invalid", |recorder| invalid(kind, recorder))?);
    for (verb, edits) in rules(kind)?.as_object().into_iter().flatten() {
        cases.push(recorder.case(&format!("rules: {verb}"), |recorder| rule(kind, verb, edits, recorder))?);
    }
    cases.retain(|case| !case.steps.is_empty());
    Ok(cases)
}

/// Records the definition and the objects of `custom.yaml`.
pub(crate) fn record_custom(recorder: &mut Recorder<'_>) -> Result<Vec<Case>, String> {
    let document = yaml("custom.yaml")?;
    let define = json!({"method": "POST", "path": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        "body": document["definition"]});
    let collection = "/apis/example.com/v1/namespaces/default/widgets";
    let object = |spec: &Value| json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": spec});
    let create = recorder.case("create", |recorder| {
        recorder.keep(define.clone())?;
        let specs = document["create"].as_array().into_iter().flatten();
        specs.map(object).try_for_each(|body| {
            recorder.keep(json!({"method": "POST", "path": format!("{collection}?dryRun=All"), "body": body}))
        })
    })?;
    let patch = recorder.case("patch", |recorder| {
        recorder.keep(define.clone())?;
        let stored = object(&json!({"fixed": "a", "pairs": [{"name": "a", "value": 1}, {"name": "b", "value": 2}], "set": ["a", "b"]}));
        recorder.keep(json!({"method": "POST", "path": collection, "body": stored}))?;
        recorder.keep(json!({"path": format!("{collection}/a"), "accept": TABLE}))?;
        let specs = document["patch"].as_array().into_iter().flatten();
        specs.map(|spec| json!({"spec": spec})).try_for_each(|body| {
            let path = format!("{collection}/a?dryRun=All");
            recorder.keep(json!({"method": "PATCH", "path": path, "type": "application/merge-patch+json", "body": body}))
        })
    })?;
    Ok(vec![create, patch])
}

/// The edits of `rules.yaml` for a kind, by verb.
fn rules(kind: &Kind) -> Result<Value, String> {
    Ok(yaml("rules.yaml")?[kind.label()].clone())
}

fn yaml(name: &str) -> Result<Value, String> {
    let path = kubemerge_test_support::root().join("conformance/api").join(name);
    let first = documents(&path)?.into_iter().next();
    first.ok_or_else(|| format!("{}: not YAML", path.display()))
}

/// The requests of one verb in `rules.yaml`.
fn rule(kind: &Kind, verb: &str, edits: &Value, recorder: &mut Recorder<'_>) -> Result<(), String> {
    let object = &kind.objects[1];
    let edits = edits.as_array().cloned().unwrap_or_default();
    if verb == "create" {
        let path = format!("{}?dryRun=All", kind.collection());
        recorder.keep(json!({"method": "POST", "path": path, "body": object}))?;
        return edits
            .into_iter()
            .try_for_each(|edit| recorder.keep(json!({"method": "POST", "path": path, "edit": edit})));
    }
    create(kind, object, recorder)?;
    let subresource = if verb == "update" { String::new() } else { format!("/{verb}") };
    let path = format!("{}{subresource}?dryRun=All", path_of(kind, object));
    edits
        .into_iter()
        .try_for_each(|change| recorder.keep(json!({"method": "PUT", "path": path, "change": change})))
}

fn reviews(kind: &Kind, recorder: &mut Recorder<'_>) -> Result<(), String> {
    for object in &kind.objects {
        recorder.keep(json!({"method": "POST", "path": kind.collection(), "body": object}))?;
    }
    Ok(())
}

/// Creates an object, and reads it again where the server changes new objects: requests need its last version.
fn create(kind: &Kind, object: &Value, recorder: &mut Recorder<'_>) -> Result<(), String> {
    recorder.keep(json!({"method": "POST", "path": kind.collection(), "body": object}))?;
    if is_changed_by_server(&kind.kind) {
        recorder.keep(json!({"path": path_of(kind, object)}))?;
    }
    Ok(())
}

fn path_of(kind: &Kind, object: &Value) -> String {
    format!("{}/{}", kind.collection(), object["metadata"]["name"].as_str().unwrap_or_default())
}

fn lifecycle(kind: &Kind, recorder: &mut Recorder<'_>) -> Result<(), String> {
    let object = &kind.objects[0];
    let path = path_of(kind, object);
    create(kind, object, recorder)?;
    recorder.keep(json!({"method": "POST", "path": kind.collection(), "body": object}))?;
    recorder.keep(json!({"path": path}))?;
    recorder.keep(json!({"path": path, "accept": TABLE}))?;
    recorder.keep(json!({"method": "PUT", "path": path, "change": {}}))?;
    recorder.keep(json!({"path": format!("{}?fieldSelector=metadata.name%3Dmissing", kind.collection())}))?;
    recorder.keep(json!({"method": "DELETE", "path": path}))?;
    recorder.keep(json!({"path": format!("{path}-missing")}))
}

fn complete(kind: &Kind, recorder: &mut Recorder<'_>) -> Result<(), String> {
    let object = &kind.objects[1];
    let path = path_of(kind, object);
    create(kind, object, recorder)?;
    recorder.keep(json!({"path": path, "accept": TABLE}))?;
    let labels = json!({"metadata": {"labels": {"added": "yes"}}});
    for patch_type in ["merge-patch", "strategic-merge-patch"] {
        let content_type = format!("application/{patch_type}+json");
        recorder.keep(json!({"method": "PATCH", "path": path, "type": content_type, "body": labels}))?;
    }
    let operations = json!([{"op": "add", "path": "/metadata/annotations", "value": {"added": "yes"}}]);
    recorder.keep(
        json!({"method": "PATCH", "path": path, "type": "application/json-patch+json", "body": operations}),
    )?;
    subresources(kind, &path, object, recorder)
}

fn subresources(kind: &Kind, path: &str, object: &Value, recorder: &mut Recorder<'_>) -> Result<(), String> {
    for subresource in &kind.subresources {
        let can = |verb: &str| subresource.verbs.iter().any(|known| known == verb);
        let path = format!("{path}/{}", subresource.name);
        // Logs and connections need a kubelet; tokens differ each time.
        if ["log", "exec", "attach", "portforward", "proxy", "token"].contains(&subresource.name.as_str()) {
            continue;
        }
        if can("get") {
            recorder.keep(json!({"path": path}))?;
        }
        if can("update") && subresource.kind == kind.kind {
            let condition = json!({"type": "Tested", "status": "True", "reason": "Test", "message": "text",
                "lastTransitionTime": "2026-01-02T03:04:05Z"});
            let change = json!({"/metadata/labels/by": "subresource", "/status/conditions": [condition]});
            recorder.keep(json!({"method": "PUT", "path": path, "change": change}))?;
        }
        if subresource.kind == "Scale" {
            let scale = json!({"apiVersion": "autoscaling/v1", "kind": "Scale",
                "metadata": {"name": object["metadata"]["name"], "namespace": "default"}, "spec": {"replicas": 7}});
            recorder.keep(json!({"method": "PUT", "path": path, "body": scale}))?;
        }
    }
    Ok(())
}

/// PUT of the complete object with one field changed, for every field or for as many as are kept.
fn updates(kind: &Kind, recorder: &mut Recorder<'_>) -> Result<(), String> {
    let object = &kind.objects[1];
    create(kind, object, recorder)?;
    let Some(base) = recorder.base() else { return Ok(()) };
    let path = format!("{}?dryRun=All", path_of(kind, object));
    let mut places = Vec::new();
    leaves(&base, &mut Vec::new(), &mut places);
    places.retain(|place| is_worth_changing(place));
    // Spread over the whole object instead of its first fields.
    let stride = places.len().div_ceil(MAX_UPDATES).max(1);
    for place in places.iter().step_by(stride) {
        let mut modified = base.clone();
        if let Some(leaf) = find(&mut modified, place) {
            *leaf = another(leaf);
        }
        if let Some(change) = edits(&base, &modified) {
            recorder.keep(json!({"method": "PUT", "path": path, "change": change}))?;
        }
    }
    Ok(())
}

fn is_worth_changing(place: &[PathStep]) -> bool {
    let name = |index: usize| match place.get(index) {
        Some(PathStep::Key(key)) => key.as_str(),
        _ => "",
    };
    match name(0) {
        "apiVersion" | "kind" | "status" => false,
        // Names cannot change, and labels are changed by every kind alike.
        "metadata" => name(1) == "finalizers",
        _ => true,
    }
}

/// Another value of the same type.
pub(super) fn another(value: &Value) -> Value {
    match value {
        Value::Bool(flag) => json!(!flag),
        Value::Number(number) => json!(number.as_i64().unwrap_or_default() + 1),
        Value::String(text) => json!(format!("{text}x")),
        other => other.clone(),
    }
}

/// The places of all values that are neither lists nor maps.
pub(super) fn leaves(value: &Value, path: &mut Vec<PathStep>, places: &mut Vec<Vec<PathStep>>) {
    let mut descend = |step: PathStep, child: &Value| {
        path.push(step);
        leaves(child, path, places);
        path.pop();
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, child)| descend(PathStep::Key(key.clone()), child)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, child)| descend(PathStep::Index(index), child));
        }
        _ => places.push(path.clone()),
    }
}

/// POST of the complete object with one thing wrong; kept where the answer is a new kind of refusal.
fn invalid(kind: &Kind, recorder: &mut Recorder<'_>) -> Result<(), String> {
    let object = kind.objects.get(1).unwrap_or(&kind.objects[0]);
    let dry_run = if kind.can("get") { "?dryRun=All" } else { "" };
    let path = format!("{}{dry_run}", kind.collection());
    recorder.keep(json!({"method": "POST", "path": path, "body": object}))?;
    let mut seen = BTreeSet::new();
    for edit in damaged(object).iter().filter_map(|body| edits(object, body)) {
        if seen.len() >= MAX_INVALID {
            break;
        }
        let send = json!({"method": "POST", "path": path, "edit": edit});
        let answer = recorder.ask(&send)?;
        let is_refused = answer["status"].as_u64().is_some_and(|status| status >= 400);
        // Most damages are refused for the same few reasons.
        if is_refused && seen.insert(refusal(&answer)) {
            recorder.push(send, answer);
        }
    }
    Ok(())
}

/// What a refusal is about, without indices and values.
fn refusal(answer: &Value) -> String {
    let causes = answer["body"]["details"]["causes"].as_array().cloned().unwrap_or_default();
    let described = causes.iter().map(|cause| {
        let message =
            cause["message"].as_str().unwrap_or_default().split(": ").next().unwrap_or_default().to_string();
        format!("{} {} {message}", cause["reason"], cause["field"])
    });
    let text: String = if causes.is_empty() {
        answer["body"]["message"]
            .as_str()
            .unwrap_or_default()
            .split(" of type")
            .next()
            .unwrap_or_default()
            .to_string()
    } else {
        described.collect()
    };
    // Indices and limits would make every refusal a new one.
    text.chars().filter(|character| !character.is_ascii_digit()).collect()
}

/// Objects with one member removed or replaced, one after the other.
fn damaged(object: &Value) -> Vec<Value> {
    let mut places = Vec::new();
    all_places(object, &mut Vec::new(), &mut places);
    let mut bodies = Vec::new();
    for place in places.iter().filter(|place| place.first() != Some(&PathStep::Key("apiVersion".to_string())))
    {
        let mut without = object.clone();
        take_out(&mut without, place);
        bodies.push(without);
        let mut copy = object.clone();
        let wrong = find(&mut copy, place).map(|value| wrong_values(value)).unwrap_or_default();
        for wrong in wrong {
            let mut body = object.clone();
            find(&mut body, place).into_iter().for_each(|value| *value = wrong.clone());
            bodies.push(body);
        }
    }
    bodies
}

fn wrong_values(value: &Value) -> Vec<Value> {
    match value {
        Value::String(_) => vec![json!("A_b!"), json!("")],
        Value::Number(_) => vec![json!(-1), json!(70000), json!("x")],
        Value::Bool(_) => vec![json!("yes")],
        Value::Array(items) if !items.is_empty() => {
            let twice: Vec<Value> = items.iter().chain(items).cloned().collect();
            vec![Value::Array(twice), json!([])]
        }
        _ => Vec::new(),
    }
}

fn all_places(value: &Value, path: &mut Vec<PathStep>, places: &mut Vec<Vec<PathStep>>) {
    let mut visit = |step: PathStep, child: &Value| {
        path.push(step);
        places.push(path.clone());
        all_places(child, path, places);
        path.pop();
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, child)| visit(PathStep::Key(key.clone()), child)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, child)| visit(PathStep::Index(index), child));
        }
        _ => {}
    }
}

fn take_out(object: &mut Value, path: &[PathStep]) {
    let Some((last, parents)) = path.split_last() else { return };
    match (find(object, parents), last) {
        (Some(Value::Object(map)), PathStep::Key(key)) => drop(map.remove(key)),
        (Some(Value::Array(items)), PathStep::Index(index)) => drop(items.remove(*index)),
        _ => {}
    }
}
