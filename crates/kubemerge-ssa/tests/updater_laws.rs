//! Laws of whole writes, for random objects: repeated applies, extraction, fast ways beside literal ones, memory.

use crate::widgets::{object, schema};
use kubemerge_schema::Schema;
use kubemerge_ssa::fieldpath::{FieldOrder, FieldSet};
use kubemerge_ssa::managed_fields::{
    Applied, Conflicting, Endpoint, Live, LiveForm, ManagedFields, Time, Writer, apply, extract_applied,
    update,
};
use kubemerge_ssa::value::{Arena, ParsedValue};
use kubemerge_ssa::{SameForm, VersionConverter as _};
use kubemerge_test_support::seed::proptest_config;
use kubemerge_value::tree::{Map, Value, read_typed_form};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

const VERSION: &str = "example.com/v1";

fn custom_tree<'a>(text: &'a str, arena: &'a Arena) -> Map<'a> {
    match read_typed_form(arena, text) {
        Value::Map(map) => map,
        other => panic!("{other:?} is no map"),
    }
}

fn endpoint<'a>(versions: &'a SameForm<'a>, nothing: &'a FieldSet<'a>, arena: &'a Arena) -> Endpoint<'a> {
    let empty = br#"{"apiVersion":"example.com/v1","kind":"Widget"}"#;
    Endpoint {
        versions,
        api_version: VERSION,
        kind: "Widget",
        subresource: "",
        reset_fields: nothing,
        order: FieldOrder::Label,
        empty: ParsedValue::parse(empty, arena).unwrap(),
    }
}

fn forced<'a>(
    endpoint: &Endpoint<'a>,
    live: Live<'a>,
    config: ParsedValue<'a>,
    manager: &str,
    arena: &'a Arena,
) -> Applied<'a> {
    let writer = Writer { manager, time: Some(Time(7)) };
    apply(endpoint, live, config, writer, Conflicting::Force, arena).unwrap()
}

/// Nothing that means "no value": such fields are owned but cannot be extracted.
fn without_nothing(mut value: Json) -> Json {
    match &mut value {
        Json::Object(map) => {
            let members = std::mem::take(map).into_iter().map(|(name, value)| (name, without_nothing(value)));
            *map = members.filter(|(_, value)| !is_nothing(value)).collect();
        }
        Json::Array(items) => items.iter_mut().for_each(|item| *item = without_nothing(item.take())),
        _ => {}
    }
    value
}

fn is_nothing(value: &Json) -> bool {
    value.is_null() || *value == json!({}) || *value == json!([])
}

proptest! {
    #![proptest_config(proptest_config(256))]

    #[test]
    fn a_repeated_apply_changes_nothing(before in object(), config in object()) {
        let (arena, schema, nothing) = (Arena::new(), schema(), FieldSet::new());
        let versions = SameForm::custom_resource(&schema, "Widget", &[VERSION]);
        let endpoint = endpoint(&versions, &nothing, &arena);
        let (before, config) = (without_nothing(before), without_nothing(config));
        let live = ParsedValue::from_json(&before, &arena).unwrap();
        let config = ParsedValue::from_json(&config, &arena).unwrap();
        let none = ManagedFields::new();
        let once = forced(&endpoint, Live { object: live, managed: &none }, config, "me", &arena);
        let object = once.object.unwrap_or(live);
        let writer = Writer { manager: "me", time: Some(Time(8)) };
        let again =
            apply(&endpoint, Live { object, managed: &once.managed }, config, writer, Conflicting::Refuse, &arena);
        let again = again.unwrap();
        prop_assert!(again.object.is_none());
        prop_assert_eq!(&again.managed, &once.managed);
    }

    #[test]
    fn what_is_extracted_applies_without_changes(before in object(), config in object()) {
        let (arena, schema, nothing) = (Arena::new(), schema(), FieldSet::new());
        let versions = SameForm::custom_resource(&schema, "Widget", &[VERSION]);
        let endpoint = endpoint(&versions, &nothing, &arena);
        let (before, config) = (without_nothing(before), without_nothing(config));
        let live = ParsedValue::from_json(&before, &arena).unwrap();
        let config = ParsedValue::from_json(&config, &arena).unwrap();
        let none = ManagedFields::new();
        let once = forced(&endpoint, Live { object: live, managed: &none }, config, "me", &arena);
        let live = Live { object: once.object.unwrap_or(live), managed: &once.managed };
        let ty = versions.type_of(VERSION).unwrap();
        if let Some(extracted) = extract_applied(ty, live, "me", "", &arena).unwrap() {
            let again = forced(&endpoint, live, extracted, "me", &arena);
            prop_assert!(again.object.is_none(), "{}", String::from_utf8_lossy(&extracted.to_json()));
            prop_assert_eq!(&again.managed, &once.managed);
        }
    }

    /// Parts that two values share in memory are neither compared nor validated again.
    #[test]
    fn shared_parts_change_no_answer(old in object(), new in object(), config in object()) {
        let (arena, schema, nothing) = (Arena::new(), schema(), FieldSet::new());
        let versions = SameForm::custom_resource(&schema, "Widget", &[VERSION]);
        let endpoint = endpoint(&versions, &nothing, &arena);
        let (old_text, new_text) = (old.to_string(), new.to_string());
        let read = |text: &'_ str| ParsedValue::parse(arena.alloc_str(text).as_bytes(), &arena).unwrap();
        let tree = |text: &'_ str| custom_tree(arena.alloc_str(text), &arena);
        let (old_tree, mut new_tree) = (&*arena.alloc(tree(&old_text)), tree(&new_text));
        new_tree.share_unchanged(old_tree);
        let (old_shared, new_shared) = (ParsedValue::of_map(old_tree), ParsedValue::of_map(arena.alloc(new_tree)));
        let none = ManagedFields::new();
        let empty = Live { object: endpoint.empty, managed: &none };
        let owned = forced(&endpoint, empty, read(&old_text), "owner", &arena).managed;
        let writer = Writer { manager: "writer", time: Some(Time(9)) };
        let live = Live { object: old_shared, managed: &owned };
        let fast = update(&endpoint, live, LiveForm::Unchecked, new_shared, writer, &arena);
        let live = Live { object: read(&old_text), managed: &owned };
        let literal = update(&endpoint, live, LiveForm::Unchecked, read(&new_text), writer, &arena);
        prop_assert_eq!(fast.unwrap(), literal.unwrap());

        // The merged object has parts of the configuration itself.
        let config = ParsedValue::from_json(&config, &arena).unwrap();
        let merged = forced(&endpoint, live, config, "me", &arena);
        let object = merged.object.unwrap_or(live.object);
        let copy = read(&String::from_utf8(object.to_json()).unwrap());
        let fast = forced(&endpoint, Live { object, managed: &merged.managed }, config, "other", &arena);
        let literal = forced(&endpoint, Live { object: copy, managed: &merged.managed }, config, "other", &arena);
        prop_assert_eq!(fast.managed, literal.managed);
        let text = |applied: Option<ParsedValue<'_>>| applied.map(ParsedValue::to_json);
        prop_assert_eq!(text(fast.object), text(literal.object));
    }
}

/// Bytes that an apply and an update of a list of items take.
fn bytes_for(schema: &Schema, length: usize) -> usize {
    let (arena, nothing) = (Arena::new(), FieldSet::new());
    let versions = SameForm::custom_resource(schema, "Widget", &[VERSION]);
    let endpoint = endpoint(&versions, &nothing, &arena);
    let item = |number: usize| json!({"k": format!("item-{number:06}"), "v": "a"});
    let mut object = json!({"apiVersion": VERSION, "kind": "Widget", "spec": {}});
    object["spec"]["l"] = (0..length).map(item).collect();
    let config = object.clone();
    let config = ParsedValue::from_json(&config, &arena).unwrap();
    object["spec"]["l"][length / 2]["v"] = json!("b");
    let changed = ParsedValue::from_json(&object, &arena).unwrap();
    let none = ManagedFields::new();
    let once = forced(&endpoint, Live { object: endpoint.empty, managed: &none }, config, "me", &arena);
    let live = Live { object: once.object.unwrap(), managed: &once.managed };
    update(
        &endpoint,
        live,
        LiveForm::Unchecked,
        changed,
        Writer { manager: "u", time: Some(Time(1)) },
        &arena,
    )
    .unwrap();
    forced(&endpoint, live, changed, "other", &arena);
    arena.allocated_bytes()
}

#[test]
fn memory_is_linear_in_the_length_of_lists() {
    let schema = schema();
    let (small, large) = (bytes_for(&schema, 1_000), bytes_for(&schema, 16_000));
    // Arenas grow by doubling, so up to twice the memory is allocated.
    assert!(large < small * 16 * 2, "{small} bytes for 1,000 items, {large} for 16,000");
}
