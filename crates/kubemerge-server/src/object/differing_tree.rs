//! What differs between two trees of a built-in object, as the values that field managers compare.
//!
//! Fields that are the same in both are in neither: they have the same owners before and after. Items of lists are paired
//! by their places, and their scalars stay, because some of them are keys. Whether the items of a pair are one item is
//! for [`update_differing`](kubemerge_ssa::managed_fields::update_differing) to find out, which knows the keys.

use kubemerge_kinds::tree::{Arena, List, Map, Value};
use kubemerge_ssa::value::{Member, ParsedValue, ValuePair};
use kubemerge_value::deep;
use smallvec::SmallVec;

use super::parsed::parsed;

/// What differs between two versions of an object; `None` if they are the same.
pub(crate) fn values<'a>(old: &Map<'a>, new: &Map<'a>, arena: &'a Arena) -> Option<ValuePair<'a>> {
    maps(old, new, SameFields::LeftOut, arena)
}

/// What happens to fields that are the same in both versions of a map.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SameFields {
    LeftOut,
    /// In items of lists.
    ScalarsStay,
}

fn pair<'a>(old: &Value<'a>, new: &Value<'a>, arena: &'a Arena) -> Option<ValuePair<'a>> {
    match (old, new) {
        // Most values are strings that did not change.
        (Value::Str(old), Value::Str(new)) if old == new => None,
        (Value::Map(old), Value::Map(new)) => deep(|| maps(old, new, SameFields::LeftOut, arena)),
        (Value::List(old), Value::List(new)) => deep(|| lists(old, new, arena)),
        (old, new) => {
            let (old, new) = (parsed(old, arena), parsed(new, arena));
            (old != new).then_some(ValuePair { old, new })
        }
    }
}

/// The fields of two versions of a map while they are compared.
#[derive(Default)]
struct Fields<'a> {
    old: SmallVec<[Member<'a>; 8]>,
    new: SmallVec<[Member<'a>; 8]>,
    differ: bool,
}

impl<'a> Fields<'a> {
    fn push(&mut self, name: &'a str, ValuePair { old, new }: ValuePair<'a>) {
        self.old.push(Member { name, value: old });
        self.new.push(Member { name, value: new });
    }
}

fn maps<'a>(
    old: &Map<'a>,
    new: &Map<'a>,
    same_fields: SameFields,
    arena: &'a Arena,
) -> Option<ValuePair<'a>> {
    let mut fields = Fields::default();
    let mut olds = old.iter().peekable();
    for (name, new) in new.iter() {
        // Both are sorted: a name that is smaller is missing on the other side.
        while let Some((name, old)) = olds.next_if(|(old_name, _)| *old_name < name) {
            fields.differ = true;
            fields.old.push(Member { name, value: parsed(old, arena) });
        }
        match olds.next_if(|(old_name, _)| *old_name == name) {
            Some((_, old)) => match pair(old, new, arena) {
                Some(versions) => {
                    fields.differ = true;
                    fields.push(name, versions);
                }
                None if same_fields == SameFields::ScalarsStay && is_scalar(new) => {
                    let value = parsed(new, arena);
                    fields.push(name, ValuePair { old: value, new: value });
                }
                None => {}
            },
            None => {
                fields.differ = true;
                fields.new.push(Member { name, value: parsed(new, arena) });
            }
        }
    }
    for (name, old) in olds {
        fields.differ = true;
        fields.old.push(Member { name, value: parsed(old, arena) });
    }
    fields.differ.then(|| ValuePair {
        old: ParsedValue::Map(arena.alloc_slice_copy(&fields.old)),
        new: ParsedValue::Map(arena.alloc_slice_copy(&fields.new)),
    })
}

fn lists<'a>(old: &List<'a>, new: &List<'a>, arena: &'a Arena) -> Option<ValuePair<'a>> {
    let item = |(old, new): (&Value<'a>, &Value<'a>)| match (old, new) {
        (Value::Map(old), Value::Map(new)) => deep(|| maps(old, new, SameFields::ScalarsStay, arena)),
        (old, new) => pair(old, new, arena),
    };
    let pairs: SmallVec<[Option<ValuePair<'a>>; 8]> = old.iter().zip(&new[..]).map(item).collect();
    if old.len() == new.len() && pairs.iter().all(Option::is_none) {
        return None;
    }
    let same = |item: &Value<'a>| {
        let value = same_item(item, arena);
        ValuePair { old: value, new: value }
    };
    let pairs: SmallVec<[ValuePair<'a>; 8]> =
        pairs.iter().zip(&new[..]).map(|(pair, new)| pair.unwrap_or_else(|| same(new))).collect();
    let whole = |item: &Value<'a>| parsed(item, arena);
    let olds = pairs.iter().map(|pair| pair.old).chain(old[pairs.len()..].iter().map(whole));
    let news = pairs.iter().map(|pair| pair.new).chain(new[pairs.len()..].iter().map(whole));
    let (olds, news): (SmallVec<[ParsedValue<'a>; 8]>, SmallVec<[ParsedValue<'a>; 8]>) =
        (olds.collect(), news.collect());
    Some(ValuePair {
        old: ParsedValue::List(arena.alloc_slice_copy(&olds)),
        new: ParsedValue::List(arena.alloc_slice_copy(&news)),
    })
}

/// What stays of an item that is the same in both lists.
fn same_item<'a>(item: &Value<'a>, arena: &'a Arena) -> ParsedValue<'a> {
    let Value::Map(map) = item else { return parsed(item, arena) };
    let scalars = map.iter().filter(|(_, value)| is_scalar(value));
    let members: SmallVec<[Member<'a>; 8]> =
        scalars.map(|(name, value)| Member { name, value: parsed(value, arena) }).collect();
    ParsedValue::Map(arena.alloc_slice_copy(&members))
}

fn is_scalar(value: &Value<'_>) -> bool {
    !matches!(value, Value::Map(_) | Value::List(_) | Value::Omitted(_))
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use kubemerge_kinds::typed::read_typed_form;
    use kubemerge_ssa::{
        SameForm,
        fieldpath::{FieldOrder, FieldSet},
        managed_fields::{
            Endpoint, Live, ManagedFields, Time, Writer, update, update_differing, update_valid,
        },
    };
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::{ApiServer, object::parsed};

    /// Up to three of some names: some repeat, and some move from one version to the next.
    fn names(rng: &mut Rng) -> Vec<&'static str> {
        let mut names = vec!["a", "b", "c", "a"];
        rng.shuffle(&mut names);
        names.truncate(rng.usize(..4));
        if rng.u8(..4) > 0 {
            names.sort_unstable();
            names.dedup();
        }
        names
    }

    fn container(name: &str, rng: &mut Rng) -> Json {
        let env: Vec<Json> = names(rng)
            .iter()
            .map(|name| match rng.bool() {
                true => json!({"name": name, "value": rng.u8(..2).to_string()}),
                false => json!({"name": name, "valueFrom": {"fieldRef": {"fieldPath": names(rng).concat()}}}),
            })
            .collect();
        let ports: Vec<Json> =
            names(rng).iter().map(|name| json!({"containerPort": rng.u8(1..3), "name": name})).collect();
        json!({"name": name, "image": rng.u8(..2).to_string(), "env": env, "ports": ports, "command": names(rng),
            "resources": if rng.bool() { json!({}) } else { json!({"limits": {"cpu": rng.u8(..2).to_string()}}) }})
    }

    /// A pod with lists of all types and maps, given or not.
    fn pod(rng: &mut Rng) -> Json {
        let labels: Json = names(rng).into_iter().map(|name| (name.to_owned(), json!("x"))).collect();
        let containers: Vec<Json> = names(rng).iter().map(|name| container(name, rng)).collect();
        let tolerations: Vec<Json> = names(rng).iter().map(|name| json!({"key": name})).collect();
        let mut pod = json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "p", "uid": "u", "labels": labels, "finalizers": names(rng)},
            "spec": {"containers": containers, "tolerations": tolerations, "nodeSelector": {"a": "b"}}});
        if rng.bool() {
            pod["spec"]["affinity"] = json!({"nodeAffinity": {}});
        }
        pod
    }

    /// The next version of a pod: most of it is the same.
    fn changed(pod: &Json, rng: &mut Rng) -> Json {
        let (mut changed, other) = (pod.clone(), self::pod(rng));
        for (part, field) in [("metadata", "labels"), ("metadata", "finalizers"), ("spec", "tolerations")] {
            if rng.u8(..4) == 0 {
                changed[part][field] = other[part][field].clone();
            }
        }
        match rng.u8(..4) {
            0 => changed["spec"] = other["spec"].clone(),
            // A field of a container, or the container.
            _ => {
                let number = changed["spec"]["containers"].as_array().map_or(0, Vec::len);
                for at in 0..number {
                    let new = container(["a", "b"][rng.usize(..2)], rng);
                    let field = ["image", "env", "ports", "command", "resources", "name"][rng.usize(..6)];
                    changed["spec"]["containers"][at][field] = new[field].clone();
                }
            }
        }
        changed
    }

    fn tree<'a>(object: &Json, arena: &'a Arena) -> Map<'a> {
        match read_typed_form(arena, arena.alloc_str(&object.to_string())) {
            Value::Map(map) => map,
            other => panic!("{other:?} is no map"),
        }
    }

    /// The law of this file: what differs gives the owners that whole objects give.
    #[tokio::test]
    async fn what_differs_has_the_owners_that_whole_objects_have() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut rng = Rng::with_seed(seed);
        let server = ApiServer::builder().build().expect("a server");
        let same_form = SameForm::built_in(server.cluster().types(), "Pod");
        let (mut short, mut all) = (0, 0);
        for _ in 0..500 {
            let arena = Arena::new();
            let reset_fields = FieldSet::of_names(&[&["status"]], &arena);
            let endpoint = Endpoint {
                versions: &same_form,
                api_version: "v1",
                kind: "Pod",
                subresource: "",
                reset_fields: &reset_fields,
                order: FieldOrder::Path,
                empty: ParsedValue::Map(&[]),
            };
            let mut live = pod(&mut rng);
            let nothing = ManagedFields::new();
            let create = Live { object: endpoint.empty, managed: &nothing };
            let object = parsed::object(&tree(&live, &arena), &arena);
            let writer = Writer { manager: "creator", time: Time(0) };
            let Ok(mut managed) = update(&endpoint, create, object, writer, &arena) else { continue };
            for step in 1..4 {
                let new = changed(&live, &mut rng);
                let writer = Writer { manager: ["creator", "other"][rng.usize(..2)], time: Time(step) };
                let (before, after) = (tree(&live, &arena), tree(&new, &arena));
                let versions = parsed::versions(&before, &after, &arena);
                let differing = values(&before, &after, &arena);
                assert_eq!(differing.is_none(), versions.is_same);
                let Some(differing) = differing else { continue };
                let kept = arena.alloc(managed.clone());
                let whole = Live { object: versions.old, managed: kept };
                let Ok(wanted) = update_valid(&endpoint, whole, versions.new, writer, &arena) else { break };
                all += 1;
                if let Some(given) = update_differing(&endpoint, &managed, differing, writer, &arena) {
                    assert!(given == wanted, "{live} to {new}");
                    short += 1;
                }
                (live, managed) = (new, wanted);
            }
        }
        assert!(short * 4 > all, "only {short} of {all} writes were compared by what differs");
    }
}
