//! Any three documents applied and updated one after the other: no panic, a refused apply changes nothing, and
//! entries read back as they were written.
#![no_main]

use std::cell::OnceCell;

use kubemerge_ssa::SameForm;
use kubemerge_ssa::fieldpath::{FieldOrder, FieldSet};
use kubemerge_ssa::managed_fields::{
    Conflicting, Endpoint, Live, LiveForm, ManagedFields, Time, Writer, apply, update,
};
use kubemerge_ssa::value::{Arena, ParsedValue};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|documents: [&str; 3]| {
    let arena = Arena::new();
    let versions = SameForm::schemaless();
    let nothing = FieldSet::new();
    let head = ParsedValue::parse(br#"{"apiVersion":"v1","kind":"Any"}"#, &arena).expect("JSON");
    let endpoint = Endpoint {
        versions: &versions,
        api_version: "v1",
        kind: "Any",
        subresource: "",
        reset_fields: &nothing,
        order: FieldOrder::Label,
        empty: head,
    };
    // The live object may borrow from the entries before any step, so all of them live as long as it does.
    let earlier: [OnceCell<ManagedFields>; 3] = Default::default();
    let mut live = head;
    let mut managed = ManagedFields::new();
    for (number, text) in documents.iter().enumerate() {
        let Ok(parsed) = ParsedValue::parse(text.as_bytes(), &arena) else { return };
        if parsed.members().is_none() {
            return;
        }
        let named = parsed.with_member("apiVersion", ParsedValue::String("v1"), &arena);
        let object = named.with_member("kind", ParsedValue::String("Any"), &arena);
        let manager = ["a", "b", "kubectl"][number];
        let writer = Writer { manager, time: Some(Time(number as i64)) };
        let before = earlier[number].get_or_init(|| managed.clone());
        let state = Live { object: live, managed: before };
        if number == 1 {
            managed = update(&endpoint, state, LiveForm::Unchecked, object, writer, &arena).unwrap_or(before.clone());
            live = object;
        } else if let Ok(applied) = apply(&endpoint, state, object, writer, Conflicting::Force, &arena) {
            managed = applied.managed;
            live = applied.object.unwrap_or(live);
        }
        let mut json = Vec::new();
        managed.write_json(&mut json);
        let again = ParsedValue::parse(&json, &arena).expect("entries are JSON");
        assert_eq!(ManagedFields::read(Some(again), FieldOrder::Label).expect("readable"), managed);
    }
});
