//! Server-side apply beside structured-merge-diff and the managedfields package.
//!
//! Apply rows: parsed objects on both sides; ours with entries read from and written as text, upstream's updater
//! alone. Update row: bytes to bytes, against upstream's whole chain; as in a server, the stored object was validated
//! when it was written. Rounds of both are timed in turns, so that other work on the machine affects both.

use std::hint::black_box;

use kubemerge_schema::Schema;
use kubemerge_ssa::SameForm;
use kubemerge_ssa::fieldpath::{FieldOrder, FieldSet};
use kubemerge_ssa::managed_fields::{
    Conflicting, Endpoint, Live, LiveForm, ManagedFields, Time, Writer, apply, update,
};
use kubemerge_ssa::value::{Arena, ParsedValue};
use kubemerge_value::{Canonical, Document};
use serde_json::{Value as Json, json};

use super::kubernetes::Kubernetes;
use super::ssa_documents::{Shape, shapes};
use super::ssa_sets::{SetShape, set_shapes};
use super::stopwatch::{round, second_fastest};
use super::table::Table;
use crate::conformance::published;

/// Rounds of each row. The second-fastest counts: the fastest may be luck, the others are noise.
const ROUNDS: usize = 15;

/// Rows in pairs: our time and Kubernetes'.
pub(super) fn table(schema: &Schema, kubernetes: &mut Kubernetes) -> Table {
    let mut rows: Vec<(String, Vec<Option<f64>>)> = Vec::new();
    for shape in shapes() {
        rows.extend(shape_rows(schema, &shape, kubernetes));
    }
    rows.extend(set_rows(kubernetes));
    Table::times("Server-side apply", ["ours", "Kubernetes"], rows)
}

fn shape_rows(
    schema: &Schema,
    shape: &Shape,
    kubernetes: &mut Kubernetes,
) -> Vec<(String, Vec<Option<f64>>)> {
    let arena = Arena::new();
    let is_known = schema.type_of(shape.version, shape.kind).is_some();
    let versions = if is_known { SameForm::built_in(schema, shape.kind) } else { SameForm::schemaless() };
    let head = json!({"apiVersion": shape.version, "kind": shape.kind});
    let nothing = FieldSet::new();
    let endpoint = Endpoint {
        versions: &versions,
        api_version: shape.version,
        kind: shape.kind,
        subresource: "",
        reset_fields: &nothing,
        order: FieldOrder::Path,
        empty: ParsedValue::from_json(&head, &arena).expect("not deep"),
    };
    let config = ParsedValue::from_json(&shape.object, &arena).expect("not deep");
    let none = ManagedFields::new();
    let empty = Live { object: endpoint.empty, managed: &none };
    let by = |manager| Writer { manager, time: Some(Time(1)) };
    let applied = |live, manager, arena: &Arena| {
        apply(&endpoint, live, config, by(manager), Conflicting::Refuse, arena).map(|applied| applied.managed)
    };
    // The live object of the later rows, made outside the clock.
    let first = apply(&endpoint, empty, config, by("m1"), Conflicting::Refuse, &arena).expect("it applies");
    let live = Live { object: first.object.expect("it is new"), managed: &first.managed };
    // A server's store has canonical text; what a client sends is checked.
    let text = Canonical::from_bytes(shape.object.to_string().as_bytes()).expect("JSON");
    let changed = changed(&shape.object).to_string();
    let updated = |arena: &Arena| {
        // An update arrives as text and leaves as text, and so does Kubernetes'.
        let document = Document::check(changed.as_bytes()).expect("JSON");
        let new = ParsedValue::from_node(document.node(), arena);
        let live = Live { object: ParsedValue::from_canonical(&text, arena), managed: &first.managed };
        let managed =
            update(&endpoint, live, LiveForm::Valid, new, by("u"), arena).expect("it can be tracked");
        let mut out = Vec::with_capacity(changed.len() + 4_096);
        managed.write_json(&mut out);
        out.extend_from_slice(changed.as_bytes());
        out
    };
    let mut stored = shape.object.clone();
    let mut entries = Vec::new();
    first.managed.write_json(&mut entries);
    stored["metadata"]["managedFields"] = serde_json::from_slice(&entries).expect("entries are JSON");
    let mut row = |what: &str, request: &str, ours: &dyn Fn(&Arena)| {
        let times = raced(ours, kubernetes, &request_of(shape, is_known, &stored, request));
        (format!("{}, {what}", shape.name), times)
    };
    vec![
        row("apply", "apply", &|arena| drop(applied(empty, "m1", arena))),
        row("two appliers", "apply-twice", &|arena| {
            drop(applied(empty, "m1", arena));
            drop(applied(live, "m2", arena));
        }),
        row("re-apply", "re-apply", &|arena| drop(applied(live, "m1", arena))),
        row("update one field", "update", &|arena| drop(updated(arena))),
    ]
}

/// Nanoseconds of our call and of Kubernetes', whose rounds take turns.
fn raced(ours: &dyn Fn(&Arena), kubernetes: &mut Kubernetes, request: &Json) -> Vec<Option<f64>> {
    let mut arena = Arena::new();
    let mut call = || {
        // As a server does: memory is taken once and used for every request.
        arena.reset();
        ours(&arena);
    };
    // The first call takes memory and reads caches in.
    round(&mut call, f64::MAX);
    let (own_once, their_once) = (round(&mut call, f64::MAX), kubernetes.once(request));
    let (mut own, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        own.push(round(&mut call, own_once));
        theirs.extend(their_once.and_then(|once| kubernetes.round(request, once)));
    }
    vec![second_fastest(own), second_fastest(theirs)]
}

/// The object with one field added that no other manager owns.
fn changed(object: &Json) -> Json {
    let mut changed = object.clone();
    changed["metadata"]["annotations"]["changed"] = json!("yes");
    changed
}

fn request_of(shape: &Shape, is_known: bool, stored: &Json, what: &str) -> Json {
    let schema = match is_known {
        true => published(shape.version, shape.kind).map(|(document, _)| document).unwrap_or_default(),
        false => json!({}),
    };
    let object = if what == "update" { changed(&shape.object) } else { shape.object.clone() };
    json!({"op": "ssa-bench", "text": what, "schema": schema, "metadata": shape.name, "scenario": {
        "form": if is_known { "map" } else { "deduced" }, "kind": shape.kind, "versions": [shape.version],
        "live": stored,
        "steps": [{"op": "update", "manager": "u", "version": shape.version, "object": object}],
    }})
}

/// Two sets of 1,000 paths each, of two shapes.
fn set_rows(kubernetes: &mut Kubernetes) -> Vec<(String, Vec<Option<f64>>)> {
    let mut rows = Vec::new();
    for SetShape { name, left, right } in set_shapes() {
        let (left_text, right_text) = (left.to_string(), right.to_string());
        let arena = Arena::new();
        let one = FieldSet::read(&left_text, &arena).expect("a set");
        let two = FieldSet::read(&right_text, &arena).expect("a set");
        let mut row = |what: &str, ours: &dyn Fn(&Arena)| {
            let scenario =
                json!({"form": "deduced", "kind": "Any", "versions": ["v1"], "steps": [{"version": "v1"}]});
            let request = json!({"op": "ssa-bench", "text": what, "original": left, "modified": right, "scenario": scenario});
            rows.push((format!("1,000 paths, {name}, {what}"), raced(ours, kubernetes, &request)));
        };
        row("read", &|arena| _ = black_box(FieldSet::read(&left_text, arena)));
        row("write", &|_| drop(black_box(one.to_fields_v1(FieldOrder::Path))));
        row("union", &|arena| _ = black_box(one.union(&two, arena)));
        row("intersection", &|arena| _ = black_box(one.intersection(&two, arena)));
        row("difference", &|arena| _ = black_box(one.difference(&two, arena)));
    }
    rows
}
