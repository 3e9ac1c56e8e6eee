//! Server-side apply of lists that grow: time must grow no faster than they do.

use kubemerge_schema::{Schema, TypeTable};
use kubemerge_ssa::SameForm;
use kubemerge_ssa::fieldpath::{FieldOrder, FieldSet};
use kubemerge_ssa::managed_fields::{
    Conflicting, Endpoint, Live, ManagedFields, Time, Writer, apply, update_valid,
};
use kubemerge_ssa::value::{Arena, ParsedValue};
use serde_json::{Value as Json, json};

use super::ssa_documents::pod;
use super::stopwatch::nanoseconds;
use super::table::Table;
use crate::dice::Dice;

const LENGTHS: [usize; 3] = [1_000, 10_000, 100_000];

/// Times of the operations on a container with so many variables.
pub(super) fn table(schema: &Schema) -> Table {
    let types = TypeTable::compile(schema);
    let times: Vec<[f64; 4]> = LENGTHS.iter().map(|length| times(&types, *length)).collect();
    let names = ["apply", "re-apply", "re-apply in another order", "update of one item"];
    let row = |(place, name): (usize, &&str)| {
        (format!("n items, {name}"), times.iter().map(|times| Some(times[place])).collect())
    };
    let columns = LENGTHS.map(|length| format!("n = {length}"));
    Table::times(
        "Server-side apply of lists of n items",
        columns,
        names.iter().enumerate().map(row).collect(),
    )
}

fn times(types: &TypeTable, length: usize) -> [f64; 4] {
    let arena = Arena::new();
    let read = |object: &Json| {
        let text = arena.alloc_str(&object.to_string());
        ParsedValue::parse(text.as_bytes(), &arena).expect("JSON")
    };
    let mut object = pod();
    let variable =
        |number: usize| json!({"name": format!("VARIABLE_{number:06}"), "value": number.to_string()});
    object["spec"]["containers"][0]["env"] = (0..length).map(variable).collect();
    let config = read(&object);
    let (versions, nothing) = (SameForm::built_in(types, "Pod"), FieldSet::new());
    let endpoint = Endpoint {
        versions: &versions,
        api_version: "v1",
        kind: "Pod",
        subresource: "",
        reset_fields: &nothing,
        order: FieldOrder::Path,
        empty: read(&json!({"apiVersion": "v1", "kind": "Pod"})),
    };
    let writer = Writer { manager: "m", time: Time(1) };
    let none = ManagedFields::new();
    let empty = Live { object: endpoint.empty, managed: &none };
    let first = apply(&endpoint, empty, config, writer, Conflicting::Refuse, &arena).expect("it applies");
    let live = Live { object: first.object.expect("it is new"), managed: &first.managed };
    let items = object["spec"]["containers"][0]["env"].as_array_mut().expect("a list");
    Dice::new(1).shuffle(items);
    let shuffled = read(&object);
    let mut changed = object.clone();
    changed["spec"]["containers"][0]["env"][length / 2]["value"] = json!("other");
    let changed = read(&changed);
    let mut memory = Arena::new();
    let mut time = |call: &dyn Fn(&Arena)| {
        nanoseconds(|| {
            memory.reset();
            call(&memory);
        })
    };
    let applied = |live, config, arena: &Arena| {
        drop(apply(&endpoint, live, config, writer, Conflicting::Refuse, arena));
    };
    [
        time(&|arena| applied(empty, config, arena)),
        time(&|arena| applied(live, config, arena)),
        time(&|arena| applied(live, shuffled, arena)),
        time(&|arena| drop(update_valid(&endpoint, live, changed, writer, arena))),
    ]
}
