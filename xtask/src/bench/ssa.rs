//! Server-side apply beside structured-merge-diff and the managedfields package.
//!
//! Apply rows: parsed objects on both sides; ours with entries read from and written as text, upstream's updater
//! alone. Update row: bytes to bytes, against upstream's whole chain.

use kubemerge_schema::{Schema, TypeTable};
use kubemerge_ssa::SameForm;
use kubemerge_ssa::fieldpath::{FieldOrder, FieldSet};
use kubemerge_ssa::managed_fields::{
    Conflicting, Endpoint, Live, ManagedFields, Time, Writer, apply, update,
};
use kubemerge_ssa::value::{Arena, ParsedValue, ValuePair};
use kubemerge_value::Canonical;
use serde_json::{Value as Json, json};

use super::kubernetes::Kubernetes;
use super::ssa_documents::{Shape, shapes};
use super::stopwatch::nanoseconds;
use super::table::Table;
use crate::conformance::published;

/// Rows in pairs: our time and Kubernetes'.
pub(super) fn table(schema: &Schema, kubernetes: &mut Kubernetes) -> Table {
    let types = TypeTable::compile(schema);
    let mut rows: Vec<(String, Vec<Option<f64>>)> = Vec::new();
    for shape in shapes() {
        rows.extend(shape_rows(&types, &shape, kubernetes));
    }
    rows.extend(set_rows(kubernetes));
    Table::times("Server-side apply", ["ours", "Kubernetes"], rows)
}

fn shape_rows(
    types: &TypeTable,
    shape: &Shape,
    kubernetes: &mut Kubernetes,
) -> Vec<(String, Vec<Option<f64>>)> {
    let arena = Arena::new();
    let is_known = types.type_of(shape.version, shape.kind).is_some();
    let versions = if is_known { SameForm::built_in(types, shape.kind) } else { SameForm::schemaless(types) };
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
    let by = |manager| Writer { manager, time: Time(1) };
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
        let texts = ValuePair::from_stored(&text, changed.as_bytes(), arena).expect("JSON");
        let live = Live { object: texts.old, managed: &first.managed };
        let managed = update(&endpoint, live, texts.new, by("u"), arena).expect("it can be tracked");
        let mut out = Vec::with_capacity(changed.len() + 4_096);
        managed.write_json(&mut out);
        out.extend_from_slice(changed.as_bytes());
        out
    };
    let mut stored = shape.object.clone();
    let mut entries = Vec::new();
    first.managed.write_json(&mut entries);
    stored["metadata"]["managedFields"] = serde_json::from_slice(&entries).expect("entries are JSON");
    let theirs = |what| request(shape, is_known, &stored, what);
    let ours = |call: &dyn Fn(&Arena)| {
        let mut arena = Arena::new();
        nanoseconds(|| {
            // As a server does: memory is taken once and used for every request.
            arena.reset();
            call(&arena);
        })
    };
    let row = |what: &str, ours: f64, theirs: Option<f64>| {
        (format!("{}, {what}", shape.name), vec![Some(ours), theirs])
    };
    vec![
        row("apply", ours(&|arena| drop(applied(empty, "m1", arena))), kubernetes.best(&theirs("apply"))),
        row(
            "two appliers",
            ours(&|arena| {
                drop(applied(empty, "m1", arena));
                drop(applied(live, "m2", arena));
            }),
            kubernetes.best(&theirs("apply-twice")),
        ),
        row(
            "re-apply",
            ours(&|arena| drop(applied(live, "m1", arena))),
            kubernetes.best(&theirs("re-apply")),
        ),
        row("update one field", ours(&|arena| drop(updated(arena))), kubernetes.best(&theirs("update"))),
    ]
}

/// The object with one field added that no other manager owns.
fn changed(object: &Json) -> Json {
    let mut changed = object.clone();
    changed["metadata"]["annotations"]["changed"] = json!("yes");
    changed
}

fn request(shape: &Shape, is_known: bool, stored: &Json, what: &str) -> Json {
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

/// Two sets of 1,000 paths each, half of them in both: keyed items with fields, as containers have them.
fn set_rows(kubernetes: &mut Kubernetes) -> Vec<(String, Vec<Option<f64>>)> {
    let set = |from: usize| {
        let fields: serde_json::Map<String, Json> = (0..9)
            .map(|field| (format!("f:field-{field}"), json!({})))
            .chain([(".".to_owned(), json!({}))])
            .collect();
        let items: serde_json::Map<String, Json> = (from..from + 100)
            .map(|item| (format!("k:{{\"name\":\"item-{item:03}\"}}"), json!(fields)))
            .collect();
        json!({"f:spec": {"f:items": items}})
    };
    let (left, right) = (set(0), set(50));
    let (left_text, right_text) = (left.to_string(), right.to_string());
    let arena = Arena::new();
    let one = FieldSet::read(&left_text, &arena).expect("a set");
    let two = FieldSet::read(&right_text, &arena).expect("a set");
    let mut reading = Arena::new();
    let read = nanoseconds(|| {
        reading.reset();
        FieldSet::read(&left_text, &reading).map(|set| set.len())
    });
    let ours = [
        ("read", read),
        ("write", nanoseconds(|| one.to_fields_v1(FieldOrder::Path))),
        ("union", nanoseconds(|| one.union(&two))),
        ("intersection", nanoseconds(|| one.intersection(&two))),
        ("difference", nanoseconds(|| one.difference(&two))),
    ];
    let scenario =
        json!({"form": "deduced", "kind": "Any", "versions": ["v1"], "steps": [{"version": "v1"}]});
    let mut row = |(what, ours): (&str, f64)| {
        let request = json!({"op": "ssa-bench", "text": what, "original": left, "modified": right, "scenario": scenario});
        (format!("set of 1,000 paths, {what}"), vec![Some(ours), kubernetes.best(&request)])
    };
    ours.into_iter().map(&mut row).collect()
}
