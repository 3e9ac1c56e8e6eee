//! Text answers as values do, whichever way the engine takes.

use super::{documents::document, node, robust::nonsense, root};
use kubemerge_schema::Dialect;
use kubemerge_strategic::{DiffOptions, apply, diff};
use kubemerge_test_support::seed::proptest_config;
use kubemerge_value::{Arena, Canonical, Document, Node, to_bytes, to_canonical, to_value};
use proptest::prelude::*;
use serde_json::{Map, Value};

/// A patch that changes some of what is there, and a little more: each choice decides about one value.
fn touching(live: &Value, choices: &mut impl Iterator<Item = u8>) -> Value {
    match (live, choices.next().unwrap_or_default() % 16) {
        (_, 0) => Value::Null,
        (_, 1) => Value::from("new"),
        (Value::Object(members), choice) => {
            let mut patch = Map::new();
            for (name, value) in members {
                let is_key = ["name", "bar", "port", "protocol"].contains(&name.as_str());
                if is_key {
                    patch.insert(name.clone(), value.clone());
                } else if choices.next().unwrap_or_default().is_multiple_of(2) {
                    patch.insert(name.clone(), touching(value, choices));
                }
            }
            if choice == 2 {
                patch.insert("labels".to_owned(), Value::Object(Map::new()));
            }
            Value::Object(patch)
        }
        (Value::Array(items), choice) => {
            let mut items: Vec<Value> = items.iter().map(|item| touching(item, choices)).collect();
            match choice {
                2 => items.reverse(),
                3 => items.truncate(1),
                _ => {}
            }
            Value::Array(items)
        }
        (other, 2..6) => other.clone(),
        (_, choice) => Value::from(choice),
    }
}

/// The answer to two nodes: the value, told by every writer. `None` for an error: of several faults in a patch the
/// order of its members decides which one is told.
fn answer(dialect: Dialect, live: Node<'_>, patch: Node<'_>) -> Option<Value> {
    let arena = Arena::new();
    let result = apply(root(dialect), live, patch, &arena).ok()?;
    let value = to_value(result).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&to_bytes(result)).unwrap(), value);
    let canonical = to_canonical(result);
    assert_eq!(Canonical::from_bytes(canonical.as_bytes()).unwrap(), canonical);
    assert_eq!(serde_json::from_slice::<Value>(canonical.as_bytes()).unwrap(), value);
    go_on(dialect, result, &value, patch);
    Some(value)
}

/// A result is as good as any other document: it can be patched, and patches can be made of it.
fn go_on(dialect: Dialect, result: Node<'_>, value: &Value, patch: Node<'_>) {
    let (arena, ty) = (Arena::new(), root(dialect));
    let told = |node: Option<Node<'_>>| node.map(|node| to_value(node).unwrap());
    let patched = |live| told(apply(ty, live, patch, &arena).ok());
    assert_eq!(patched(result), patched(node(value)));
    let options = DiffOptions::default();
    let undone = |result| told(diff(ty, result, patch, &options, &arena).ok());
    assert_eq!(undone(result), undone(node(value)));
    let made = |result| told(diff(ty, patch, result, &options, &arena).ok());
    assert_eq!(made(result), made(node(value)));
}

/// The value as its canonical text tells it, where the float 80.0 is the integer 80.
fn settled(value: &Value) -> Value {
    serde_json::from_slice(to_canonical(node(value)).as_bytes()).unwrap()
}

fn agree(live: &Value, patch: &Value) {
    let (live, patch) = (&settled(live), &settled(patch));
    let texts = [live, patch].map(|value| serde_json::to_vec_pretty(value).unwrap());
    let [given_live, given_patch] = [0, 1].map(|at| Document::check(&texts[at]).unwrap());
    let [live_text, patch_text] = [0, 1].map(|at| Canonical::from_bytes(&texts[at]).unwrap());
    let compact = Document::check(live_text.as_bytes()).unwrap();
    for dialect in [Dialect::Upstream, Dialect::Spec] {
        let expected = answer(dialect, node(live), node(patch));
        for (live, patch) in [
            (live_text.node(), patch_text.node()),
            (live_text.node(), given_patch.node()),
            (given_live.node(), given_patch.node()),
            (compact.node(), patch_text.node()),
        ] {
            assert_eq!(answer(dialect, live, patch), expected);
        }
    }
}

proptest! {
    #![proptest_config(proptest_config(512))]

    #[test]
    fn patches_that_touch_what_is_there(live in document(), choices in prop::collection::vec(any::<u8>(), 0..60)) {
        let patch = touching(&live, &mut choices.into_iter().chain(std::iter::repeat(7)));
        agree(&live, &patch);
    }

    #[test]
    fn patches_of_another_document(live in document(), patch in document()) {
        agree(&live, &patch);
    }

    #[test]
    fn patches_without_much_sense(live in nonsense(), patch in nonsense()) {
        agree(&live, &patch);
    }
}
