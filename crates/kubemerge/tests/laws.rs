//! Laws: whatever the documents, one form answers as the other, and every patch that is made does what it says.

use kubemerge::{
    Canonical, Error, Patch, PatchType, RuleSource, Target, Tests, apply, compose, convert, diff,
};
use kubemerge_test_support::seed::proptest_config;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "~", "/", "0", ""]).prop_map(str::to_owned)
}

fn scalar(nulls: bool) -> impl Strategy<Value = Value> {
    let mut scalars = vec![json!(1), json!(2), json!(-0.5), json!("x"), json!("<"), json!(true)];
    scalars.extend(nulls.then_some(Value::Null));
    prop::sample::select(scalars)
}

fn value(nulls: bool) -> impl Strategy<Value = Value> {
    scalar(nulls).prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::btree_map(key(), inner, 0..4)
                .prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

fn object(nulls: bool) -> impl Strategy<Value = Value> {
    prop::collection::btree_map(key(), value(nulls), 0..4)
        .prop_map(|members| Value::Object(Map::from_iter(members)))
}

/// A list of operations that often find what they name.
fn operations(nulls: bool) -> impl Strategy<Value = Value> {
    let pointer =
        || prop::collection::vec(prop_oneof![key(), Just("1".to_owned()), Just("-".to_owned())], 1..3);
    let text = |tokens: Vec<String>| -> String {
        tokens.iter().map(|token| format!("/{}", token.replace('~', "~0").replace('/', "~1"))).collect()
    };
    let op = prop::sample::select(vec!["add", "add", "remove", "replace", "move", "copy", "test"]);
    let operation = (op, pointer(), pointer(), value(nulls))
        .prop_map(move |(op, path, from, value)| json!({"op": op, "path": text(path), "from": text(from), "value": value}));
    prop::collection::vec(operation, 0..4).prop_map(Value::Array)
}

fn text(value: &Value) -> String {
    value.to_string()
}

/// Applies a patch to every form of document, and gives the answer they agree on.
fn agreed(patch_type: PatchType, live: &Value, patch: &Value) -> Result<Value, Error> {
    let canonical = |value: &Value| Canonical::from_bytes(text(value).as_bytes()).unwrap();
    let decoded = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
    let (live_bytes, patch_bytes) = (canonical(live), canonical(patch));
    let by_value = Patch::new(patch_type, patch).and_then(|patch| apply(RuleSource::None, live, &patch));
    let patch = Patch::new(patch_type, &patch_bytes)?;
    let trusted = apply(RuleSource::None, &live_bytes, &patch);
    if let Ok(result) = &trusted {
        assert_eq!(*result, Canonical::from_bytes(result.as_bytes()).unwrap());
    }
    let checked = apply(RuleSource::None, live_bytes.as_bytes(), &patch);
    assert_eq!(by_value, trusted.map(|result| decoded(result.as_bytes())));
    assert_eq!(by_value, checked.map(|result| decoded(&result)));
    by_value
}

proptest! {
    #![proptest_config(proptest_config(300))]

    #[test]
    fn all_forms_answer_alike(live in object(true), patch in object(true), operations in operations(true)) {
        let _ = agreed(PatchType::Merge, &live, &patch);
        let _ = agreed(PatchType::Json, &live, &operations);
    }

    #[test]
    fn json_patches_that_the_rfc_allows_do_what_it_says(live in object(false), operations in operations(false)) {
        let mut expected = live.clone();
        let decoded: json_patch::Patch = serde_json::from_value(operations.clone()).unwrap();
        // `patch` would undo what failed, and crashes on some.
        if json_patch::patch_unsafe(&mut expected, &decoded).is_ok() {
            prop_assert_eq!(agreed(PatchType::Json, &live, &operations), Ok(expected));
        }
    }

    #[test]
    fn merge_patches_without_nulls_in_lists_do_what_the_rfc_says(live in object(true), patch in object(false), gone in key()) {
        let mut patch = patch;
        patch[gone] = Value::Null;
        let mut expected = live.clone();
        json_patch::merge(&mut expected, &patch);
        prop_assert_eq!(agreed(PatchType::Merge, &live, &patch), Ok(expected));
    }

    #[test]
    fn json_diffs_make_one_of_the_other(original in object(true), modified in object(true)) {
        for tests in [Tests::Without, Tests::With] {
            let patch = diff(RuleSource::None, &original, &modified, Target::Json(tests)).unwrap();
            prop_assert_eq!(apply(RuleSource::None, &original, &patch), Ok(modified.clone()), "{:?}", patch);
        }
        let nothing = diff(RuleSource::None, &original, &original, Target::Json(Tests::With)).unwrap();
        prop_assert_eq!(nothing.to_bytes(), b"[]");
    }

    #[test]
    fn json_diffs_are_patches_for_everybody(original in object(true), modified in object(true)) {
        let patch = diff(RuleSource::None, &original, &modified, Target::Json(Tests::With)).unwrap();
        let decoded: json_patch::Patch = serde_json::from_slice(&patch.to_bytes()).unwrap();
        let mut result = original.clone();
        json_patch::patch(&mut result, &decoded).unwrap();
        prop_assert_eq!(result, modified);
    }

    #[test]
    fn merge_diffs_make_one_of_the_other_or_say_why_not(original in object(true), modified in object(true)) {
        match diff(RuleSource::None, &original, &modified, Target::Merge) {
            Ok(patch) => prop_assert_eq!(apply(RuleSource::None, &original, &patch), Ok(modified), "{:?}", patch),
            Err(error) => prop_assert_eq!(error.kind().name(), "not-convertible"),
        }
        let nothing = diff(RuleSource::None, &original, &original, Target::Merge).unwrap();
        prop_assert_eq!(nothing.to_bytes(), b"{}");
    }

    #[test]
    fn objects_without_nulls_always_have_a_merge_diff(original in object(true), modified in object(false)) {
        let patch = diff(RuleSource::None, &original, &modified, Target::Merge).unwrap();
        prop_assert_eq!(apply(RuleSource::None, &original, &patch), Ok(modified));
    }

    #[test]
    fn conversions_yield_the_same_object(original in object(true), body in object(true), operations in operations(true)) {
        for patch in [Patch::merge(&body).unwrap(), Patch::json(&operations).unwrap()] {
            let Ok(expected) = apply(RuleSource::None, &original, &patch) else { continue };
            for target in [Target::Merge, Target::Json(Tests::Without), Target::Json(Tests::With)] {
                match convert(RuleSource::None, &original, &patch, target) {
                    Ok(converted) => prop_assert_eq!(apply(RuleSource::None, &original, &converted), Ok(expected.clone())),
                    Err(error) => {
                        prop_assert_eq!(error.kind().name(), "not-convertible");
                        prop_assert_eq!(target, Target::Merge);
                    }
                }
            }
        }
    }

    #[test]
    fn composed_merge_patches_do_what_both_do(live in object(true), first in object(true), second in object(true)) {
        let patches = [Patch::merge(&first).unwrap(), Patch::merge(&second).unwrap()];
        let in_turn = patches.iter().fold(live.clone(), |live, patch| apply(RuleSource::None, &live, patch).unwrap());
        match compose(RuleSource::None, &patches) {
            Ok(composed) => prop_assert_eq!(apply(RuleSource::None, &live, &composed), Ok(in_turn), "{:?}", composed),
            Err(error) => prop_assert_eq!(error.kind().name(), "not-composable"),
        }
    }

    #[test]
    fn composed_json_patches_do_what_both_do(live in object(false), first in operations(false), second in operations(false)) {
        let patches = [Patch::json(&first).unwrap(), Patch::json(&second).unwrap()];
        let in_turn =
            patches.iter().try_fold(live.clone(), |live, patch| apply(RuleSource::None, &live, patch)).map_err(|error| error.kind());
        let composed = compose(RuleSource::None, &patches).unwrap();
        prop_assert_eq!(apply(RuleSource::None, &live, &composed).map_err(|error| error.kind()), in_turn);
    }
}
