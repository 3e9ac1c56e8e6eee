//! The laws of the `spec` dialect, and of both dialects that they never crash.
//!
//! Seeds are fresh in every run; a failure prints the smallest documents that break the law, or its seed.

mod documents;
mod kinds;
mod robust;
mod sources;

use documents::{choice_patch, document, schema};
use kubemerge_schema::{Dialect, Type};
use kubemerge_strategic::{
    DiffOptions, MergeError, MergeErrorKind, OnConflict, apply, compose, conflicts, diff, invert, three_way,
};
use kubemerge_test_support::seed::proptest_config;
use kubemerge_value::{Arena, Node, deep_equal, to_value};
use proptest::prelude::*;
use serde_json::{Value, json};

fn root(dialect: Dialect) -> Type<'static> {
    schema(dialect).definition("Root").unwrap()
}

fn spec() -> Type<'static> {
    root(Dialect::Spec)
}

fn node(value: &Value) -> Node<'_> {
    Node::from_value(value).unwrap()
}

fn out(result: Result<Node<'_>, MergeError>) -> Result<Value, MergeError> {
    result.map(|node| to_value(node).unwrap())
}

fn applied(live: &Value, patch: &Value) -> Result<Value, MergeError> {
    out(apply(spec(), node(live), node(patch), &Arena::new()))
}

fn diffed(original: &Value, modified: &Value) -> Value {
    let options = DiffOptions::default();
    out(diff(spec(), node(original), node(modified), &options, &Arena::new())).unwrap()
}

fn three(original: &Value, modified: &Value, current: &Value) -> Value {
    let (original, modified, current) = (node(original), node(modified), node(current));
    out(three_way(spec(), original, modified, current, OnConflict::Overwrite, &Arena::new())).unwrap()
}

fn has_directive(value: &Value) -> bool {
    match value {
        Value::Object(members) => {
            members.iter().any(|(key, value)| key.starts_with('$') || has_directive(value))
        }
        Value::Array(items) => items.iter().any(has_directive),
        _ => false,
    }
}

/// What the server alone knows is still there: maps outside `$retainKeys`, and items by name.
fn keeps_server_fields(original: &Value, modified: &Value, current: &Value, result: &Value) -> bool {
    let kept = |field: &str| original.get(field).is_none() && modified.get(field).is_none();
    let members = current.as_object().into_iter().flatten();
    members.clone().all(|(field, value)| !kept(field) || result.get(field) == Some(value))
        && members.clone().all(|(field, value)| {
            let below = |side: &Value| side.get(field).cloned().unwrap_or_default();
            let [original, modified, result] = [original, modified, result].map(below);
            match field.as_str() {
                "labels" if modified.is_object() => keeps_server_fields(&original, &modified, value, &result),
                "items" if modified.is_array() => keeps_server_fields(
                    &by_name(&original),
                    &by_name(&modified),
                    &by_name(value),
                    &by_name(&result),
                ),
                _ => true,
            }
        })
}

fn by_name(items: &Value) -> Value {
    let named = items.as_array().into_iter().flatten();
    Value::Object(
        named.map(|item| (item["name"].as_str().unwrap_or_default().into(), item.clone())).collect(),
    )
}

/// A patch: a document as it is, or what leads from one to another.
fn patch() -> impl Strategy<Value = Value> {
    prop_oneof![
        document(),
        (document(), document()).prop_map(|(original, modified)| diffed(&original, &modified)),
        (document(), document(), document()).prop_map(|(one, two, three_)| three(&one, &two, &three_)),
    ]
}

proptest! {
    #![proptest_config(proptest_config(256))]

    #[test]
    fn applying_a_diff_gives_the_modified_document(original in document(), modified in document()) {
        let patch = diffed(&original, &modified);
        prop_assert_eq!(applied(&original, &patch).unwrap(), modified, "{}", patch);
    }

    #[test]
    fn a_document_does_not_differ_from_itself(document in document()) {
        prop_assert_eq!(diffed(&document, &document), json!({}));
    }

    #[test]
    fn a_second_apply_has_nothing_to_do(original in document(), modified in document(), current in document()) {
        let patch = three(&original, &modified, &current);
        let result = applied(&current, &patch).unwrap();
        prop_assert!(!has_directive(&result), "{}", result);
        prop_assert_eq!(three(&modified, &modified, &result), json!({}), "{} gave {}", patch, result);
    }

    #[test]
    fn a_two_way_diff_is_a_three_way_diff_from_the_original(original in document(), modified in document()) {
        prop_assert_eq!(diffed(&original, &modified), three(&original, &modified, &original));
    }

    #[test]
    fn what_only_the_server_knows_stays(original in document(), modified in document(), current in document()) {
        let result = applied(&current, &three(&original, &modified, &current)).unwrap();
        prop_assert!(keeps_server_fields(&original, &modified, &current, &result), "{}", result);
    }

    #[test]
    fn a_composed_patch_does_what_its_parts_do(live in document(), first in patch(), second in patch()) {
        let composed = out(compose(spec(), &[node(&first), node(&second)], &Arena::new()));
        let in_turn = applied(&live, &first).and_then(|once| applied(&once, &second));
        match (composed, in_turn) {
            (Ok(composed), Ok(wanted)) => {
                prop_assert_eq!(applied(&live, &composed).unwrap(), wanted, "{}", composed);
            }
            (Err(error), Ok(_)) => prop_assert_eq!(error.kind(), MergeErrorKind::NotComposable),
            (_, Err(_)) => {}
        }
    }

    #[test]
    fn a_patch_leaves_one_member_of_a_union(live in document(), patch in choice_patch()) {
        let members = |value: &Value| ["a", "b", "c"].iter().filter(|name| !value[**name].is_null()).count();
        let patch = json!({"choice": patch});
        match applied(&live, &patch) {
            Ok(result) => prop_assert!(members(&result["choice"]) <= 1, "{} gave {}", patch, result),
            Err(error) => prop_assert_eq!(error.kind(), MergeErrorKind::InvalidUnion),
        }
    }

    #[test]
    fn an_inverted_patch_leads_back(original in document(), patch in patch()) {
        let arena = Arena::new();
        let Ok(patched) = apply(spec(), node(&original), node(&patch), &arena) else { return Ok(()) };
        let undo = invert(spec(), node(&original), node(&patch), &arena).unwrap();
        prop_assert!(deep_equal(apply(spec(), patched, undo, &arena).unwrap(), node(&original)));
    }

    #[test]
    fn a_patch_has_no_conflict_with_itself(patch in patch()) {
        let arena = Arena::new();
        let found = conflicts(spec(), node(&patch), node(&patch), &arena).unwrap();
        prop_assert!(found.is_empty(), "{:?}", found);
    }
}
