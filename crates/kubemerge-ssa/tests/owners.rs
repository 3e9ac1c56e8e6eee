//! Laws of owners, held against objects of every built-in kind that were changed at random: the short ways find what the
//! plain ways find. The seed is printed when one fails.

use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use kubemerge_schema::{Dialect, Schema};
use kubemerge_ssa::SameForm;
use kubemerge_ssa::fieldpath::{FieldOrder, FieldSet};
use kubemerge_ssa::managed_fields::{
    Endpoint, FieldsV1, Live, LiveForm, ManagedFields, ManagedFieldsEntry, Operation, Time, Writer, create,
    update,
};
use kubemerge_ssa::typed::compare;
use kubemerge_ssa::value::{Arena, ParsedValue};
use kubemerge_test_support::seed::seed;
use serde_json::{Map, Value, json};

const ROUNDS: u64 = 30;

/// The objects that the API server has accepted, two of each kind.
fn objects() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/api/objects");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    let documents = |path: PathBuf| {
        let bytes = fs::read(path).unwrap();
        let documents = kubemerge_yaml::parse(&bytes, &kubemerge_yaml::Options::default());
        let json = |document: kubemerge_yaml::YamlDocument| {
            serde_json::from_slice(&document.to_json().unwrap()).unwrap()
        };
        documents.unwrap().into_iter().map(json).collect::<Vec<Value>>()
    };
    let objects: Vec<Value> = paths.flat_map(documents).collect();
    assert!(objects.len() > 100, "only {} objects were found", objects.len());
    objects
}

/// A value that may be wrong anywhere.
fn stray(rng: &mut Rng) -> Value {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(-7),
        json!(1.5),
        json!(""),
        json!("a\"<b>\u{2028}"),
        json!("x"),
        json!([]),
        json!([null]),
        json!({}),
        json!({"name": "a", "strange": 1}),
    ];
    values[rng.usize(..values.len())].clone()
}

/// Changes some places of a value: other values, removed and added members, repeated, moved and removed items.
fn change(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Object(members) if !members.is_empty() => match rng.u8(..12) {
            0 => drop(members.remove(&nth(members, rng))),
            1 => drop(members.insert(["a/b", "x\"y", "name", "key"][rng.usize(..4)].into(), stray(rng))),
            _ => {
                let name = nth(members, rng);
                members.get_mut(&name).into_iter().for_each(|value| change(value, rng));
            }
        },
        Value::Array(items) if !items.is_empty() => {
            let place = rng.usize(..items.len());
            match rng.u8(..8) {
                0 => drop(items.remove(place)),
                1 => items.push(items[place].clone()),
                2 => items.reverse(),
                _ => change(&mut items[place], rng),
            }
        }
        Value::String(text) if rng.bool() => text.push_str(["1", "<", "\""][rng.usize(..3)]),
        Value::Number(_) if rng.bool() => *value = json!(rng.i32(0..100)),
        other => *other = stray(rng),
    }
}

fn nth(members: &Map<String, Value>, rng: &mut Rng) -> String {
    members.keys().nth(rng.usize(..members.len())).cloned().unwrap_or_default()
}

fn changed(object: &Value, rng: &mut Rng) -> Value {
    let mut object = object.clone();
    (0..rng.u8(..4)).for_each(|_| change(&mut object, rng));
    object
}

/// What is left of an object if every value is zero, with some members left out.
fn emptied(value: &Value, rng: &mut Rng) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|_| rng.u8(..3) == 0).map(|(name, value)| (name.clone(), value));
            let kept: Vec<(String, &Value)> = kept.collect();
            Value::Object(kept.into_iter().map(|(name, value)| (name, emptied(value, rng))).collect())
        }
        Value::Array(_) => Value::Null,
        Value::String(text) if rng.bool() => json!(text),
        Value::String(_) => json!(""),
        Value::Number(_) => json!(0),
        other => other.clone(),
    }
}

fn text<'o>(object: &'o Value, name: &str) -> &'o str {
    object[name].as_str().unwrap_or_default()
}

/// Runs a law for an endpoint of the kind of an object.
fn at_endpoint(
    schema: &Schema,
    object: &Value,
    rng: &mut Rng,
    law: impl FnOnce(&Endpoint<'_>, &Arena, &mut Rng),
) {
    let resets: [&[&[&str]]; 4] =
        [&[], &[&["status"]], &[&["spec"], &["metadata", "labels"]], &[&["metadata"], &["data", "a"]]];
    let arena = Arena::new();
    let reset_fields = FieldSet::of_names(resets[rng.usize(..resets.len())], &arena);
    let (api_version, kind) = (text(object, "apiVersion"), text(object, "kind"));
    let mut empty = if rng.bool() { emptied(object, rng) } else { json!({}) };
    (empty["apiVersion"], empty["kind"]) = (json!(api_version), json!(kind));
    if let Some(metadata) = empty.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("uid");
    }
    let endpoint = Endpoint {
        versions: &SameForm::built_in(schema, kind),
        api_version,
        kind,
        subresource: ["", "status"][rng.usize(..2)],
        reset_fields: &reset_fields,
        order: FieldOrder::Path,
        empty: ParsedValue::from_json(&empty, &arena).unwrap(),
    };
    law(&endpoint, &arena, rng);
}

/// Runs a law with every object and fresh seeds.
fn for_all(law: impl Fn(&Schema, &Value, &mut Rng)) {
    let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
    let first = seed();
    for object in objects() {
        for seed in (0..ROUNDS).map(|round| first.wrapping_add(round)) {
            let name = format!("{} {}, seed {seed}", text(&object, "apiVersion"), text(&object, "kind"));
            let run = std::panic::AssertUnwindSafe(|| law(&schema, &object, &mut Rng::with_seed(seed)));
            assert!(std::panic::catch_unwind(run).is_ok(), "{name}");
        }
    }
}

fn writer(rng: &mut Rng) -> Writer<'static> {
    Writer { manager: ["", "kubectl", "a\"b"][rng.usize(..3)], time: Some(Time(rng.i64(0..3))) }
}

#[test]
fn new_objects_have_the_owners_that_an_update_of_nothing_gives() {
    for_all(|schema, object, rng| {
        at_endpoint(schema, object, rng, |endpoint, arena, rng| {
            let nothing = ManagedFields::new();
            let live = Live { object: endpoint.empty, managed: &nothing };
            for _ in 0..4 {
                let new = changed(object, rng);
                let new = ParsedValue::from_json(&new, arena).unwrap();
                let writer = writer(rng);
                let plain = update(endpoint, live, LiveForm::Unchecked, new, writer, arena);
                let short = create(endpoint, new, writer, arena);
                match (plain, short) {
                    (Ok(plain), Some(short)) => assert_eq!(short, plain),
                    (Err(error), Some(short)) => panic!("{error}, but {short:?}"),
                    (_, None) => {}
                }
            }
        });
    });
}

#[test]
fn usual_objects_take_the_short_way() {
    for_all(|schema, object, rng| {
        at_endpoint(schema, object, rng, |endpoint, arena, _| {
            let (bare, nothing) = (ParsedValue::EMPTY_MAP, FieldSet::new());
            let endpoint = Endpoint { empty: bare, reset_fields: &nothing, ..*endpoint };
            let new = ParsedValue::from_json(object, arena).unwrap();
            let me = Writer { manager: "me", time: Some(Time(1)) };
            assert!(create(&endpoint, new, me, arena).is_some());
        });
    });
}

/// Entries of two managers, each with a part of what is in an object.
fn owners(endpoint: &Endpoint<'_>, object: &Value, rng: &mut Rng) -> ManagedFields {
    let arena = &Arena::new();
    let mut entries = Vec::new();
    for (manager, operation) in
        [("kubectl", Operation::Update), ("", Operation::Update), ("other", Operation::Apply)]
    {
        let part = changed(object, rng);
        let part = ParsedValue::from_json(&part, arena).unwrap();
        let Some(managed) = create(endpoint, part, Writer { manager, time: Some(Time(0)) }, arena) else {
            continue;
        };
        entries
            .extend(managed.entries().iter().map(|entry| ManagedFieldsEntry { operation, ..entry.clone() }));
    }
    ManagedFields::from_entries(entries)
}

/// What an update does to entries, by sets alone.
fn by_sets(
    endpoint: &Endpoint<'_>,
    live: Live<'_>,
    new: ParsedValue<'_>,
    writer: Writer<'_>,
) -> Vec<(ManagedFieldsEntry, String)> {
    let arena = &Arena::new();
    let ty = endpoint.versions.type_of(endpoint.api_version).unwrap();
    let changes = compare(ty, live.object, new, arena).unwrap().without(endpoint.reset_fields, arena);
    let written = changes.modified.union(&changes.added, arena);
    let stripped = [
        &["apiVersion"][..],
        &["kind"],
        &["metadata"],
        &["metadata", "clusterName"],
        &["metadata", "creationTimestamp"],
        &["metadata", "generation"],
        &["metadata", "managedFields"],
        &["metadata", "name"],
        &["metadata", "namespace"],
        &["metadata", "resourceVersion"],
        &["metadata", "selfLink"],
        &["metadata", "uid"],
    ];
    let gained = written.difference(&FieldSet::of_names(&stripped, arena), arena);
    let id = endpoint.manager_id(writer.manager, Operation::Update);
    let mut entries = Vec::new();
    for entry in live.managed.entries() {
        let set = entry.fields.set_in(arena).unwrap();
        let left = set.difference(&written, arena).difference(&changes.removed, arena);
        let is_writer = entry.is_of(&id) && !gained.is_empty();
        let (set, time) =
            if is_writer { (left.union(&gained, arena), writer.time) } else { (left, entry.time) };
        if !set.is_empty() {
            entries.push((ManagedFieldsEntry { time, ..entry.clone() }, set.to_fields_v1(endpoint.order)));
        }
    }
    if live.managed.entry(&id).is_none() && !gained.is_empty() {
        let fields = FieldsV1::of(&gained, endpoint.order);
        let text = fields.as_str().to_owned();
        let entry = ManagedFieldsEntry {
            manager: id.manager.clone(),
            operation: Operation::Update,
            api_version: endpoint.api_version.into(),
            subresource: id.subresource.clone(),
            time: writer.time,
            fields,
        };
        entries.push((entry, text));
    }
    entries
}

#[test]
fn an_update_moves_what_changed_and_nothing_else() {
    for_all(|schema, object, rng| {
        at_endpoint(schema, object, rng, |endpoint, arena, rng| {
            let managed = owners(endpoint, object, rng);
            let (mut old, mut new) = (object.clone(), changed(object, rng));
            // An object that exists without entries is not tracked, which is no concern of this law.
            [&mut old, &mut new]
                .into_iter()
                .filter_map(|one| one.get_mut("metadata")?.as_object_mut())
                .for_each(|one| {
                    one.remove("uid");
                });
            let (old, new) =
                (ParsedValue::from_json(&old, arena).unwrap(), ParsedValue::from_json(&new, arena).unwrap());
            let (live, writer) = (Live { object: old, managed: &managed }, writer(rng));
            let Ok(tracked) = update(endpoint, live, LiveForm::Unchecked, new, writer, arena) else { return };
            let mut found: Vec<_> = tracked
                .entries()
                .iter()
                .map(|entry| (entry.id(), entry.time, entry.fields.as_str().to_owned()))
                .collect();
            let mut wanted: Vec<_> = by_sets(endpoint, live, new, writer)
                .into_iter()
                .map(|(entry, text)| (entry.id(), entry.time, text))
                .collect();
            found.sort_by_key(|(id, ..)| id.to_json());
            wanted.sort_by_key(|(id, ..)| id.to_json());
            assert_eq!(found, wanted);
        });
    });
}

#[test]
fn fields_that_did_not_change_may_be_left_out() {
    for_all(|schema, object, rng| {
        at_endpoint(schema, object, rng, |endpoint, arena, rng| {
            let managed = if rng.bool() { owners(endpoint, object, rng) } else { ManagedFields::new() };
            let (old, mut new) = (object.clone(), changed(object, rng));
            // An update keeps the uid.
            if rng.bool() {
                new["metadata"] = old["metadata"].clone();
            }
            let all = [&old, &new].map(|object| ParsedValue::from_json(object, arena).unwrap());
            let (mut old_part, mut new_part) = (old.clone(), new.clone());
            for (name, value) in old.as_object().unwrap() {
                if name != "metadata" && new.get(name) == Some(value) {
                    for part in [&mut old_part, &mut new_part] {
                        part.as_object_mut().unwrap().remove(name);
                    }
                }
            }
            let part = [&old_part, &new_part].map(|object| ParsedValue::from_json(object, arena).unwrap());
            let (writer, live) = (writer(rng), |object| Live { object, managed: &managed });
            let literal = update(endpoint, live(all[0]), LiveForm::Unchecked, all[1], writer, arena);
            let short = update(endpoint, live(part[0]), LiveForm::Valid, part[1], writer, arena);
            // Messages name the object, of which parts are missing.
            assert_eq!(short.ok(), literal.ok());
        });
    });
}
