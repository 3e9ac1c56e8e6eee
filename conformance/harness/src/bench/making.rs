//! Patches made of documents: against Kubernetes, and against merely parsing the documents.

use kubemerge_schema::{Schema, Type};
use kubemerge_strategic::{DiffOptions, OnConflict, diff, three_way};
use kubemerge_value::{Arena, Canonical, Document, Node, to_bytes};
use serde_json::{Value, json};

use super::{
    documents::{pod, pod_with_variables},
    kubernetes::Kubernetes,
    race::type_of,
    stopwatch::nanoseconds,
    table::Table,
};

/// Documents of which a patch is made, by the names of the protocol.
struct Making {
    name: &'static str,
    op: &'static str,
    documents: Value,
}

/// The table of patches that are made. Kubernetes' answers are those of the dialect `upstream`.
pub(super) fn table(upstream: &Schema, spec: &Schema, kubernetes: &mut Kubernetes) -> Table {
    let mut rows = Vec::new();
    for making in makings() {
        let theirs = kubernetes.nanoseconds(making.op, "v1/Pod", &making.documents);
        rows.push((format!("{}, upstream", making.name), row(upstream, &making, theirs)));
        rows.push((format!("{}, spec", making.name), row(spec, &making, None)));
    }
    let columns = ["ours, checked", "ours, trusted", "serde_json, only parsing", "Kubernetes"];
    Table::times("Making a patch, bytes to bytes", columns, rows)
}

fn makings() -> Vec<Making> {
    let (original, modified, mut current) = (pod(), with_image(pod()), pod());
    // What the server added must not end up in the patch.
    current["metadata"]["labels"]["scheduler"] = json!("added by the server");
    let (many, reversed) = (pod_with_variables(10_000), reversed(pod_with_variables(10_000)));
    vec![
        Making {
            name: "two-way, pods of 15 KB, one field",
            op: "diff",
            documents: json!({ "original": original, "modified": modified }),
        },
        Making {
            name: "three-way, pods of 15 KB, one field",
            op: "three-way",
            documents: json!({ "original": original, "modified": modified, "current": current, "overwrite": true }),
        },
        Making {
            name: "two-way, 10,000 items reversed and changed (Kubernetes: one run)",
            op: "diff",
            documents: json!({ "original": many, "modified": reversed }),
        },
    ]
}

fn with_image(mut pod: Value) -> Value {
    pod["spec"]["containers"][0]["image"] = json!("registry.example/app:v2");
    pod
}

/// All variables with another value, the last one first.
fn reversed(mut pod: Value) -> Value {
    if let Some(variables) = pod["spec"]["containers"][0]["env"].as_array_mut() {
        variables.reverse();
        variables.iter_mut().for_each(|variable| variable["value"] = json!("new"));
    }
    pod
}

fn row(schema: &Schema, making: &Making, theirs: Option<f64>) -> Vec<Option<f64>> {
    let ty = type_of(schema, "v1/Pod");
    let part = |name: &str| making.documents.get(name).unwrap_or(&Value::Null).to_string();
    let texts = ["original", "modified", "current"].map(part);
    let [original, modified, current] = &texts;
    let trusted =
        texts.each_ref().map(|text| Canonical::from_bytes(text.as_bytes()).expect("the race is on JSON"));
    let parse = |text: &str| serde_json::from_str::<Value>(text).expect("the race is on JSON");
    let checked = match making.op {
        "diff" => nanoseconds(|| diff_checked(ty, original, modified)),
        _ => nanoseconds(|| three_way_checked(ty, original, modified, current)),
    };
    let trusted = match making.op {
        "diff" => nanoseconds(|| diff_trusted(ty, [trusted[0].node(), trusted[1].node()])),
        _ => nanoseconds(|| three_way_trusted(ty, trusted.each_ref().map(Canonical::node))),
    };
    let parsing = nanoseconds(|| texts.each_ref().map(|text| parse(text)));
    vec![Some(checked), Some(trusted), Some(parsing), theirs]
}

/// The patch from one text to another.
pub(super) fn diff_checked(ty: Type<'_>, original: &str, modified: &str) -> Vec<u8> {
    let documents = [original, modified].map(checked);
    diff_trusted(ty, documents.each_ref().map(Document::node))
}

/// The patch that brings the third text to the second.
pub(super) fn three_way_checked(ty: Type<'_>, original: &str, modified: &str, current: &str) -> Vec<u8> {
    let documents = [original, modified, current].map(checked);
    three_way_trusted(ty, documents.each_ref().map(Document::node))
}

fn checked(text: &str) -> Document<'_> {
    Document::check(text.as_bytes()).expect("the race is on JSON")
}

fn diff_trusted(ty: Type<'_>, [original, modified]: [Node<'_>; 2]) -> Vec<u8> {
    let arena = Arena::new();
    to_bytes(diff(ty, original, modified, &DiffOptions::default(), &arena).expect("there is a patch"))
}

fn three_way_trusted(ty: Type<'_>, [original, modified, current]: [Node<'_>; 3]) -> Vec<u8> {
    let arena = Arena::new();
    let patch = three_way(ty, original, modified, current, OnConflict::Overwrite, &arena);
    to_bytes(patch.expect("there is a patch"))
}
