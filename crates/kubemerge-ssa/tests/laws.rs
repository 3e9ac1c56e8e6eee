//! Laws of sets and typed operations, on fresh random inputs. A failing input is printed by proptest.

use std::collections::{BTreeMap, BTreeSet};

use crate::widgets::{object, schema};
use kubemerge_ssa::fieldpath::{Element, FieldOrder, FieldPath, FieldSet, KeyField};
use kubemerge_ssa::typed::{Duplicates, claim, compare, merge, remove, validate};
use kubemerge_ssa::value::{Arena, ParsedValue};
use kubemerge_test_support::seed::proptest_config;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A path as a list of labels: names, keys and values.
type Labels = Vec<(u8, String)>;

fn paths() -> impl Strategy<Value = Vec<Labels>> {
    let label = (0u8..4, "[ab<\"]{1,2}");
    prop::collection::vec(prop::collection::vec(label, 1..4), 0..12)
}

/// Paths of two sets that have some in common, with labels of every kind that mostly need no escapes.
fn related_paths() -> impl Strategy<Value = (Vec<Labels>, Vec<Labels>)> {
    let label = (0u8..7, prop_oneof![9 => "[abc]{1,9}", 1 => "[a<\"é\\\\]{1,2}"]);
    let paths = || prop::collection::vec(prop::collection::vec(label.clone(), 1..5), 0..8);
    (paths(), paths(), paths())
        .prop_map(|(both, left, right)| ([both.clone(), left].concat(), [both, right].concat()))
}

/// The text of a set, in one of the forms in which it may arrive.
fn text_in_form(set: &FieldSet<'_>, form: u8) -> String {
    match form {
        0 => set.to_fields_v1(FieldOrder::Path),
        1 => set.to_fields_v1(FieldOrder::Label),
        _ => {
            let value: Value = serde_json::from_str(&set.to_fields_v1(FieldOrder::Path)).unwrap();
            serde_json::to_string_pretty(&value).unwrap()
        }
    }
}

/// Values in keys, some of them written in unusual ways.
fn key_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[ab<\"\\\\é]{0,2}".prop_map(|text| json!(text)),
        (0u64..30).prop_map(|number| json!(number)),
        (-3i64..3).prop_map(|number| json!(number)),
        Just(json!(1.5)),
        Just(json!(1e30)),
        Just(json!(true)),
        Just(json!(null)),
        Just(json!({"a": [1]})),
    ]
}

fn elements<'a>(labels: &'a Labels, arena: &'a Arena) -> Vec<Element<'a>> {
    let element = |(kind, text): &'a (u8, String)| match kind {
        0 => Element::Name(text),
        1 => {
            Element::Key(arena.alloc_slice_copy(&[KeyField { name: "k", value: ParsedValue::String(text) }]))
        }
        2 => Element::Value(ParsedValue::String(text)),
        3 => Element::Index(text.len() as i64),
        4 => Element::Value(ParsedValue::Int(text.len() as i64 - 3)),
        5 => Element::Value(ParsedValue::Bool(text.len().is_multiple_of(2))),
        _ => Element::Key(arena.alloc_slice_copy(&[
            KeyField { name: "port", value: ParsedValue::Int(text.len() as i64) },
            KeyField { name: "protocol", value: ParsedValue::String(text) },
        ])),
    };
    labels.iter().map(element).collect()
}

fn set<'a>(paths: &'a [Labels], arena: &'a Arena) -> FieldSet<'a> {
    FieldSet::of_paths(paths.iter().map(|labels| elements(labels, arena)).collect(), arena)
}

/// The paths of a set, each as text.
fn naive(set: &FieldSet<'_>) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    set.each_path(|path| {
        assert!(texts.insert(format!("{}!", FieldPath(path))), "a path occurs once");
    });
    texts
}

/// The paths of a set that are neither in another one nor below one of its paths.
fn filtered(one: &FieldSet<'_>, two: &FieldSet<'_>) -> BTreeSet<String> {
    let mut left = BTreeSet::new();
    one.each_path(|path| {
        if (1..=path.len()).all(|len| !two.has(&path[..len])) {
            left.insert(format!("{}!", FieldPath(path)));
        }
    });
    left
}

#[test]
fn unusual_texts_are_written_in_the_usual_form() {
    for (text, wanted) in [
        (r#"{"f:a":{"f:x":{}},"f:a":{},"f:a":{"f:y":{}}}"#, r#"{"f:a":{".":{},"f:y":{}}}"#),
        (r#"{"f:a":{"f:x":{}},"f:a":{}}"#, r#"{"f:a":{".":{},"f:x":{}}}"#),
        (r#"{"f:b":{},"f:a":{"f:x":{}},"f:a":{"f:x":{}}}"#, r#"{"f:a":{"f:x":{}},"f:b":{}}"#),
        (r#"{"f:a":{".":{}}}"#, r#"{"f:a":{}}"#),
        (r#"{"f:a":{".":{},".":{},"f:x":{}}}"#, r#"{"f:a":{".":{},"f:x":{}}}"#),
        (r#"{"f:a":{"f:x":{},".":{}}}"#, r#"{"f:a":{".":{},"f:x":{}}}"#),
        (r#"{"f:a":null,"f:b":{"x:later":{"f:c":{}}}}"#, r#"{"f:a":{},"f:b":{}}"#),
        (r#"{"f:a":{"f:x":{} },"f:b":{"f:x":{}}}"#, r#"{"f:a":{"f:x":{}},"f:b":{"f:x":{}}}"#),
        (r#"{"v:1.0":{},"v:01":{}}"#, ""),
        (r#"{"v:1.0":{},"i:007":{}}"#, r#"{"v:1":{},"i:7":{}}"#),
        (r#"{"f:a":{},}"#, ""),
        (r#"{"f:a":{}"#, ""),
        (r#"{"f:a":{}}}"#, ""),
    ] {
        let arena = Arena::new();
        let written = FieldSet::read(text, &arena).map(|set| set.to_fields_v1(FieldOrder::Path));
        assert_eq!(written.unwrap_or_default(), wanted, "{text}");
    }
}

proptest! {
    #![proptest_config(proptest_config(400))]

    #[test]
    fn set_algebra_is_that_of_naive_sets(left in paths(), right in paths()) {
        let arena = Arena::new();
        let (one, two) = (set(&left, &arena), set(&right, &arena));
        let (left, right) = (naive(&one), naive(&two));
        prop_assert_eq!(naive(&one.union(&two, &arena)), &left | &right);
        prop_assert_eq!(naive(&one.intersection(&two, &arena)), &left & &right);
        prop_assert_eq!(naive(&one.difference(&two, &arena)), &left - &right);
        prop_assert_eq!(one.is_subset(&two), left.is_subset(&right));
        prop_assert_eq!(one.may_intersect(&two), !left.is_disjoint(&right));
        prop_assert_eq!(one.len(), left.len());
    }

    /// Results share parts with the sets they are made from, and algebra stops at shared parts.
    #[test]
    fn sets_that_share_parts_are_as_any_others(left in paths(), right in paths()) {
        let arena = Arena::new();
        let (one, two) = (set(&left, &arena), set(&right, &arena));
        let all = one.union(&two, &arena);
        let made = [
            (one, all), (all, two), (all, all), (all.difference(&two, &arena), all),
            (all.intersection(&one, &arena), two), (all, all.leaves(&arena)),
        ];
        for (one, two) in made {
            let (left, right) = (naive(&one), naive(&two));
            prop_assert_eq!(naive(&one.union(&two, &arena)), &left | &right);
            prop_assert_eq!(naive(&one.intersection(&two, &arena)), &left & &right);
            prop_assert_eq!(naive(&one.difference(&two, &arena)), &left - &right);
            prop_assert_eq!(naive(&one.recursive_difference(&two, &arena)), filtered(&one, &two));
            prop_assert_eq!(one.is_subset(&two), left.is_subset(&right));
            prop_assert_eq!(one.may_intersect(&two), !left.is_disjoint(&right));
            prop_assert_eq!(one == two, left == right);
        }
    }

    #[test]
    fn recursive_difference_filters_by_prefix(left in paths(), right in paths()) {
        let arena = Arena::new();
        let (one, two) = (set(&left, &arena), set(&right, &arena));
        prop_assert_eq!(naive(&one.recursive_difference(&two, &arena)), filtered(&one, &two));
    }

    #[test]
    fn fields_v1_reads_back_what_it_writes(paths in paths()) {
        let arena = Arena::new();
        let one = set(&paths, &arena);
        for order in [FieldOrder::Path, FieldOrder::Label] {
            let text = one.to_fields_v1(order);
            let again = FieldSet::read(&text, &arena).unwrap();
            prop_assert_eq!(&again, &one);
            prop_assert_eq!(again.to_fields_v1(order), text);
        }
    }

    /// Sets that were read keep their text: nodes with one text are the same, and are written by copying it. Sets that
    /// were built have no text.
    #[test]
    fn sets_that_were_read_are_as_those_that_were_built(
        (left, right) in related_paths(), forms in (0u8..3, 0u8..3),
    ) {
        let arena = Arena::new();
        let (one, two) = (set(&left, &arena), set(&right, &arena));
        let texts = (text_in_form(&one, forms.0), text_in_form(&two, forms.1));
        let read = (FieldSet::read(&texts.0, &arena).unwrap(), FieldSet::read(&texts.1, &arena).unwrap());
        prop_assert_eq!(&read.0, &one);
        prop_assert_eq!(read.0 == read.1, one == two);
        let union = read.0.union(&read.1, &arena);
        let pairs = [
            (read.0, one),
            (union, one.union(&two, &arena)),
            (union.difference(&read.0, &arena), one.union(&two, &arena).difference(&one, &arena)),
            (read.0.union(&two, &arena), one.union(&two, &arena)),
            (read.0.intersection(&read.1, &arena), one.intersection(&two, &arena)),
            (read.0.difference(&read.1, &arena), one.difference(&two, &arena)),
            (read.0.recursive_difference(&read.1, &arena), one.recursive_difference(&two, &arena)),
            (union.leaves(&arena), one.union(&two, &arena).leaves(&arena)),
        ];
        for (given, wanted) in pairs {
            prop_assert_eq!(naive(&given), naive(&wanted));
            prop_assert_eq!(&given, &wanted);
            for order in [FieldOrder::Path, FieldOrder::Label] {
                prop_assert_eq!(given.to_fields_v1(order), wanted.to_fields_v1(order));
            }
        }
        prop_assert_eq!(read.0.is_subset(&read.1), one.is_subset(&two));
        prop_assert_eq!(read.0.may_intersect(&read.1), one.may_intersect(&two));
    }

    /// Labels of the usual form, and siblings with the same text, are read in a shorter way than others.
    #[test]
    fn white_space_changes_nothing(
        keys in prop::collection::vec(prop::collection::vec(("[ab\\\\\"<]{0,2}", key_value()), 1..3), 1..4),
        fields in prop::collection::vec("[ab]", 0..3),
    ) {
        let below: BTreeMap<String, Value> = fields.iter().map(|name| (format!("f:{name}"), json!({}))).collect();
        let label = |key: &Vec<(String, Value)>| {
            let key: Vec<String> = key.iter().map(|(name, value)| format!("{}:{value}", json!(name))).collect();
            format!("k:{{{}}}", key.join(","))
        };
        let nodes: Vec<String> = keys.iter().map(|key| format!("{}:{}", json!(label(key)), json!(below))).collect();
        let (dense, wide) = (format!("{{{}}}", nodes.join(",")), format!("{{ {} }}", nodes.join(" , ").replace(":{\"f:", ": {\"f:")));
        let arena = Arena::new();
        let (one, two) = (FieldSet::read(&dense, &arena), FieldSet::read(&wide, &arena));
        prop_assert_eq!(one.as_ref().map(naive), two.as_ref().map(naive));
        prop_assert_eq!(one, two);
    }

    #[test]
    fn reading_fields_v1_never_panics(text in "[{}\",:.fkvi \\\\0-9a]{0,40}") {
        let arena = Arena::new();
        let _ = FieldSet::read(&text, &arena);
    }

    #[test]
    fn comparing_backwards_swaps_added_and_removed(old in object(), new in object()) {
        let (arena, schema) = (Arena::new(), schema());
        let ty = schema.ownership_of("example.com/v1", "Widget").unwrap();
        let (old, new) = (ParsedValue::from_json(&old, &arena).unwrap(), ParsedValue::from_json(&new, &arena).unwrap());
        let forth = compare(ty, old, new, &arena).unwrap();
        let back = compare(ty, new, old, &arena).unwrap();
        prop_assert_eq!(&forth.added, &back.removed);
        prop_assert_eq!(&forth.removed, &back.added);
        prop_assert_eq!(&forth.modified, &back.modified);
        prop_assert!(compare(ty, old, old, &arena).unwrap().is_same());
    }

    #[test]
    fn merging_twice_is_merging_once(live in object(), config in object()) {
        let (arena, schema) = (Arena::new(), schema());
        let ty = schema.ownership_of("example.com/v1", "Widget").unwrap();
        let (live, config) = (ParsedValue::from_json(&live, &arena).unwrap(), ParsedValue::from_json(&config, &arena).unwrap());
        prop_assume!(validate(ty, config, Duplicates::Refused, &arena).is_ok());
        prop_assume!(validate(ty, live, Duplicates::Allowed, &arena).is_ok());
        let once = merge(ty, live, config, &arena).unwrap();
        let twice = merge(ty, once, config, &arena).unwrap();
        prop_assert_eq!(once.to_json(), twice.to_json());
    }

    #[test]
    fn what_is_removed_is_claimed_no_more(value in object(), place in any::<prop::sample::Index>()) {
        let (arena, schema) = (Arena::new(), schema());
        let ty = schema.ownership_of("example.com/v1", "Widget").unwrap();
        let value = ParsedValue::from_json(&value, &arena).unwrap();
        let mut paths = Vec::new();
        claim(ty, value, &arena).each_path(|path| paths.push(path.to_vec()));
        let path = place.get(&paths).clone();
        let removed = remove(ty, value, &FieldSet::of_paths(vec![path.clone()], &arena), &arena);
        prop_assert!(!claim(ty, removed, &arena).has(&path), "{}", FieldPath(&path));
    }

    #[test]
    fn values_read_as_they_are_written(value in object()) {
        let arena = Arena::new();
        let text = ParsedValue::from_json(&value, &arena).unwrap().to_json();
        let again = ParsedValue::parse(&text, &arena).unwrap();
        prop_assert_eq!(again.to_json(), text);
    }
}

/// Names of which many begin alike; some occur again.
fn names() -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        (0u32..3_000).prop_map(|number| format!("VARIABLE_{number:06}")),
        (0u32..3_000).prop_map(|number| format!("a/long-name-of-an-item-{number}")),
        "[ab]{0,9}",
    ];
    prop_oneof![prop::collection::vec("[ab]{1,5}", 0..40), prop::collection::vec(name, 0..700)]
}

/// Each name once, where it is first.
fn distinct(names: &[String]) -> Vec<&String> {
    let mut seen = BTreeSet::new();
    names.iter().filter(|name| seen.insert(*name)).collect()
}

/// A widget with these items: keyed ones of other forms, and a set.
fn widget<'a>(names: &[&String], value: &str, arena: &'a Arena) -> ParsedValue<'a> {
    let item = |(place, name): (usize, &&String)| match place % 7 {
        0 => json!({"k": name}),
        1 => json!({"k": name, "v": "the same"}),
        _ => json!({"k": name, "v": value}),
    };
    let items: Vec<Value> = names.iter().enumerate().map(item).collect();
    let object = json!({"apiVersion": "example.com/v1", "kind": "Widget", "spec": {"l": items, "s": names}});
    ParsedValue::parse(arena.alloc_str(&object.to_string()).as_bytes(), arena).unwrap()
}

proptest! {
    #![proptest_config(proptest_config(60))]

    #[test]
    fn long_lists_are_claimed_as_one_path_after_the_other(names in names()) {
        let (schema, arena) = (schema(), Arena::new());
        let ty = schema.ownership_of("example.com/v1", "Widget").unwrap();
        let all: Vec<&String> = names.iter().collect();
        let value = widget(&all, "a", &arena);
        let key = |name| Element::Key(arena.alloc_slice_copy(&[KeyField { name: "k", value: ParsedValue::String(name) }]));
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
        let mut paths = vec![vec![Element::Name("apiVersion")], vec![Element::Name("kind")]];
        for (place, name) in names.iter().enumerate() {
            let below = |list, last| vec![Element::Name("spec"), Element::Name(list), last];
            paths.extend([below("s", Element::Value(ParsedValue::String(name))), below("l", key(name))]);
            let fields: &[&str] = if place % 7 == 0 { &["k"] } else { &["k", "v"] };
            for field in fields.iter().filter(|_| counts[&name[..]] == 1) {
                paths.push([below("l", key(name)), vec![Element::Name(field)]].concat());
            }
        }
        prop_assert_eq!(naive(&claim(ty, value, &arena)), naive(&FieldSet::of_paths(paths, &arena)));
        let is_distinct = counts.values().all(|count| *count == 1);
        prop_assert_eq!(validate(ty, value, Duplicates::Refused, &arena).is_ok(), is_distinct);
        prop_assert_eq!(validate(ty, value, Duplicates::Allowed, &arena), Ok(()));
    }

    #[test]
    fn long_lists_merge_in_the_order_of_the_configuration(names in names(), seed in any::<u64>()) {
        let (schema, arena) = (schema(), Arena::new());
        let ty = schema.ownership_of("example.com/v1", "Widget").unwrap();
        let mut names = distinct(&names);
        let mut random = fastrand::Rng::with_seed(seed);
        if random.bool() {
            names.sort();
        }
        let mut others = names.clone();
        if random.bool() {
            random.shuffle(&mut others);
        }
        let (live, config) = (widget(&names, "a", &arena), widget(&others, "b", &arena));
        let merged = merge(ty, live, config, &arena).unwrap();
        // Every item is in both, so that only a value that the configuration lacks is that of the live object.
        let of_live: BTreeMap<_, _> = items(live).map(|item| (item.get("k").unwrap().as_str(), item.get("v"))).collect();
        let expected: Vec<_> = items(config)
            .map(|item| (item.get("k"), item.get("v").or(of_live[&item.get("k").unwrap().as_str()])))
            .collect();
        let merged_items: Vec<_> = items(merged).map(|item| (item.get("k"), item.get("v"))).collect();
        prop_assert_eq!(merged_items, expected);
        prop_assert_eq!(merged.at(&["spec", "s"]), config.at(&["spec", "s"]));
        let mut changed = BTreeSet::new();
        compare(ty, live, merged, &arena).unwrap().modified.each_path(|path| _ = changed.insert(format!("{}", path[2])));
        let differs = |item: &ParsedValue<'_>| of_live[&item.get("k").unwrap().as_str()] != item.get("v");
        let both = |item: &ParsedValue<'_>| of_live[&item.get("k").unwrap().as_str()].is_some();
        prop_assert_eq!(changed.len(), items(merged).filter(both).filter(differs).count());
    }
}

fn items(widget: ParsedValue<'_>) -> impl Iterator<Item = ParsedValue<'_>> {
    widget.at(&["spec", "l"]).and_then(ParsedValue::items).unwrap_or_default().iter()
}
