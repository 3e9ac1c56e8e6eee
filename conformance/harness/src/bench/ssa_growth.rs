//! Server-side apply of lists that grow: time must grow no faster than they do.

use kubemerge_schema::Schema;
use kubemerge_ssa::SameForm;
use kubemerge_ssa::fieldpath::{FieldOrder, FieldSet};
use kubemerge_ssa::managed_fields::{
    Conflicting, Endpoint, Live, LiveForm, ManagedFields, Time, Writer, apply, update,
};
use kubemerge_ssa::value::{Arena, ParsedValue};
use serde_json::{Value as Json, json};

use super::stopwatch::nanoseconds;
use super::table::Table;
use crate::rng::Rng;

const LENGTHS: [usize; 3] = [1_000, 10_000, 100_000];

const OPERATIONS: [&str; 4] =
    ["apply", "re-apply", "re-apply in another order", "update of one, in another order"];

/// Objects that grow: variables of a container by name, a set of texts, and entries of a map.
#[derive(Clone, Copy)]
enum Shape {
    KeyedList,
    Set,
    Map,
}

/// Times of the operations on objects of this many items.
pub(super) fn table(schema: &Schema) -> Table {
    let shapes = [("keyed list", Shape::KeyedList), ("set", Shape::Set), ("map", Shape::Map)];
    let rows = shapes.into_iter().flat_map(|(name, shape)| {
        let times = LENGTHS.map(|length| times(schema, shape, length));
        OPERATIONS.into_iter().enumerate().map(move |(place, operation)| {
            (format!("{name}, {operation}"), times.iter().map(|times| Some(times[place])).collect())
        })
    });
    let columns = LENGTHS.map(|length| format!("n = {length}"));
    Table::times("Server-side apply of n items", columns, rows.collect())
}

impl Shape {
    fn kind(self) -> &'static str {
        if matches!(self, Shape::Map) { "ConfigMap" } else { "Pod" }
    }

    /// An object with items of these numbers in this order, of which one has another value.
    fn object(self, numbers: &[usize], changed: Option<usize>) -> Json {
        let value =
            |number: usize| if Some(number) == changed { "other".to_owned() } else { number.to_string() };
        let mut object = json!({"apiVersion": "v1", "kind": self.kind(), "metadata": {"name": "growing"}});
        let variable =
            |number: &usize| json!({"name": format!("VARIABLE_{number:06}"), "value": value(*number)});
        match self {
            Shape::KeyedList => {
                let variables: Vec<Json> = numbers.iter().map(variable).collect();
                object["spec"]["containers"] =
                    json!([{"name": "main", "image": "example", "env": variables}]);
            }
            Shape::Set => {
                let item = |number: &usize| json!(format!("example.com/finalizer-{:0>6}", value(*number)));
                object["metadata"]["finalizers"] = numbers.iter().map(item).collect();
            }
            Shape::Map => {
                let entry = |number: &usize| (format!("key-{number:06}"), json!(value(*number)));
                object["data"] = Json::Object(numbers.iter().map(entry).collect());
            }
        }
        object
    }
}

fn times(schema: &Schema, shape: Shape, length: usize) -> [f64; 4] {
    let arena = Arena::new();
    let read = |object: &Json| {
        let text = arena.alloc_str(&object.to_string());
        ParsedValue::parse(text.as_bytes(), &arena).expect("JSON")
    };
    let mut numbers: Vec<usize> = (0..length).collect();
    let config = read(&shape.object(&numbers, None));
    let (versions, nothing) = (SameForm::built_in(schema, shape.kind()), FieldSet::new());
    let endpoint = Endpoint {
        versions: &versions,
        api_version: "v1",
        kind: shape.kind(),
        subresource: "",
        reset_fields: &nothing,
        order: FieldOrder::Path,
        empty: read(&json!({"apiVersion": "v1", "kind": shape.kind()})),
    };
    let writer = Writer { manager: "m", time: Some(Time(1)) };
    let none = ManagedFields::new();
    let empty = Live { object: endpoint.empty, managed: &none };
    let first = apply(&endpoint, empty, config, writer, Conflicting::Refuse, &arena).expect("it applies");
    let live = Live { object: first.object.expect("it is new"), managed: &first.managed };
    Rng::new(1).shuffle(&mut numbers);
    let shuffled = read(&shape.object(&numbers, None));
    let changed = read(&shape.object(&numbers, Some(length / 2)));
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
        time(&|arena| drop(update(&endpoint, live, LiveForm::Valid, changed, writer, arena))),
    ]
}
