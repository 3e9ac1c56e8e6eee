//! Random scenarios, made while our engine runs them.

use kubemerge_schema::TypeTable;
use serde_json::{Value, json};

use super::object::{Objects, Wild};
use super::scenario::{Answer, Runner};
use super::schema::{GROUP, KIND, VERSIONS};
use crate::dice::Dice;

/// A scenario and our answers to its steps.
pub(crate) struct Story {
    pub(crate) scenario: Value,
    pub(crate) answers: Vec<Answer>,
}

const MANAGERS: [&str; 6] = ["m1", "m2", "m3", "kubectl", "", "m<4>"];

/// Makes a scenario of one form.
pub(crate) fn tell(dice: &mut Dice, form: &str, document: &Value, table: &TypeTable) -> Story {
    let versions: Vec<String> = VERSIONS.iter().map(|version| format!("{GROUP}/{version}")).collect();
    let head = json!({"form": form, "kind": KIND, "versions": versions});
    let mut runner = Runner::new(&head, table, None);
    let mut configs: Vec<(String, Value)> = Vec::new();
    let (mut steps, mut answers) = (Vec::new(), Vec::new());
    // Long scenarios reach the cap of update managers.
    let length = if dice.chance(10) { 30 } else { 4 + dice.below(10) };
    for number in 1..=length {
        let step = step(dice, document, runner.live(), &mut configs, length == 30);
        answers.push(runner.step(number as i64, &step));
        steps.push(step);
    }
    let mut scenario = head;
    scenario["steps"] = Value::Array(steps);
    Story { scenario, answers }
}

fn step(
    dice: &mut Dice,
    document: &Value,
    live: Option<&Value>,
    configs: &mut Vec<(String, Value)>,
    is_long: bool,
) -> Value {
    let version = format!("{GROUP}/{}", if dice.chance(85) { VERSIONS[0] } else { VERSIONS[1] });
    let manager = match is_long && dice.chance(60) {
        true => format!("u{}", dice.below(16)),
        false => (*dice.pick(&MANAGERS)).to_owned(),
    };
    let op = match dice.below(if live.is_some() { 100 } else { 80 }) {
        _ if is_long && dice.chance(60) => "update",
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
        Objects { document, wild: if op == "apply" || op == "force" { Wild::Config } else { Wild::Live } };
    match op {
        "apply" | "force" => {
            let object = config(dice, &objects, live, configs, &manager);
            json!({"op": "apply", "manager": manager, "force": op == "force", "version": version,
                "object": headed(object, &version)})
        }
        "migrate" => {
            json!({"op": "migrate", "manager": "m1", "managers": [dice.pick(&["m2", "m3", "kubectl"])]})
        }
        "scale" => {
            let manager = if dice.chance(50) { "" } else { "hpa" };
            json!({"op": "scale", "manager": manager, "version": version, "replicas": ["spec", "a"]})
        }
        _ => {
            let object = updated(dice, &objects, live);
            let mut step = json!({"op": "update", "manager": manager, "version": version,
                "object": headed(object, &version)});
            if op == "status" {
                step["subresource"] = json!("status");
                step["reset"] = json!([["spec"], ["metadata", "labels"]]);
            } else if op == "reset" {
                step["object"]["metadata"]["managedFields"] = dice.pick(&[json!([]), json!([{}])]).clone();
            }
            step
        }
    }
}

/// A new configuration, or a change of an earlier one, or of a part of the live object.
fn config(
    dice: &mut Dice,
    objects: &Objects<'_>,
    live: Option<&Value>,
    configs: &mut Vec<(String, Value)>,
    manager: &str,
) -> Value {
    let schema = &objects.document["components"]["schemas"]["Widget"];
    let earlier = configs.iter().find(|(name, _)| name == manager).map(|(_, config)| config.clone());
    let mut config = match (earlier, live) {
        (Some(earlier), _) if dice.chance(20) => earlier,
        (Some(earlier), _) if dice.chance(60) => objects.changed(dice, schema, &earlier, 30),
        (_, Some(live)) if dice.chance(40) => objects.changed(dice, schema, live, 50),
        _ => objects.map(dice, schema, 3),
    };
    tidy_metadata(dice, objects, &mut config);
    configs.retain(|(name, _)| name != manager);
    configs.push((manager.to_owned(), config.clone()));
    config
}

fn updated(dice: &mut Dice, objects: &Objects<'_>, live: Option<&Value>) -> Value {
    let schema = &objects.document["components"]["schemas"]["Widget"];
    let mut object = match live {
        Some(live) => objects.changed(dice, schema, live, 25),
        None => objects.map(dice, schema, 3),
    };
    tidy_metadata(dice, objects, &mut object);
    if dice.chance(50) {
        object["metadata"]["uid"] = json!("1");
    }
    if dice.chance(5) {
        object["metadata"]["annotations"] = json!({
            "kubectl.kubernetes.io/last-applied-configuration":
                json!({"apiVersion": "example.com/v1", "kind": "Widget", "spec": object["spec"]}).to_string(),
        });
    }
    object
}

/// Metadata is small: labels, annotations and finalizers are enough.
fn tidy_metadata(dice: &mut Dice, objects: &Objects<'_>, object: &mut Value) {
    let schema = json!({"type": "object", "properties": {
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
        "finalizers": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
    }});
    let metadata = match object.get("metadata").filter(|metadata| metadata.is_object()) {
        Some(metadata) if dice.chance(60) => objects.changed(dice, &schema, metadata, 20),
        _ => objects.map(dice, &schema, 2),
    };
    object["metadata"] = if metadata.is_object() { metadata } else { json!({}) };
    object["metadata"]["name"] = json!("w");
    // Annotations that are no map of strings are refused by every API server.
    for name in ["labels", "annotations"] {
        let Some(map) = object["metadata"][name].as_object_mut() else { continue };
        map.retain(|_, value| value.is_string());
    }
}

fn headed(mut object: Value, version: &str) -> Value {
    object["apiVersion"] = json!(version);
    object["kind"] = json!(KIND);
    object
}
