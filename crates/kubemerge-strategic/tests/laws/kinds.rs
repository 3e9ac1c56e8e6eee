//! Every built-in kind: documents that fit its schema, and the laws that both dialects keep for them.
//!
//! Text takes the fast ways of the engine and values take the plain ones, so asking with both holds one to the
//! other. `KUBEMERGE_SEED` repeats a run.

use super::node;
use fastrand::Rng;
use kubemerge_schema::{Dialect, ListStrategy, Schema, Shape, Type};
use kubemerge_strategic::{DiffOptions, apply, diff};
use kubemerge_test_support::seed;
use kubemerge_value::{Arena, Canonical, Node, to_canonical};
use serde_json::{Map, Value, json};

/// Fields this deep below the root are left out.
const MAX_LEVELS: usize = 8;

fn map(ty: Type<'_>, level: usize, rng: &mut Rng) -> Value {
    let mut members = Map::new();
    if level > MAX_LEVELS {
        return Value::Object(members);
    }
    if let Some(inner) = ty.additional_properties() {
        for name in ["a", "b"] {
            if rng.u64(..2) == 0 {
                members.insert(name.to_owned(), value(inner, level + 1, rng));
            }
        }
    }
    for field in ty.fields() {
        // Documents get sparser with depth, or those of large kinds would be endless.
        if rng.u64(..2 + level as u64 / 2) == 0 {
            let found = match resolved(field.ty).shape() {
                Shape::List => list(ty, field.name, level + 1, rng),
                _ => value(field.ty, level + 1, rng),
            };
            members.insert(field.name.to_string(), found);
        }
    }
    keep_unions_valid(ty, &mut members);
    Value::Object(members)
}

/// No value of these documents selects a member of a union, so without a discriminator one member stays.
fn keep_unions_valid(ty: Type<'_>, members: &mut Map<String, Value>) {
    for union in ty.unions().iter() {
        let selects = union.discriminator().is_some_and(|name| members.contains_key(name));
        let excess: Vec<&str> = union
            .members()
            .map(|member| member.field)
            .filter(|field| members.contains_key(*field))
            .skip(usize::from(!selects))
            .collect();
        excess.into_iter().for_each(|field| _ = members.remove(field));
    }
}

fn resolved(ty: Type<'_>) -> Type<'_> {
    ty.reference().map_or(ty, |definition| definition.ty())
}

fn value(ty: Type<'_>, level: usize, rng: &mut Rng) -> Value {
    let ty = resolved(ty);
    match ty.shape() {
        Shape::Object => map(ty, level, rng),
        Shape::List => json!([]),
        _ => scalar(ty, rng.u64(..3)),
    }
}

fn scalar(ty: Type<'_>, choice: u64) -> Value {
    match resolved(ty).shape() {
        Shape::Integer | Shape::Number => json!(choice),
        Shape::Boolean => json!(choice == 0),
        _ => json!(format!("v{choice}")),
    }
}

/// A list in which no two elements are the same.
fn list(holder: Type<'_>, field: &str, level: usize, rng: &mut Rng) -> Value {
    let Ok(rule) = holder.list_field(field) else { return json!([]) };
    let item = resolved(rule.item);
    let first = rng.u64(..3);
    let numbers = first..first + rng.u64(..3);
    let element = |number: u64, rng: &mut Rng| match rule.strategy {
        ListStrategy::Keyed(keys) => {
            let mut element = map(item, level + 1, rng);
            for key in keys {
                let ty = item.fields().find(|field| field.name == key.name).map(|field| field.ty);
                element[&key.name] = ty.map_or(json!(format!("v{number}")), |ty| scalar(ty, number));
            }
            element
        }
        ListStrategy::Scalars | ListStrategy::Set if item.shape() == Shape::Object => json!({}),
        ListStrategy::Scalars | ListStrategy::Set => scalar(item, number),
        ListStrategy::Atomic => value(item, level + 1, rng),
    };
    let mut elements: Vec<Value> = numbers.map(|number| element(number, rng)).collect();
    if !matches!(rule.strategy, ListStrategy::Keyed(_) | ListStrategy::Atomic) {
        elements.dedup();
    }
    if rng.u64(..3) == 0 {
        elements.reverse();
    }
    Value::Array(elements)
}

/// Asks a verb with values and with canonical text; both must answer alike.
fn agreed(
    documents: [&Value; 2],
    verb: impl for<'a> Fn([Node<'a>; 2], &'a Arena) -> Option<Canonical>,
) -> Option<Canonical> {
    let arena = Arena::new();
    let plain = verb(documents.map(node), &arena);
    let [one, other] = documents.map(|document| to_canonical(node(document)));
    let fast = verb([one.node(), other.node()], &arena);
    assert_eq!(plain, fast, "text differs from values:\n{}\n{}", documents[0], documents[1]);
    plain
}

fn check(dialect: Dialect, kind: Type<'_>, original: &Value, modified: &Value) {
    let patched = |live: &Value, patch: &Value| {
        agreed([live, patch], |[live, patch], arena| {
            Some(to_canonical(apply(kind, live, patch, arena).ok()?))
        })
    };
    let made = |one: &Value, other: &Value| {
        let options = DiffOptions::default();
        agreed([one, other], |[one, other], arena| {
            Some(to_canonical(diff(kind, one, other, &options, arena).ok()?))
        })
    };
    let patch = made(original, modified);
    patched(original, modified);
    if dialect == Dialect::Spec {
        let patch: Value = serde_json::from_slice(patch.unwrap().as_bytes()).unwrap();
        let result = patched(original, &patch).unwrap();
        assert_eq!(result, to_canonical(node(modified)), "{original}\n{patch}");
        assert_eq!(made(original, original).unwrap().as_bytes(), b"{}", "{original}");
    }
}

#[test]
fn every_built_in_kind_keeps_the_laws() {
    let (mut rng, mut bytes) = (seed::rng(), 0);
    for dialect in [Dialect::Upstream, Dialect::Spec] {
        let schema = Schema::builtin("1.37", dialect).unwrap();
        let kinds = schema.kinds();
        assert!(kinds.len() > 100, "only {} kinds", kinds.len());
        for kind in kinds {
            let Some(ty) = schema.type_of(&kind.api_version(), kind.kind) else { continue };
            for _ in 0..8 {
                let (original, modified) = (map(ty, 0, &mut rng), map(ty, 0, &mut rng));
                check(dialect, ty, &original, &modified);
                bytes += original.to_string().len();
            }
        }
    }
    assert!(bytes > 300_000, "the documents are too small to say much: {bytes} bytes");
}
