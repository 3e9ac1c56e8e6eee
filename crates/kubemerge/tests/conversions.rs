//! Strategic merge patches from and to the other types: every conversion yields the same object.

use kubemerge::{
    Change, Dialect, OnConflict, Patch, RuleSource, Schema, Target, Tests, Versions, apply, compose,
    conflicts, convert, diff, invert, three_way,
};
use kubemerge_test_support::seed::proptest_config;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

static UPSTREAM: LazyLock<Schema> = LazyLock::new(|| Schema::builtin("1.37", Dialect::Upstream).unwrap());
static SPEC: LazyLock<Schema> = LazyLock::new(|| Schema::builtin("1.37", Dialect::Spec).unwrap());

const TARGETS: [Target; 4] =
    [Target::Strategic, Target::Merge, Target::Json(Tests::Without), Target::Json(Tests::With)];

fn words() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "d"]).prop_map(str::to_owned)
}

/// Items of a keyed list, each name once.
fn named(item: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop::collection::vec((words(), item), 0..4).prop_map(|items| {
        let mut seen = Vec::new();
        let fresh = items.into_iter().filter(|(name, _)| {
            !seen.contains(name) && {
                seen.push(name.clone());
                true
            }
        });
        fresh
            .map(|(name, mut item)| {
                item["name"] = json!(name);
                item
            })
            .collect()
    })
}

fn pod() -> impl Strategy<Value = Value> {
    let variable = words().prop_map(|value| json!({"value": value}));
    let container = (words(), named(variable), prop::collection::vec(words(), 0..3))
        .prop_map(|(image, env, args)| json!({"image": image, "env": env, "args": args}));
    let labels = prop::collection::btree_map(words(), words(), 0..3);
    let finalizers = prop::collection::btree_set(words(), 0..3);
    (named(container), labels, finalizers).prop_map(|(containers, labels, finalizers)| {
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"labels": labels, "finalizers": finalizers},
            "spec": {"containers": containers},
        })
    })
}

proptest! {
    #![proptest_config(proptest_config(100))]

    #[test]
    fn conversions_yield_the_same_object(original in pod(), modified in pod()) {
        for schema in [&*UPSTREAM, &*SPEC] {
            for made in TARGETS {
                let patch = diff(schema, &original, &modified, made).unwrap();
                let expected = apply(schema, &original, &patch).unwrap();
                for target in TARGETS {
                    let converted = match convert(schema, &original, &patch, target) {
                        Ok(converted) => converted,
                        // Kubernetes loses the order of some lists.
                        Err(error) if schema.dialect() == Dialect::Upstream && target == Target::Strategic => {
                            prop_assert_eq!(error.kind().name(), "not-convertible");
                            continue;
                        }
                        Err(error) => return Err(TestCaseError::fail(format!("{made:?} to {target:?}: {error}"))),
                    };
                    prop_assert_eq!(&apply(schema, &original, &converted).unwrap(), &expected, "{:?}", converted);
                }
            }
        }
    }

    #[test]
    fn inverses_take_a_patch_back(original in pod(), modified in pod()) {
        for target in TARGETS {
            let patch = diff(&*SPEC, &original, &modified, target).unwrap();
            let changed = apply(&*SPEC, &original, &patch).unwrap();
            let inverse = invert(&*SPEC, &original, &patch, target).unwrap();
            prop_assert_eq!(&apply(&*SPEC, &changed, &inverse).unwrap(), &original);
        }
    }
}

#[test]
fn what_cannot_be_said_is_refused() {
    let original = r#"{"apiVersion":"v1","kind":"Pod","spec":{"nodeName":"a","tolerations":[{"key":"k"}]}}"#;
    let check = |operation: &str, target: Target, expected: &str| {
        let body = format!("[{operation}]");
        let error = convert(&*SPEC, original, &Patch::json(&body).unwrap(), target).unwrap_err();
        assert_eq!((error.kind().name(), error.to_string().as_str()), ("not-convertible", expected));
    };
    let null = "a merge patch cannot set a member to null (use a JSON patch)";
    check(r#"{"op":"add","path":"/spec/x","value":null}"#, Target::Merge, &format!("spec.x: {null}"));
    check(
        r#"{"op":"replace","path":"/spec/tolerations","value":[{"key":"k","value":null}]}"#,
        Target::Merge,
        &format!("spec.tolerations[0].value: {null}"),
    );
    check(
        r#"{"op":"replace","path":"","value":[]}"#,
        Target::Merge,
        "the patch makes something of the object that is none",
    );
}

#[test]
fn patches_of_one_type_compose() {
    let merge = |body| Patch::merge(body).unwrap();
    let composed =
        compose(RuleSource::None, &[merge(r#"{"a":{"b":1},"c":1}"#), merge(r#"{"a":{"d":null},"c":null}"#)])
            .unwrap();
    assert_eq!(composed.to_string(), r#"{"a":{"b":1,"d":null},"c":null}"#);
    for (patches, expected) in [
        (
            [merge(r#"{"a":{"b":null}}"#), merge(r#"{"a":{"b":{"c":1}}}"#)],
            "a.b: no single merge patch replaces what may be a map (send both patches, or convert them to JSON patches)",
        ),
        (
            [merge("{}"), Patch::json("[]").unwrap()],
            "patches of different types cannot be composed (convert them to one type first)",
        ),
        (
            [Patch::strategic("{}").unwrap(), Patch::strategic("{}").unwrap()],
            "strategic merge patch format is not supported (strategic merge needs a schema: give one, or use a merge patch)",
        ),
    ] {
        assert_eq!(compose(RuleSource::None, &patches).unwrap_err().to_string(), expected);
    }
}

#[test]
fn json_patches_compose_if_one_may_have_so_many_operations() {
    let text = |count| format!("[{}]", vec![r#"{"op":"remove","path":"/a"}"#; count].join(","));
    let composed = |one: &str, other: &str| {
        compose(RuleSource::None, &[Patch::json(one).unwrap(), Patch::json(other).unwrap()])
    };
    assert_eq!(composed(&text(1), &text(2)).unwrap().to_string(), text(3));
    let error = composed(&text(5_001), &text(5_000)).unwrap_err();
    assert_eq!((error.kind().name(), error.http_status()), ("too-many-operations", 413));
    let error = composed(&text(1), "[5]").unwrap_err();
    assert_eq!((error.kind().name(), error.path()), ("invalid-json-patch", "[1]"));
}

#[test]
fn strategic_diffs_need_a_schema() {
    let error = diff(RuleSource::None, "{}", "{}", Target::Strategic).unwrap_err();
    assert_eq!(error.kind().name(), "unsupported-type");
}

#[test]
fn diffs_beyond_the_limit_replace_the_document() {
    let list = |first: usize| json!({"l": (first..first + 10_001).collect::<Vec<_>>()});
    let patch = diff(RuleSource::None, &list(0), &list(1), Target::Json(Tests::With)).unwrap();
    assert!(patch.to_string().starts_with(r#"[{"op":"test","path":"","value":{"l":[0,1,"#));
    assert_eq!(apply(RuleSource::None, &list(0), &patch).unwrap(), list(1));
}

#[test]
fn conflicts_are_told() {
    let pod = |node: &str| format!(r#"{{"apiVersion":"v1","kind":"Pod","spec":{{"nodeName":"{node}"}}}}"#);
    let (original, modified, current) = (pod("a"), pod("b"), pod("c"));
    let versions = &Versions { original: &original, modified: &modified, current: &current };
    for schema in [&*UPSTREAM, &*SPEC] {
        let patch = three_way(schema, versions, OnConflict::Overwrite).unwrap();
        assert_eq!(patch.to_string(), r#"{"spec":{"nodeName":"b"}}"#);
        let error = three_way(schema, versions, OnConflict::Fail).unwrap_err();
        assert!(error.is_conflict(), "{error}");
        let conflicts = conflicts(schema, versions).unwrap();
        let shown: Vec<String> = conflicts
            .iter()
            .map(|conflict| format!("{}: {:?} or {:?}", conflict.path, conflict.wanted, conflict.current))
            .collect();
        assert_eq!(shown, [r#"spec.nodeName: Set("b") or Set("c")"#]);
        assert!(matches!(conflicts[0].wanted, Change::Set(_)));
    }
}
