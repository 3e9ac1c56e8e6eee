//! The rows of the tables, and what is measured for each.

use std::process::ExitCode;

use kubemerge_schema::{Dialect, Schema, Type, builtin::NEWEST};
use kubemerge_strategic::apply;
use kubemerge_value::{Arena, Canonical, Document, to_bytes, to_canonical};
use serde_json::{Value, json};

use super::{
    documents::{Layout, Race, races, text},
    growth::{Growth, ROWS},
    json_patches,
    kubernetes::Kubernetes,
    making, peers,
    racers::racers,
    ssa, ssa_growth,
    stopwatch::nanoseconds,
    table::{Form, Table, print},
};

/// Lengths of the lists in the growth table.
const LENGTHS: &[usize] = &[1_000, 10_000, 100_000];

/// Kubernetes is asked up to this length only: its list merge is quadratic.
const MAX_LENGTH_FOR_KUBERNETES: usize = 1_000;

pub(super) fn run(form: Form) -> ExitCode {
    let mut kubernetes = Kubernetes::start();
    let upstream = Schema::builtin(NEWEST, Dialect::Upstream).expect("the built-in tables load");
    let spec = Schema::builtin(NEWEST, Dialect::Spec).expect("the built-in tables load");
    let times = apply_table(&upstream, &mut kubernetes);
    let ratios = times.ratios("Applying a small patch, as multiples of our trusted path");
    let growth = growth_table(&[("upstream", &upstream), ("spec", &spec)], &mut kubernetes);
    let made = making::table(&upstream, &spec, &mut kubernetes);
    let made_ratios = made.ratios("Making a patch, as multiples of our checked path");
    let json = json_patches::table(&mut kubernetes);
    let server_side = ssa::table(&upstream, &mut kubernetes);
    let server_side_ratios = server_side.ratios(SERVER_SIDE_RATIOS);
    let tables = [times, ratios, made, made_ratios, json, growth, server_side, server_side_ratios];
    print(form, &racers(), &tables);
    ExitCode::SUCCESS
}

const SERVER_SIDE_RATIOS: &str = "Server-side apply, as multiples of our time";

/// The rows of server-side apply alone.
pub(super) fn run_server_side_apply(form: Form) -> ExitCode {
    let schema = Schema::builtin(NEWEST, Dialect::Upstream).expect("the built-in tables load");
    let times = ssa::table(&schema, &mut Kubernetes::start());
    let ratios = times.ratios(SERVER_SIDE_RATIOS);
    print(form, &racers(), &[times, ratios, ssa_growth::table(&schema)]);
    ExitCode::SUCCESS
}

/// Server-side apply of long lists and maps alone.
pub(super) fn run_growth(form: Form) -> ExitCode {
    let schema = Schema::builtin(NEWEST, Dialect::Upstream).expect("the built-in tables load");
    print(form, &racers(), &[ssa_growth::table(&schema)]);
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
    Table::times("Applying a small patch, bytes to bytes", columns, rows)
}

fn apply_row(schema: &Schema, race: &Race, kubernetes: &mut Kubernetes) -> Vec<Option<f64>> {
    let ty = type_of(schema, race.type_name);
    let compact = text(&race.live, Layout::Compact);
    let patch = race.patch.to_string();
    // Unsorted members are what checking costs most for.
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
    columns.push(format!("Kubernetes, n = {MAX_LENGTH_FOR_KUBERNETES}"));
    let mut rows = Vec::new();
    for row in ROWS {
        for (dialect, schema) in schemas {
            let mut times: Vec<Option<f64>> =
                LENGTHS.iter().map(|length| Some(grown(schema, row, *length))).collect();
            times.push(match *dialect {
                "upstream" => {
                    kubernetes.nanoseconds(row.op, "v1/Pod", &row.documents(MAX_LENGTH_FOR_KUBERNETES))
                }
                _ => None,
            });
            rows.push((format!("{}, {dialect}", row.name), times));
        }
    }
    Table::times("Lists of n items, bytes to bytes, time of the whole operation", columns, rows)
}

fn grown(schema: &Schema, row: &Growth, length: usize) -> f64 {
    let ty = type_of(schema, "v1/Pod");
    let documents = row.documents(length);
    let part = |name: &str| documents.get(name).map(Value::to_string).unwrap_or_default();
    let (original, modified, current, patch) =
        (part("original"), part("modified"), part("current"), part("patch"));
    match row.op {
        "apply" => nanoseconds(|| apply_checked(ty, original.as_bytes(), patch.as_bytes())),
        "diff" => nanoseconds(|| making::diff_checked(ty, &original, &modified)),
        _ => nanoseconds(|| making::three_way_checked(ty, &original, &modified, &current)),
    }
}

pub(super) fn type_of<'s>(schema: &'s Schema, name: &str) -> Type<'s> {
    let (version, kind) = name.rsplit_once('/').expect("a kind");
    schema.type_of(version, kind).expect("a built-in kind")
}
