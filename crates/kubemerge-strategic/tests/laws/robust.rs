//! Depth, width and nonsense: every verb answers, in every dialect.

use super::{node, root};
use kubemerge_schema::Dialect;
use kubemerge_strategic::{
    DiffOptions, MergeErrorKind, OnConflict, apply, compose, conflicts, diff, invert, three_way,
};
use kubemerge_test_support::seed::proptest_config;
use kubemerge_value::{Arena, Document, MAX_DEPTH, Node};
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Asks every verb; the answers do not matter.
fn ask_all(dialect: Dialect, one: Node<'_>, two: Node<'_>, other: Node<'_>) {
    let (ty, arena) = (root(dialect), Arena::new());
    let _ = diff(ty, one, two, &DiffOptions::default(), &arena);
    let _ = three_way(ty, one, two, other, OnConflict::Overwrite, &arena);
    let _ = three_way(ty, one, two, other, OnConflict::Fail, &arena);
    let _ = conflicts(ty, one, two, &arena);
    let _ = compose(ty, &[one, two, other], &arena);
    let _ = invert(ty, one, two, &arena);
    let _ = apply(ty, one, two, &arena);
}

/// Names that mean something to the engine, and values that do not belong there.
pub(super) fn nonsense() -> BoxedStrategy<Value> {
    let names = vec![
        "name",
        "bar",
        "items",
        "pairs",
        "volumes",
        "finalizers",
        "tags",
        "args",
        "union",
        "whole",
        "labels",
        "ports",
        "port",
        "$patch",
        "$retainKeys",
        "$setElementOrder/items",
        "$setElementOrder/finalizers",
        "$deleteFromPrimitiveList/finalizers",
        "$deleteFromPrimitiveList",
        "$setElementOrder/",
    ];
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2i64..3).prop_map(Value::from),
        Just(Value::from(80.0)),
        prop::sample::select(vec!["a", "b", "delete", "replace", "merge", "items", ""]).prop_map(Value::from),
    ];
    let name = prop::sample::select(names);
    scalar
        .prop_recursive(4, 48, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(name.clone(), inner, 0..5).prop_map(|members| {
                    let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
                    Value::Object(members.collect::<Map<_, _>>())
                }),
            ]
        })
        .boxed()
}

proptest! {
    #![proptest_config(proptest_config(256))]

    #[test]
    fn nonsense_is_answered(one in nonsense(), two in nonsense(), other in nonsense()) {
        for dialect in [Dialect::Upstream, Dialect::Spec, Dialect::Kustomize] {
            ask_all(dialect, node(&one), node(&two), node(&other));
        }
    }
}

/// A document that is nested as deep as a document may be, with this value at the bottom.
fn nested(open: &str, close: &str, bottom: &str) -> String {
    let levels = (MAX_DEPTH - 2) / open.matches(['{', '[']).count();
    format!("{{\"labels\":{}{bottom}{}}}", open.repeat(levels), close.repeat(levels))
}

#[test]
fn deep_documents_are_answered() {
    let shapes = [("{\"labels\":", "}"), ("[", "]"), ("{\"items\":[", "]}"), ("[{\"name\":", "}]")];
    for (open, close) in shapes {
        let [one, two, other] =
            ["1", "\"x\"", "{\"$patch\":\"delete\"}"].map(|bottom| nested(open, close, bottom));
        let [one, two, other] = [&one, &two, &other].map(|text| Document::check(text.as_bytes()).unwrap());
        for dialect in [Dialect::Upstream, Dialect::Spec, Dialect::Kustomize] {
            ask_all(dialect, one.node(), two.node(), other.node());
        }
    }
}

/// An item that is repeated with ever more fields must not cost the square of their number.
#[test]
fn repeated_items_do_not_fill_the_memory() {
    let item = |at: usize| format!("{{\"name\":\"a\",\"labels\":{{\"l{at}\":\"x\"}}}}");
    let items: Vec<String> = (0..2_000).map(item).collect();
    let patch = |items: &[String]| format!("{{\"items\":[{}]}}", items.join(","));
    let (few, many) = (patch(&items[..100]), patch(&items));
    let [few, many] = [&few, &many].map(|text| Document::check(text.as_bytes()).unwrap());
    let live = Document::check(b"{\"items\":[{\"name\":\"a\"}]}").unwrap();
    for dialect in [Dialect::Upstream, Dialect::Spec] {
        let ty = root(dialect);
        assert!(apply(ty, live.node(), few.node(), &Arena::new()).is_ok());
        let error = apply(ty, live.node(), many.node(), &Arena::new()).unwrap_err();
        assert_eq!(
            (error.kind(), error.hint()),
            (MergeErrorKind::TooManyRepeats, Some("give every item once"))
        );
        let error = compose(ty, &[live.node(), many.node()], &Arena::new()).unwrap_err();
        assert_eq!(error.kind(), MergeErrorKind::TooManyRepeats);
    }
}

/// kustomize compares each item of a list without keys with all others, which must end.
#[test]
fn long_lists_without_keys_are_refused_in_kustomize() {
    let list = |count: usize| format!("{{\"items\":[{}]}}", vec!["{\"bar\":\"x\"}"; count].join(","));
    let (short, long) = (list(50), list(5_000));
    let [short, long] = [&short, &long].map(|text| Document::check(text.as_bytes()).unwrap());
    let (ty, arena) = (root(Dialect::Kustomize), Arena::new());
    assert!(apply(ty, short.node(), short.node(), &arena).is_ok());
    let error = apply(ty, short.node(), long.node(), &arena).unwrap_err();
    assert_eq!(error.kind(), MergeErrorKind::TooManyRepeats);
}
