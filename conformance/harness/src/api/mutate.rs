//! Random damage to objects, and random values of a schema.

use serde_json::{Map, Value, json};

use super::schema::{Schema, Step};
use crate::rng::Rng;

/// Where something was changed, and how, for JSON patches.
pub(crate) struct Change {
    pub(crate) path: Vec<Step>,
}

/// Depth of generated values.
const MAX_DEPTH: usize = 4;

/// Texts that are wrong in most fields.
const BAD_TEXTS: [&str; 10] = ["", " ", "A_b!", "-a", "a/b/c", "1.2.3.4.5", "Not Found", "ä", "0", "x:y"];
/// Numbers outside most ranges.
const BAD_NUMBERS: [i64; 9] = [-1, 0, 1, 101, 65536, 2_147_483_647, 2_147_483_648, 1 << 40, -5];

/// Makes 1 to 3 changes under the given roots (all members if none are named).
pub(crate) fn mutate(
    object: &mut Value,
    schema: Option<Schema<'_>>,
    roots: &[&str],
    rng: &mut Rng,
) -> Vec<Change> {
    let mut changes = Vec::new();
    // More changes would mostly be refused for the first of them.
    for _ in 0..=rng.below(3) {
        let mut places = Vec::new();
        collect(object, &mut Vec::new(), &mut places);
        places.retain(|place| allowed(place, roots));
        if places.is_empty() {
            break;
        }
        let path = rng.pick(&places).clone();
        let here = schema.and_then(|schema| schema.at(&path));
        change(object, &path, here, rng);
        changes.push(Change { path });
    }
    changes
}

/// All places below the root, except the type of the object.
fn collect(value: &Value, path: &mut Vec<Step>, places: &mut Vec<Vec<Step>>) {
    let mut visit = |step: Step, child: &Value| {
        path.push(step);
        places.push(path.clone());
        collect(child, path, places);
        path.pop();
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, child)| visit(Step::Key(key.clone()), child)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, child)| visit(Step::Index(index), child));
        }
        _ => {}
    }
}

fn allowed(path: &[Step], roots: &[&str]) -> bool {
    let Some(Step::Key(root)) = path.first() else { return false };
    if root == "apiVersion" || root == "kind" {
        return false;
    }
    // Names and namespaces decide the path of the request; they are damaged on their own.
    let second = path.get(1);
    let fixed = ["name", "namespace", "uid", "resourceVersion"];
    if root == "metadata" && matches!(second, Some(Step::Key(key)) if fixed.contains(&key.as_str())) {
        return false;
    }
    roots.is_empty() || roots.contains(&root.as_str())
}

fn change(object: &mut Value, path: &[Step], schema: Option<Schema<'_>>, rng: &mut Rng) {
    let choice = rng.below(100);
    if choice < 20 {
        remove(object, path);
        return;
    }
    let Some(value) = find(object, path) else { return };
    match choice {
        20..30 => *value = Value::Null,
        30..42 => *value = another_type(value, rng),
        42..70 => out_of_range(value, schema, rng),
        70..78 => duplicate(value, rng),
        78..82 => add_unknown(value),
        _ => add_known(value, schema, rng),
    }
}

/// The value at a path.
pub(crate) fn find<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.as_object_mut()?.get_mut(key),
        Step::Index(index) => value.as_array_mut()?.get_mut(*index),
    })
}

/// Takes out what is at a path.
pub(crate) fn remove(object: &mut Value, path: &[Step]) {
    let Some((last, parents)) = path.split_last() else { return };
    match (find(object, parents), last) {
        (Some(Value::Object(map)), Step::Key(key)) => drop(map.remove(key)),
        (Some(Value::Array(items)), Step::Index(index)) if *index < items.len() => drop(items.remove(*index)),
        _ => {}
    }
}

fn another_type(value: &Value, rng: &mut Rng) -> Value {
    let others =
        [json!("text"), json!(7), json!(true), json!({}), json!([]), json!([1]), json!({"a": 1}), json!(1.5)];
    let fitting: Vec<&Value> = others.iter().filter(|other| kind(other) != kind(value)).collect();
    (*rng.pick(&fitting)).clone()
}

fn kind(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

fn out_of_range(value: &mut Value, schema: Option<Schema<'_>>, rng: &mut Rng) {
    match value {
        Value::Bool(flag) => *flag = !*flag,
        Value::Number(_) => *value = (*rng.pick(&BAD_NUMBERS)).into(),
        Value::String(text) => {
            let choices = schema.map(|schema| schema.choices()).unwrap_or_default();
            *text = match rng.below(10) {
                // Another valid value is what updates are about.
                0..5 if !choices.is_empty() => rng.pick(&choices).clone(),
                // One more than a label may have, and below one more than a subdomain.
                0..2 => "a".repeat(64),
                2 => "a".repeat(254),
                3 => format!("{text}x"),
                _ => (*rng.pick(&BAD_TEXTS)).to_string(),
            };
        }
        Value::Array(items) => items.clear(),
        Value::Object(map) => map.clear(),
        Value::Null => *value = json!("text"),
    }
}

fn duplicate(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let copy = rng.pick(items).clone();
            items.push(copy);
        }
        Value::Object(map) if !map.is_empty() => {
            let (key, copy) =
                map.iter().nth(rng.below(map.len())).map(|(k, v)| (k.clone(), v.clone())).unwrap_or_default();
            map.insert(format!("{key}2"), copy);
        }
        scalar => *scalar = Value::Null,
    }
}

fn add_unknown(value: &mut Value) {
    if let Value::Object(map) = value {
        map.insert("unknownField".to_string(), json!("x"));
    }
}

/// Adds a member that the schema has and the object lacks.
fn add_known(value: &mut Value, schema: Option<Schema<'_>>, rng: &mut Rng) {
    let Some(schema) = schema else { return };
    match value {
        Value::Object(map) => {
            let missing: Vec<String> =
                schema.properties().into_iter().filter(|name| !map.contains_key(name)).collect();
            if missing.is_empty() {
                return;
            }
            let name = rng.pick(&missing).clone();
            let generated =
                schema.property(&name).map_or(Value::Null, |schema| generate(schema, MAX_DEPTH, rng));
            map.insert(name, generated);
        }
        Value::Array(items) => {
            if let Some(element) = schema.element() {
                items.push(generate(element, MAX_DEPTH, rng));
            }
        }
        scalar => *scalar = generate(schema, 0, rng),
    }
}

/// A random value that fits the schema, mostly.
pub(crate) fn generate(schema: Schema<'_>, depth: usize, rng: &mut Rng) -> Value {
    let choices = schema.choices();
    if !choices.is_empty() {
        return Value::String(rng.pick(&choices).clone());
    }
    match schema.kind() {
        "object" => generate_object(schema, depth, rng),
        "array" => {
            let count = if depth == 0 { 0 } else { rng.below(3) };
            let element = schema.element();
            (0..count).filter_map(|_| element.map(|element| generate(element, depth - 1, rng))).collect()
        }
        "integer" => json!([0, 1, 2, 5, 10, 80, 600][rng.below(7)]),
        "number" => json!([0.5, 1.0, 3.0][rng.below(3)]),
        "boolean" => json!(rng.chance(50)),
        _ => generate_text(schema, rng),
    }
}

fn generate_object(schema: Schema<'_>, depth: usize, rng: &mut Rng) -> Value {
    let mut map = Map::new();
    if depth > 0 {
        for name in schema.properties() {
            let wanted = schema.requires(&name) || rng.chance(25);
            if let Some(property) = schema.property(&name).filter(|_| wanted) {
                map.insert(name, generate(property, depth - 1, rng));
            }
        }
        if let Some(values) = schema.values() {
            map.insert(format!("k{}", rng.below(9)), generate(values, depth - 1, rng));
        }
    }
    Value::Object(map)
}

fn generate_text(schema: Schema<'_>, rng: &mut Rng) -> Value {
    match schema.format() {
        "date-time" => json!("2026-01-02T03:04:05Z"),
        "byte" => json!("YWJj"),
        "int-or-string" => [json!(8080), json!("25%"), json!("http")][rng.below(3)].clone(),
        "quantity" => [json!("1"), json!("500m"), json!("1Gi")][rng.below(3)].clone(),
        _ => [
            json!("a"),
            json!("web"),
            json!("example.com"),
            json!("example.com/a"),
            json!("10.0.0.1"),
            json!("/a"),
        ][rng.below(6)]
        .clone(),
    }
}
