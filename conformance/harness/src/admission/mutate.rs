//! Random changes to valid objects, as clients get them wrong.

use std::collections::BTreeMap;

use kubemerge_schema::{Alternative, GoField, GoKind, Schema, StructId};
use serde_json::Value;

use super::objects::{Base, text};
use super::value::{any_value, odd_value};
use crate::rng::Rng;

/// Changes objects; knows the types of fields and which values the valid objects have in them.
pub(super) struct Mutator<'s> {
    schema: &'s Schema,
    /// Values by the name of their field.
    seen: BTreeMap<String, Vec<Value>>,
}

/// Whether the name stays: requests whose name is not that of their path are another matter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeepName {
    Yes,
    No,
}

/// A place in an object: names of fields and numbers of items.
#[derive(Clone)]
enum Step {
    Field(String),
    Item(usize),
}

impl<'s> Mutator<'s> {
    pub(super) fn new(schema: &'s Schema, bases: &[Base]) -> Mutator<'s> {
        let mut seen = BTreeMap::new();
        for base in bases {
            collect(&base.object, &mut seen);
            base.stored.iter().for_each(|stored| collect(stored, &mut seen));
        }
        Mutator { schema, seen }
    }

    /// Changes one thing; answers what.
    pub(super) fn change(&self, object: &mut Value, keep_name: KeepName, rng: &mut Rng) -> Option<String> {
        let before = object.get("metadata").cloned().unwrap_or_default();
        let told = self.change_anything(object, rng);
        keep_address(object, &before, keep_name);
        told
    }

    fn change_anything(&self, object: &mut Value, rng: &mut Rng) -> Option<String> {
        let mut places = Vec::new();
        // apiVersion and kind decide which rules apply, so they stay.
        for (name, value) in
            object.as_object()?.iter().filter(|(name, _)| *name != "kind" && *name != "apiVersion")
        {
            all_places(value, vec![Step::Field(name.clone())], &mut places);
        }
        // Valid objects have few of the fields of their type, so adding is as frequent as changing.
        if rng.chance(35) {
            return self.add_field(object, &places, rng);
        }
        let place = if places.is_empty() { return None } else { rng.pick(&places).clone() };
        let name = show(&place);
        let (last, parents) = place.split_last()?;
        let parent = at(object, parents)?;
        match (rng.below(10), last, parent) {
            (0..=1, Step::Field(field), Value::Object(map)) => {
                map.remove(field);
                Some(format!("drop {name}"))
            }
            (0..=1, Step::Item(item), Value::Array(list)) => {
                list.remove(*item);
                Some(format!("drop {name}"))
            }
            (2, Step::Item(item), Value::Array(list)) => {
                list.push(list[*item].clone());
                Some(format!("repeat {name}"))
            }
            (_, Step::Field(field), Value::Object(map)) => {
                let new = self.replacement(field, &map[field], rng);
                let told = format!("{name} = {new}");
                map.insert(field.clone(), new);
                Some(told)
            }
            (_, Step::Item(item), Value::Array(list)) => {
                let new = self.replacement("", &list[*item], rng);
                let told = format!("{name} = {new}");
                list[*item] = new;
                Some(told)
            }
            _ => None,
        }
    }

    fn replacement(&self, field: &str, old: &Value, rng: &mut Rng) -> Value {
        match self.seen.get(field) {
            // Values from elsewhere are often valid by themselves and wrong together, which reaches the later
            // rules.
            Some(values) if rng.chance(30) => rng.pick(values).clone(),
            _ if rng.chance(10) => any_value(rng),
            _ => odd_value(old, rng),
        }
    }

    /// Adds a field that the type of a map has and the map has not.
    fn add_field(&self, object: &mut Value, places: &[Vec<Step>], rng: &mut Rng) -> Option<String> {
        let types = self.schema.go_types();
        let root = self.schema.go_struct(text(object, "apiVersion"), text(object, "kind"))?;
        let mut owners: Vec<(Vec<Step>, StructId)> = vec![(Vec::new(), root)];
        owners.extend(places.iter().filter_map(|place| Some((place.clone(), self.struct_at(root, place)?))));
        let (place, id) = rng.pick(&owners).clone();
        let fields: Vec<GoField<'_>> = types.of(id).fields().collect();
        if fields.is_empty() {
            return None;
        }
        let field = rng.pick(&fields);
        let name = field.name.to_owned();
        let map = at(object, &place)?.as_object_mut()?;
        // These decide which rules apply.
        if name == "kind" || name == "apiVersion" {
            return None;
        }
        let value = self.generate(&name, field.value.kind, 0, rng);
        let told = format!("{}.{name} := {value}", show(&place));
        map.insert(name, value);
        Some(told)
    }

    fn struct_at(&self, root: StructId, place: &[Step]) -> Option<StructId> {
        let types = self.schema.go_types();
        let mut kind = GoKind::Struct(root);
        for step in place {
            kind = match (kind, step) {
                (GoKind::Struct(id) | GoKind::StructOr(_, id), Step::Field(name)) => {
                    types.of(id).named(name)?.value.kind
                }
                (GoKind::Map(item), Step::Field(_)) | (GoKind::List(item), Step::Item(_)) => {
                    types.value(item).kind
                }
                _ => return None,
            };
        }
        match kind {
            GoKind::Struct(id) | GoKind::StructOr(_, id) => Some(id),
            _ => None,
        }
    }

    /// A value of a type; half of the time one that a valid object has in a field of this name.
    fn generate(&self, name: &str, kind: GoKind, depth: usize, rng: &mut Rng) -> Value {
        if let Some(values) = self.seen.get(name).filter(|_| rng.chance(50)) {
            return rng.pick(values).clone();
        }
        let types = self.schema.go_types();
        match kind {
            GoKind::Bool => rng.chance(50).into(),
            GoKind::Int32 | GoKind::Int64 => odd_value(&Value::from(1), rng),
            GoKind::Float64 => Value::from(0.5),
            GoKind::IntOrString if rng.chance(50) => odd_value(&Value::from(1), rng),
            GoKind::Time => "2024-01-02T03:04:05Z".into(),
            GoKind::MicroTime => "2024-01-02T03:04:05.000006Z".into(),
            GoKind::Duration => "1m30s".into(),
            GoKind::Quantity => (*rng.pick(&["0.5", "1Gi", "100m", "1024Mi", "0", "-1", "2"])).into(),
            GoKind::Bytes => "YQ==".into(),
            GoKind::String | GoKind::IntOrString => odd_value(&"".into(), rng),
            GoKind::Any => any_value(rng),
            // Types such as JSONSchemaProps contain themselves.
            GoKind::List(_) | GoKind::Map(_) | GoKind::Struct(_) if depth > 4 => Value::Null,
            GoKind::StructOr(other, id) => match other {
                Alternative::Bool if rng.chance(30) => rng.chance(50).into(),
                Alternative::Strings if rng.chance(50) => vec!["a"].into(),
                Alternative::Structs if rng.chance(10) => {
                    vec![self.generate("", GoKind::Struct(id), depth + 1, rng)].into()
                }
                _ => self.generate("", GoKind::Struct(id), depth + 1, rng),
            },
            GoKind::List(item) => {
                let kind = types.value(item).kind;
                (0..rng.below(3)).map(|_| self.generate("", kind, depth + 1, rng)).collect()
            }
            GoKind::Map(item) => {
                let kind = types.value(item).kind;
                let key = odd_value(&"key".into(), rng).as_str().unwrap_or("key").to_owned();
                Value::Object([(key, self.generate("", kind, depth + 1, rng))].into_iter().collect())
            }
            GoKind::Struct(id) => {
                let mut map = serde_json::Map::new();
                for field in types.of(id).fields() {
                    let name = field.name;
                    // Fields that Kubernetes requires have no omitempty, mostly.
                    if rng.chance(if field.value.keeps_empty { 85 } else { 15 }) {
                        map.insert(name.to_owned(), self.generate(name, field.value.kind, depth + 1, rng));
                    }
                }
                Value::Object(map)
            }
        }
    }
}

/// What is compared are rules of kinds: what the path of a request says and what a store checks stays.
fn keep_address(object: &mut Value, before: &Value, keep_name: KeepName) {
    if keep_name == KeepName::Yes && !object["metadata"].is_object() {
        object["metadata"] = before.clone();
    }
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    let kept: &[&str] = match keep_name {
        KeepName::Yes => &["namespace", "uid", "resourceVersion", "generateName", "name"],
        KeepName::No => &["namespace", "uid", "resourceVersion", "generateName"],
    };
    for name in kept {
        match before.get(name) {
            Some(value) => metadata.insert((*name).to_owned(), value.clone()),
            None => metadata.remove(*name),
        };
    }
}

fn collect(value: &Value, seen: &mut BTreeMap<String, Vec<Value>>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                let known = seen.entry(name.clone()).or_default();
                // Enough to pick from; names occur in every object.
                if !known.contains(value) && known.len() < 200 {
                    known.push(value.clone());
                }
                collect(value, seen);
            }
        }
        Value::Array(list) => list.iter().for_each(|item| collect(item, seen)),
        _ => {}
    }
}

fn all_places(value: &Value, place: Vec<Step>, places: &mut Vec<Vec<Step>>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(name, value)| {
            let mut below = place.clone();
            below.push(Step::Field(name.clone()));
            all_places(value, below, places);
        }),
        Value::Array(list) => list.iter().enumerate().for_each(|(item, value)| {
            let mut below = place.clone();
            below.push(Step::Item(item));
            all_places(value, below, places);
        }),
        _ => {}
    }
    places.push(place);
}

fn at<'v>(object: &'v mut Value, place: &[Step]) -> Option<&'v mut Value> {
    place.iter().try_fold(object, |value, step| match step {
        Step::Field(name) => value.get_mut(name),
        Step::Item(item) => value.get_mut(item),
    })
}

fn show(place: &[Step]) -> String {
    let mut text = String::new();
    for step in place {
        match step {
            Step::Field(name) => text.push_str(&format!(".{name}")),
            Step::Item(item) => text.push_str(&format!("[{item}]")),
        }
    }
    text
}
