//! Pairs of sets of 1,000 paths, as `fieldsV1`.

use serde_json::{Map, Value, json};

use crate::rng::Rng;

/// A pair of sets.
pub(super) struct SetShape {
    pub(super) name: &'static str,
    pub(super) left: Value,
    pub(super) right: Value,
}

pub(super) fn set_shapes() -> Vec<SetShape> {
    let mut rng = Rng::new(1);
    let (left, right) = (random_paths(&mut rng), random_paths(&mut rng));
    vec![
        // Half of the items are in both.
        SetShape { name: "like items", left: items(0, like_fields), right: items(50, like_fields) },
        SetShape { name: "unlike items", left: items(0, unlike_fields), right: items(50, unlike_fields) },
        SetShape { name: "random", left, right },
    ]
}

/// 100 keyed items with 10 paths each.
fn items(from: usize, fields: fn(usize) -> Map<String, Value>) -> Value {
    let item = |item: usize| {
        let mut fields = fields(item);
        fields.insert(".".to_owned(), json!({}));
        (format!("k:{{\"name\":\"item-{item:03}\"}}"), Value::Object(fields))
    };
    let items: Map<String, Value> = (from..from + 100).map(item).collect();
    json!({"f:spec": {"f:items": items}})
}

/// The same fields in every item, as containers have them.
fn like_fields(_: usize) -> Map<String, Value> {
    (0..9).map(|field| (format!("f:field-{field}"), json!({}))).collect()
}

/// Other fields in every item.
fn unlike_fields(item: usize) -> Map<String, Value> {
    (0..9).map(|field| (format!("f:field-{field}-of-{item}"), json!({}))).collect()
}

/// Paths of 3 to 7 steps from one alphabet, as the benchmarks of structured-merge-diff have them.
fn random_paths(rng: &mut Rng) -> Value {
    let mut root = json!({});
    for _ in 0..1_000 {
        let mut at = &mut root;
        for _ in 0..3 + rng.below(5) {
            let label = LABELS[rng.below(LABELS.len())];
            at = &mut at[label];
            if at.is_null() {
                *at = json!({});
            }
        }
        at["."] = json!({});
    }
    without_marks_of_leaves(&mut root);
    root
}

/// A node with nothing below it is a member without a mark.
fn without_marks_of_leaves(node: &mut Value) {
    let Value::Object(children) = node else { return };
    if children.len() == 1 {
        children.remove(".");
    }
    children.values_mut().for_each(without_marks_of_leaves);
}

const LABELS: &[&str] = &[
    "f:aaa",
    "f:aab",
    "f:aac",
    "f:aad",
    "f:aae",
    "f:aaf",
    "f:metadata",
    "f:terminationGracePeriodSeconds",
    "k:{\"name\":\"first\"}",
    "k:{\"name\":\"second\"}",
    "k:{\"name\":\"third container\"}",
    "k:{\"port\":443,\"protocol\":\"TCP\"}",
    "k:{\"port\":443,\"protocol\":\"UDP\"}",
    "k:{\"port\":80,\"protocol\":\"TCP\"}",
    "v:1",
    "v:2",
    "v:3",
    "v:\"aa\"",
    "v:\"ab\"",
    "v:true",
    "i:1",
    "i:2",
    "i:3",
    "i:4",
];
