//! Random scenarios, made while our engine runs them.

use serde_json::{Value, json};

use super::object::{Objects, Role};
use super::subject::Subject;
use crate::rng::Rng;
use kubemerge_test_support::scenario::{Answer, Runner};

/// A scenario and our answers to its steps.
pub(crate) struct Story {
    pub(crate) scenario: Value,
    pub(crate) answers: Vec<Answer>,
}

const MANAGERS: [&str; 6] = ["m1", "m2", "m3", "kubectl", "", "m<4>"];

/// Makes a scenario.
pub(crate) fn tell(rng: &mut Rng, subject: &Subject) -> Story {
    let head = json!({"form": subject.form, "kind": subject.kind, "versions": subject.versions});
    let typed = |object: &Value| subject.typed(object);
    let mut runner = Runner::new(&head, &subject.schema, subject.is_typed().then_some(&typed));
    let mut configs: Vec<(String, Value)> = Vec::new();
    let (mut steps, mut answers) = (Vec::new(), Vec::new());
    // Long scenarios reach the cap of update managers.
    let length = if rng.chance(10) { 30 } else { 4 + rng.below(10) };
    for number in 1..=length {
        let step = step(rng, subject, runner.live(), &mut configs, length == 30);
        answers.push(runner.step(number as i64, &step));
        steps.push(step);
    }
    let mut scenario = head;
    scenario["steps"] = Value::Array(steps);
    Story { scenario, answers }
}

fn step(
    rng: &mut Rng,
    subject: &Subject,
    live: Option<&Value>,
    configs: &mut Vec<(String, Value)>,
    is_long: bool,
) -> Value {
    // Each entry of managedFields has a version, so entries of both must meet.
    let version = match subject.versions.get(1) {
        Some(second) if rng.chance(15) => second,
        _ => &subject.versions[0],
    };
    // More managers than the cap allows.
    let manager = if is_long && rng.chance(60) {
        format!("u{}", rng.below(16))
    } else {
        (*rng.pick(&MANAGERS)).to_owned()
    };
    // Before the object exists only what can create it.
    let op = match rng.below(if live.is_some() { 100 } else { 80 }) {
        _ if is_long && rng.chance(60) => "update",
        0..45 => "apply",
        45..60 => "force",
        60..90 => "update",
        90..93 => "status",
        93..95 => "reset",
        95..97 if live.is_some() => "migrate",
        97..100 if live.is_some() => "scale",
        _ => "update",
    };
    let objects =
        Objects { subject, role: if op == "apply" || op == "force" { Role::Config } else { Role::Live } };
    match op {
        "apply" | "force" => {
            let object = config(rng, &objects, live, configs, &manager);
            json!({"op": "apply", "manager": manager, "force": op == "force", "version": version,
                "object": headed(object, version, &subject.kind)})
        }
        "migrate" => {
            json!({"op": "migrate", "manager": "m1", "managers": [rng.pick(&["m2", "m3", "kubectl"])]})
        }
        "scale" => {
            let manager = if rng.chance(50) { "" } else { "hpa" };
            let replicas = if subject.is_typed() { "replicas" } else { "a" };
            json!({"op": "scale", "manager": manager, "version": version, "replicas": ["spec", replicas]})
        }
        _ => {
            // Go tells nil from empty inside atomic lists, where no text shows it (DIFFERENCES.md): typed
            // objects arrive in their typed form.
            let object = subject.typed(&headed(updated(rng, &objects, live), version, &subject.kind));
            let mut step = json!({"op": "update", "manager": manager, "version": version, "object": object});
            if op == "status" {
                step["subresource"] = json!("status");
                step["reset"] = json!([["spec"], ["metadata", "labels"]]);
            } else if op == "reset" {
                step["object"]["metadata"]["managedFields"] = rng.pick(&[json!([]), json!([{}])]).clone();
            }
            step
        }
    }
}

/// A new configuration, or a change of an earlier one, or of a part of the live object.
fn config(
    rng: &mut Rng,
    objects: &Objects<'_>,
    live: Option<&Value>,
    configs: &mut Vec<(String, Value)>,
    manager: &str,
) -> Value {
    let schema = objects.subject.schema();
    let earlier = configs.iter().find(|(name, _)| name == manager).map(|(_, config)| config.clone());
    let mut config = match (earlier, live) {
        // Unchanged: such an apply must not touch the time of its entry.
        (Some(earlier), _) if rng.chance(20) => earlier,
        (Some(earlier), _) if rng.chance(60) => objects.changed(rng, schema, &earlier, 30),
        (_, Some(live)) if rng.chance(40) => objects.changed(rng, schema, live, 50),
        _ => objects.map(rng, schema, 5),
    };
    tidy_metadata(rng, objects, &mut config);
    if objects.subject.is_typed() {
        drop_empty_in_lists(&mut config, false);
    }
    configs.retain(|(name, _)| name != manager);
    configs.push((manager.to_owned(), config.clone()));
    config
}

fn updated(rng: &mut Rng, objects: &Objects<'_>, live: Option<&Value>) -> Value {
    let schema = objects.subject.schema();
    let mut object = match live {
        Some(live) => objects.changed(rng, schema, live, 25),
        None => objects.map(rng, schema, 5),
    };
    tidy_metadata(rng, objects, &mut object);
    if rng.chance(50) {
        object["metadata"]["uid"] = json!("1");
    }
    // An object that kubectl applied earlier: its fields go over to server-side apply.
    if rng.chance(5) {
        object["metadata"]["annotations"] = json!({
            "kubectl.kubernetes.io/last-applied-configuration":
                json!({"apiVersion": objects.subject.versions[0], "kind": objects.subject.kind,
                    "spec": object["spec"]}).to_string(),
        });
    }
    object
}

/// Go tells nil from empty, which storage does not keep and no text shows inside atomic lists (DIFFERENCES.md).
fn drop_empty_in_lists(value: &mut Value, is_in_list: bool) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| drop_empty_in_lists(item, true)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| drop_empty_in_lists(member, is_in_list));
            members.retain(|_, member| match member {
                Value::Array(items) => !items.is_empty(),
                Value::Object(inner) => !is_in_list || !inner.is_empty(),
                _ => true,
            });
        }
        _ => {}
    }
}

/// Metadata is small: labels, annotations and finalizers are enough.
fn tidy_metadata(rng: &mut Rng, objects: &Objects<'_>, object: &mut Value) {
    let schema = json!({"type": "object", "properties": {
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
        "finalizers": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
    }});
    let metadata = match object.get("metadata").filter(|metadata| metadata.is_object()) {
        Some(metadata) if rng.chance(60) => objects.changed(rng, &schema, metadata, 20),
        _ => objects.map(rng, &schema, 2),
    };
    object["metadata"] = if metadata.is_object() { metadata } else { json!({}) };
    object["metadata"]["name"] = json!("w");
    // Annotations that are no map of strings are refused by every API server.
    for name in ["labels", "annotations"] {
        let Some(map) = object["metadata"][name].as_object_mut() else { continue };
        map.retain(|_, value| value.is_string());
    }
}

fn headed(mut object: Value, version: &str, kind: &str) -> Value {
    object["apiVersion"] = json!(version);
    object["kind"] = json!(kind);
    object
}
