//! Who races on what.

use std::process::{Command, ExitCode};

use kubemerge_schema::{Dialect, Schema, Type};
use kubemerge_strategic::{DiffOptions, OnConflict, apply, diff, three_way};
use kubemerge_value::{Arena, Canonical, Document, to_bytes, to_canonical};
use serde_json::{Value, json};

use super::{
    documents::{Layout, Race, races, text},
    growth::{Growth, ROWS},
    peers,
    stopwatch::nanoseconds,
    table::{Form, Table, Unit, print},
};
use crate::reference::Reference;

/// Lengths of the lists in the growth table.
const LENGTHS: &[usize] = &[1_000, 10_000, 100_000];

/// Kubernetes is asked up to this length only: its list merge is quadratic.
const LONGEST_FOR_KUBERNETES: usize = 1_000;

/// How long Kubernetes may take for a row, in nanoseconds.
const PATIENCE: f64 = 1e9;

pub(super) fn run(form: Form) -> ExitCode {
    let mut kubernetes = Kubernetes::start();
    let upstream = Schema::builtin("1.37", Dialect::Upstream).expect("the built-in tables load");
    let spec = Schema::builtin("1.37", Dialect::Spec).expect("the built-in tables load");
    let times = apply_table(&upstream, &mut kubernetes);
    let ratios = times.ratios("Applying a small patch, as multiples of our trusted path");
    let growth = growth_table(&[("upstream", &upstream), ("spec", &spec)], &mut kubernetes);
    print(form, &racers(), &[times, ratios, growth]);
    ExitCode::SUCCESS
}

fn apply_table(schema: &Schema, kubernetes: &mut Kubernetes) -> Table {
    let columns = [
        "ours, trusted",
        "ours, checked",
        "ours, struct order",
        "ours, pretty",
        "sonic-rs",
        "serde_json",
        "Kubernetes",
    ];
    let rows =
        races().iter().map(|race| (race.name.to_string(), apply_row(schema, race, kubernetes))).collect();
    Table {
        title: "Applying a small patch, bytes to bytes",
        columns: columns.map(String::from).to_vec(),
        rows,
        unit: Unit::Time,
    }
}

fn apply_row(schema: &Schema, race: &Race, kubernetes: &mut Kubernetes) -> Vec<Option<f64>> {
    let ty = type_of(schema, race.type_name);
    let compact = text(&race.live, Layout::Compact);
    let patch = race.patch.to_string();
    let checked = |layout| {
        let live = text(&race.live, layout);
        Some(nanoseconds(|| apply_checked(ty, live.as_bytes(), patch.as_bytes())))
    };
    let stored = Canonical::from_bytes(compact.as_bytes()).expect("the race is on JSON");
    let documents = json!({ "original": race.live, "patch": race.patch });
    vec![
        Some(nanoseconds(|| apply_trusted(ty, &stored, patch.as_bytes()))),
        checked(Layout::Compact),
        checked(Layout::StructOrder),
        checked(Layout::Pretty),
        Some(nanoseconds(|| peers::with_sonic_rs(compact.as_bytes(), patch.as_bytes()))),
        Some(nanoseconds(|| peers::with_serde_json(compact.as_bytes(), patch.as_bytes()))),
        kubernetes.nanoseconds("apply", race.type_name, &documents),
    ]
}

fn apply_trusted(ty: Type<'_>, live: &Canonical, patch: &[u8]) -> Vec<u8> {
    let arena = Arena::new();
    let patch = Document::check(patch).expect("the race is on JSON");
    let result = apply(ty, live.node(), patch.node(), &arena).expect("the patch applies");
    to_canonical(result).into_bytes()
}

fn apply_checked(ty: Type<'_>, live: &[u8], patch: &[u8]) -> Vec<u8> {
    let arena = Arena::new();
    let live = Document::check(live).expect("the race is on JSON");
    let patch = Document::check(patch).expect("the race is on JSON");
    to_bytes(apply(ty, live.node(), patch.node(), &arena).expect("the patch applies"))
}

fn growth_table(schemas: &[(&str, &Schema)], kubernetes: &mut Kubernetes) -> Table {
    let mut columns: Vec<String> = LENGTHS.iter().map(|length| format!("n = {length}")).collect();
    columns.push(format!("Kubernetes, n = {LONGEST_FOR_KUBERNETES}"));
    let mut rows = Vec::new();
    for row in ROWS {
        for (dialect, schema) in schemas {
            let mut times: Vec<Option<f64>> =
                LENGTHS.iter().map(|length| Some(grown(schema, row, *length))).collect();
            times.push(match *dialect {
                "upstream" => {
                    kubernetes.nanoseconds(row.op, "v1/Pod", &row.documents(LONGEST_FOR_KUBERNETES))
                }
                _ => None,
            });
            rows.push((format!("{}, {dialect}", row.name), times));
        }
    }
    Table {
        title: "Lists of n items, bytes to bytes, time of the whole operation",
        columns,
        rows,
        unit: Unit::Time,
    }
}

fn grown(schema: &Schema, row: &Growth, length: usize) -> f64 {
    let ty = type_of(schema, "v1/Pod");
    let documents = row.documents(length);
    let part = |name: &str| documents.get(name).map(Value::to_string).unwrap_or_default();
    let (original, modified, current, patch) =
        (part("original"), part("modified"), part("current"), part("patch"));
    match row.op {
        "apply" => nanoseconds(|| apply_checked(ty, original.as_bytes(), patch.as_bytes())),
        "diff" => nanoseconds(|| diff_checked(ty, &original, &modified)),
        _ => nanoseconds(|| three_way_checked(ty, &original, &modified, &current)),
    }
}

fn diff_checked(ty: Type<'_>, original: &str, modified: &str) -> Vec<u8> {
    let arena = Arena::new();
    let original = Document::check(original.as_bytes()).expect("the race is on JSON");
    let modified = Document::check(modified.as_bytes()).expect("the race is on JSON");
    to_bytes(
        diff(ty, original.node(), modified.node(), &DiffOptions::default(), &arena)
            .expect("there is a patch"),
    )
}

fn three_way_checked(ty: Type<'_>, original: &str, modified: &str, current: &str) -> Vec<u8> {
    let arena = Arena::new();
    let [original, modified, current] = [original, modified, current]
        .map(|text| Document::check(text.as_bytes()).expect("the race is on JSON"));
    let (original, modified, current) = (original.node(), modified.node(), current.node());
    let patch = three_way(ty, original, modified, current, OnConflict::Overwrite, &arena);
    to_bytes(patch.expect("there is a patch"))
}

fn type_of<'s>(schema: &'s Schema, name: &str) -> Type<'s> {
    let (version, kind) = name.rsplit_once('/').expect("a kind");
    schema.type_of(version, kind).expect("a built-in kind")
}

/// Kubernetes' own code, where Go is at hand.
struct Kubernetes(Option<Reference>);

impl Kubernetes {
    fn start() -> Kubernetes {
        let reference = Reference::start();
        if let Err(unavailable) = &reference {
            unavailable.report();
        }
        Kubernetes(reference.ok())
    }

    /// Nanoseconds of one operation.
    fn nanoseconds(&mut self, op: &str, type_name: &str, documents: &Value) -> Option<f64> {
        let once = self.asked(op, type_name, documents, 1)?;
        let rounds = (PATIENCE / once.max(1.0)).clamp(1.0, 2_000.0);
        if rounds < 2.0 { Some(once) } else { self.asked(op, type_name, documents, rounds as u64) }
    }

    fn asked(&mut self, op: &str, type_name: &str, documents: &Value, repeat: u64) -> Option<f64> {
        let mut of = documents.clone();
        of["op"] = json!(op);
        of["type"] = json!(type_name);
        let request = json!({ "op": "time", "repeat": repeat, "of": of }).to_string();
        let replies = self.0.as_mut()?.ask(&[request]).ok()?;
        let reply: Value = serde_json::from_str(replies.first()?).ok()?;
        reply["result"]["ns"].as_f64()
    }
}

/// Everybody with their version, and the machine.
fn racers() -> Vec<(String, String)> {
    let module = |name: &str| locked("conformance/reference/go.mod", &format!("{name} v"));
    let package = |name: &str| locked("Cargo.lock", &format!("name = \"{name}\"\nversion = \""));
    let named = |name: &str, version: String| (name.to_string(), version);
    vec![
        named("kubemerge", env!("CARGO_PKG_VERSION").to_string()),
        named("serde_json", package("serde_json")),
        named("sonic-rs", package("sonic-rs")),
        named("k8s.io/apimachinery", module("k8s.io/apimachinery")),
        named("Go", output("go", &["version"])),
        named("Rust", output("rustc", &["--version"])),
        named("processor", processor()),
    ]
}

/// What follows a text in a file of the repository, up to the end of the word.
fn locked(file: &str, before: &str) -> String {
    let text = std::fs::read_to_string(crate::corpus::root().join(file)).unwrap_or_default();
    let version =
        text.split_once(before).map(|(_, rest)| rest.split(['"', '\n', ' ']).next().unwrap_or_default());
    version.unwrap_or("unknown").to_string()
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map_or_else(|_| "none".into(), |output| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| std::env::consts::ARCH.to_string(), |(_, name)| name.to_string())
}
