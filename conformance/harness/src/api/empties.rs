//! Empty lists, empty maps and nulls in every list and map field of a kind: what they leave, and who owns it.

use http::Method;
use serde_json::{Map, Value, json};

use super::{
    exchange::{Call, Identities},
    kinds::Kind,
    mutate::find,
    schema::{Schema, Step},
    stored::Stored,
    trial::Trial,
};
use crate::rng::Rng;

/// Fields that all kinds have, which the schema of their metadata is not asked for.
const OF_METADATA: [&str; 4] = ["annotations", "finalizers", "labels", "ownerReferences"];

/// How many of a hundred places are in a map that the object lacks.
const DEEPER_PERCENT: usize = 50;

/// POST of an object with empty fields, as a manager of its own.
pub(crate) fn create(kind: &Kind, mut object: Value, schema: Option<Schema<'_>>, rng: &mut Rng) -> Trial {
    empty_some(&mut object, schema, rng);
    let path = format!("{}?fieldManager=a", kind.collection());
    trial(kind, Call::new(Method::POST, path, &object), Identities::default())
}

/// A write to a stored object as another manager: an update, a patch or an apply.
pub(crate) fn write(
    kind: &Kind,
    stored: &Stored,
    manifest: &Value,
    schema: Option<Schema<'_>>,
    rng: &mut Rng,
) -> Trial {
    let path = format!("{}?dryRun=All&fieldManager=b", stored.path);
    let patch = |content_type: &str, path: String, body: &Value| Call {
        content_type: format!("application/{content_type}"),
        ..Call::new(Method::PATCH, path, body)
    };
    let call = match rng.below(4) {
        0 => {
            let mut body = stored.object.clone();
            empty_some(&mut body, schema, rng);
            Call::new(Method::PUT, path, &body)
        }
        1 => {
            let mut body = manifest.clone();
            empty_some(&mut body, schema, rng);
            let force = if rng.chance(50) { "&force=true" } else { "" };
            patch("apply-patch+yaml", format!("{path}{force}"), &body)
        }
        choice => {
            let mut body = stored.object.clone();
            let places = empty_some(&mut body, schema, rng);
            let mut change = json!({});
            for place in &places {
                copy_to(&mut change, &body, place);
            }
            let content_type = if choice == 2 { "merge-patch+json" } else { "strategic-merge-patch+json" };
            patch(content_type, path, &change)
        }
    };
    trial(kind, call, stored.identities.clone())
}

/// The manifest applied by another manager, who may meet the owner of an empty field.
pub(crate) fn apply_after(kind: &Kind, path: &str, manifest: &Value, identities: Identities) -> Trial {
    let path = format!("{path}?dryRun=All&fieldManager=c");
    let mut call = Call::new(Method::PATCH, path, manifest);
    call.content_type = "application/apply-patch+yaml".to_string();
    trial(kind, call, identities)
}

fn trial(kind: &Kind, call: Call, identities: Identities) -> Trial {
    Trial { area: "empties", kind: kind.label(), call, identities }
}

/// Empties one to three fields; answers where they are.
fn empty_some(object: &mut Value, schema: Option<Schema<'_>>, rng: &mut Rng) -> Vec<Vec<Step>> {
    let mut places = Vec::new();
    for _ in 0..=rng.below(3) {
        let mut maps = vec![vec![Step::Key("metadata".to_string())]];
        collect_maps(object, &mut Vec::new(), &mut maps);
        let path = rng.pick(&maps).clone();
        let here = schema.and_then(|schema| schema.at(&path));
        let Some(map) = find(object, &path).and_then(Value::as_object_mut) else { continue };
        let below = match path.first() {
            Some(Step::Key(root)) if root == "metadata" => Some(empty_metadata(map, rng)),
            _ => here.and_then(|here| empty_field(map, here, rng)),
        };
        places.extend(below.map(|below| path.into_iter().chain(below).collect::<Vec<Step>>()));
    }
    places
}

fn empty_metadata(metadata: &mut Map<String, Value>, rng: &mut Rng) -> Vec<Step> {
    let name = *rng.pick(&OF_METADATA);
    let is_map = matches!(name, "annotations" | "labels");
    metadata.insert(name.to_string(), empty(is_map, rng));
    vec![Step::Key(name.to_string())]
}

/// Empties a list or map that the schema has here; some are in maps that the object lacks.
fn empty_field(map: &mut Map<String, Value>, schema: Schema<'_>, rng: &mut Rng) -> Option<Vec<Step>> {
    let containers = schema.properties().into_iter().filter_map(|name| {
        let property = schema.property(&name)?;
        matches!(property.kind(), "array" | "object").then_some((name, property))
    });
    let containers: Vec<(String, Schema<'_>)> = containers.collect();
    if containers.is_empty() {
        return None;
    }
    let (name, property) = rng.pick(&containers).clone();
    let mut path = vec![Step::Key(name.clone())];
    if property.kind() == "object" && !property.properties().is_empty() && rng.chance(DEEPER_PERCENT) {
        let inner = map.entry(name.clone()).or_insert_with(|| json!({}));
        if let Some(below) = inner.as_object_mut().and_then(|inner| empty_field(inner, property, rng)) {
            path.extend(below);
            return Some(path);
        }
    }
    map.insert(name, empty(property.kind() == "object", rng));
    Some(path)
}

fn empty(is_map: bool, rng: &mut Rng) -> Value {
    match (rng.chance(30), is_map) {
        (true, _) => Value::Null,
        (false, true) => json!({}),
        (false, false) => json!([]),
    }
}

/// All maps below the root whose fields a schema may have, and the root itself.
fn collect_maps(value: &Value, path: &mut Vec<Step>, maps: &mut Vec<Vec<Step>>) {
    let mut visit = |step: Step, child: &Value| {
        path.push(step);
        collect_maps(child, path, maps);
        path.pop();
    };
    match value {
        Value::Object(map) => {
            map.iter().filter(|(key, _)| *key != "metadata").for_each(|(key, child)| {
                visit(Step::Key(key.clone()), child);
            });
            maps.push(path.clone());
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, child)| visit(Step::Index(index), child));
        }
        _ => {}
    }
}

/// Copies what is at a place into a patch; a list on the way is copied as a whole.
fn copy_to(patch: &mut Value, from: &Value, place: &[Step]) {
    let [Step::Key(name), rest @ ..] = place else { return };
    let Some(value) = from.get(name) else { return };
    match rest.first() {
        Some(Step::Key(_)) if value.is_object() => {
            if !patch[name].is_object() {
                patch[name] = json!({});
            }
            copy_to(&mut patch[name], value, rest);
        }
        _ => patch[name] = value.clone(),
    }
}
