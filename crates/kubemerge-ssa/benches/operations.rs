//! Times of the operations on objects of typical shapes: `cargo bench -p kubemerge-ssa`.

#[path = "../../../xtask/src/bench/ssa_documents.rs"]
mod ssa_documents;

use std::hint::black_box;
use std::time::Instant;

use kubemerge_schema::{Dialect, Schema, TypeTable};
use kubemerge_ssa::fieldpath::{FieldOrder, FieldSet};
use kubemerge_ssa::managed_fields::{
    Conflicting, Endpoint, Live, ManagedFields, Time, Writer, apply, update,
};
use kubemerge_ssa::typed::{Duplicates, claim, compare, merge, validate};
use kubemerge_ssa::value::{Arena, ParsedValue, ValuePair};
use kubemerge_ssa::{SameForm, VersionConverter as _};
use serde_json::json;
use ssa_documents::{Shape, shapes};

fn main() {
    let schema = Schema::builtin("1.37", Dialect::Upstream).expect("the built-in tables load");
    let table = TypeTable::compile(&schema);
    let wanted = std::env::args().nth(1).filter(|word| !word.starts_with('-'));
    for shape in shapes().into_iter().filter(|shape| wanted.as_ref().is_none_or(|name| name == shape.name)) {
        time_shape(&table, &shape);
    }
    time_sets();
}

fn time_shape(table: &TypeTable, shape: &Shape) {
    let arena = Arena::new();
    let versions = match table.type_of(shape.version, shape.kind) {
        Some(_) => SameForm::built_in(table, shape.kind),
        None => SameForm::schemaless(table),
    };
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
    let writer = |manager| Writer { manager, time: Time(1) };
    let empty = Live { object: endpoint.empty, managed: &none };
    let once = apply(&endpoint, empty, config, writer("m1"), Conflicting::Refuse, &arena).expect("applies");
    let live = Live { object: once.object.expect("changed"), managed: &once.managed };
    let text = shape.object.to_string();
    let ty = versions.type_of(shape.version).expect("a type");
    let name = shape.name;
    println!(
        "{name}: {} bytes, fieldsV1 {} bytes",
        text.len(),
        once.managed.entries()[0].fields.as_str().len()
    );
    report(name, "parse", |arena| drop(black_box(ParsedValue::parse(text.as_bytes(), arena))));
    report(name, "validate", |arena| drop(black_box(validate(ty, config, Duplicates::Refused, arena))));
    report(name, "claim", |arena| drop(black_box(claim(ty, config, arena))));
    report(name, "merge", |arena| drop(black_box(merge(ty, live.object, config, arena))));
    report(name, "compare", |arena| drop(black_box(compare(ty, endpoint.empty, config, arena))));
    let claimed = claim(ty, config, &arena);
    report(name, "write fieldsV1", |_| drop(black_box(claimed.to_fields_v1(FieldOrder::Path))));
    report(name, "read fieldsV1", |arena| drop(black_box(once.managed.entries()[0].fields.set_in(arena))));
    report(name, "create, tracked", |arena| {
        drop(black_box(update(&endpoint, empty, config, writer("m1"), arena)));
    });
    report(name, "nothing, tracked", |arena| {
        drop(black_box(update(&endpoint, empty, endpoint.empty, writer("m1"), arena)));
    });
    report(name, "apply", |arena| {
        drop(black_box(apply(&endpoint, empty, config, writer("m1"), Conflicting::Refuse, arena)));
    });
    report(name, "second applier", |arena| {
        drop(black_box(apply(&endpoint, live, config, writer("m2"), Conflicting::Refuse, arena)));
    });
    report(name, "re-apply", |arena| {
        drop(black_box(apply(&endpoint, live, config, writer("m1"), Conflicting::Refuse, arena)));
    });
    let mut changed = shape.object.clone();
    changed["metadata"]["annotations"]["changed"] = json!("yes");
    let changed = changed.to_string();
    report(name, "update, bytes to bytes", |arena| {
        let texts = ValuePair::parse(text.as_bytes(), changed.as_bytes(), arena).expect("JSON");
        let live = Live { object: texts.old, managed: &once.managed };
        let managed = update(&endpoint, live, texts.new, writer("u"), arena).expect("tracked");
        let mut out = Vec::new();
        managed.write_json(&mut out);
        out.extend_from_slice(changed.as_bytes());
        black_box(out);
    });
}

fn time_sets() {
    let text = |offset: usize| {
        let label = |n: usize| format!("\"f:field-{:04}\":{{\"f:a\":{{}},\"f:b\":{{}}}}", n * 2 + offset);
        format!("{{{}}}", (0..500).map(label).collect::<Vec<_>>().join(","))
    };
    let arena = Arena::new();
    let (left, right) = (text(0), text(1));
    let (one, two) =
        (FieldSet::read(&left, &arena).expect("a set"), FieldSet::read(&right, &arena).expect("a set"));
    report("1,000 paths", "read", |arena| drop(black_box(FieldSet::read(&left, arena))));
    report("1,000 paths", "write", |_| drop(black_box(one.to_fields_v1(FieldOrder::Path))));
    report("1,000 paths", "union", |_| drop(black_box(one.union(&two))));
    report("1,000 paths", "intersection", |_| drop(black_box(one.intersection(&two))));
    report("1,000 paths", "difference", |_| drop(black_box(one.difference(&two))));
}

/// Prints the time of the fastest of several rounds; each call has the arena to itself.
fn report(name: &str, what: &str, call: impl Fn(&Arena)) {
    let mut best = f64::MAX;
    let mut arena = Arena::new();
    for _ in 0..9 {
        let calls = 30;
        let start = Instant::now();
        for _ in 0..calls {
            arena.reset();
            call(&arena);
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(calls));
    }
    println!("  {name} {what}: {:.1} µs", best / 1000.0);
}
