//! How the time of a merge grows with its lists: `cargo bench -p kubemerge-strategic --bench growth`.
//!
//! The time per item from n = 1,000 on may grow by what memory caches cost, not by more. The last rows are
//! patches of about 3 MiB that mean harm.

use kubemerge_schema::{Dialect, Schema};
use kubemerge_strategic::apply;
use kubemerge_value::{Arena, Document, to_bytes};
use std::time::{Duration, Instant};

/// A document and a patch of a kind.
struct Case {
    kind: Option<(&'static str, &'static str)>,
    live: String,
    patch: String,
}

type Row = (&'static str, fn(usize) -> Case);

const ROWS: [Row; 7] = [
    ("all items changed and reversed, order list", reversed_with_order),
    ("one item changed", one_changed),
    ("one item added", one_added),
    ("every second item deleted", half_deleted),
    ("strings reversed, order list", strings_with_order),
    ("strings deleted", strings_deleted),
    ("members of a map changed", members_changed),
];

const HARM: [Row; 6] = [
    ("keys with a common prefix, all new", common_prefix),
    ("order list of items that are not there", strange_order),
    ("deep nesting", deep_nesting),
    ("deep nesting of lists in lists", deep_lists),
    ("names in retainKeys", retain_keys),
    ("an item repeated with ever more fields", repeated_item),
];

fn main() {
    for dialect in [Dialect::Upstream, Dialect::Spec] {
        let schema = Schema::builtin("1.37", dialect).expect("a table of our own");
        println!(
            "{:<46} {:>12} {:>12} {:>12} {:>8}",
            format!("{dialect:?}"),
            "1,000",
            "10,000",
            "100,000",
            "growth"
        );
        for (name, case) in ROWS {
            let per_item =
                [1_000, 10_000, 100_000].map(|n| time(&case(n), &schema).as_nanos() as f64 / n as f64);
            let [small, medium, large] = per_item;
            let growth = large / small;
            println!("{name:<46} {small:>9.0} ns {medium:>9.0} ns {large:>9.0} ns {growth:>7.1}x");
        }
        for (name, case) in HARM {
            let case = case(100_000);
            let (size, time) = (case.patch.len() as f64 / f64::from(1 << 20), time(&case, &schema));
            println!("{name:<46} {size:>8.1} MiB {:>9.1} ms", time.as_secs_f64() * 1e3);
        }
    }
}

/// The time that this thread has had on a processor, where the system tells it: on a busy machine a long run is
/// interrupted and a short one is not.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// The shortest of three runs, from bytes to bytes; an error is an answer too.
fn time(case: &Case, schema: &Schema) -> Duration {
    let ty = case.kind.map_or(schema.untyped(), |kind| schema.type_of(kind.0, kind.1).expect("a kind"));
    let run = || {
        let (start, processor) = (Instant::now(), processor_time());
        let live = Document::check(case.live.as_bytes()).expect("a document of our own");
        let patch = Document::check(case.patch.as_bytes()).expect("a patch of our own");
        let arena = Arena::new();
        let result = apply(ty, live.node(), patch.node(), &arena).map(to_bytes);
        std::hint::black_box(&result);
        match (processor, processor_time()) {
            (Some(before), Some(after)) if after > before => after.checked_sub(before).unwrap(),
            _ => start.elapsed(),
        }
    };
    (0..3).map(|_| run()).min().expect("three runs")
}

const POD: Option<(&str, &str)> = Some(("v1", "Pod"));

fn joined(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(",")
}

fn env(items: String, order: Option<String>) -> String {
    let order = order.map_or(String::new(), |order| format!(r#""$setElementOrder/env":[{order}],"#));
    format!(r#"{{"spec":{{"containers":[{{{order}"env":[{items}],"name":"web"}}]}}}}"#)
}

fn variable(n: usize, value: &str) -> String {
    format!(r#"{{"name":"V{n}","value":"{value}"}}"#)
}

fn variables(n: usize, value: &str) -> String {
    joined((0..n).map(|n| variable(n, value)))
}

fn reversed_with_order(n: usize) -> Case {
    let patch = joined((0..n).rev().map(|n| variable(n, "b")));
    let order = joined((0..n).rev().map(|n| format!(r#"{{"name":"V{n}"}}"#)));
    Case { kind: POD, live: env(variables(n, "a"), None), patch: env(patch, Some(order)) }
}

fn one_changed(n: usize) -> Case {
    Case { kind: POD, live: env(variables(n, "a"), None), patch: env(variable(n / 2, "b"), None) }
}

fn one_added(n: usize) -> Case {
    Case { kind: POD, live: env(variables(n, "a"), None), patch: env(variable(n, "b"), None) }
}

fn half_deleted(n: usize) -> Case {
    let patch = joined((0..n).step_by(2).map(|n| format!(r#"{{"$patch":"delete","name":"V{n}"}}"#)));
    Case { kind: POD, live: env(variables(n, "a"), None), patch: env(patch, None) }
}

fn strings(numbers: impl Iterator<Item = usize>) -> String {
    joined(numbers.map(|n| format!(r#""s{n}""#)))
}

fn finalizers(directives: String) -> String {
    format!(r#"{{"metadata":{{{directives}}}}}"#)
}

fn strings_with_order(n: usize) -> Case {
    let reversed = strings((0..n).rev());
    let patch = format!(r#""$setElementOrder/finalizers":[{reversed}],"finalizers":[{reversed}]"#);
    let live = format!(r#""finalizers":[{}]"#, strings(0..n));
    Case { kind: POD, live: finalizers(live), patch: finalizers(patch) }
}

fn strings_deleted(n: usize) -> Case {
    let patch = format!(r#""$deleteFromPrimitiveList/finalizers":[{}]"#, strings((0..n).step_by(2)));
    let live = format!(r#""finalizers":[{}]"#, strings(0..n));
    Case { kind: POD, live: finalizers(live), patch: finalizers(patch) }
}

fn members_changed(n: usize) -> Case {
    let map = |value: &str| format!("{{{}}}", joined((0..n).map(|n| format!(r#""k{n}":"{value}""#))));
    Case { kind: None, live: map("a"), patch: map("b") }
}

fn common_prefix(n: usize) -> Case {
    let item = |n: usize| format!(r#"{{"name":"the_same_prefix_{n:06}"}}"#);
    let (live, patch) = (joined((0..n).map(item)), joined((n..2 * n).rev().map(item)));
    Case { kind: POD, live: env(live, None), patch: env(patch, None) }
}

fn strange_order(n: usize) -> Case {
    let order = joined((0..n).map(|at| format!(r#"{{"name":"W{}"}}"#, n - at)));
    Case { kind: POD, live: env(variables(n, "a"), None), patch: env(String::new(), Some(order)) }
}

/// `levels` levels, and what is beside the next level on each of them.
const LEVELS: usize = 9_000;

fn deep_nesting(_: usize) -> Case {
    let beside = format!(r#""b":"{}""#, "x".repeat(300));
    let nested =
        |leaf: &str| format!(r"{}{leaf}{}", r#"{"a":"#.repeat(LEVELS), format!(",{beside}}}").repeat(LEVELS));
    Case { kind: None, live: nested("1"), patch: nested("2") }
}

fn deep_lists(_: usize) -> Case {
    let nested = |leaf: &str| {
        let open = r#"{"name":"x","properties":{"x":"#.repeat(LEVELS / 2);
        format!("{open}{leaf}{}", "}}".repeat(LEVELS / 2))
    };
    let wrap = |inner: String| {
        format!(r#"{{"spec":{{"versions":[{{"name":"v1","schema":{{"openAPIV3Schema":{inner}}}}}]}}}}"#)
    };
    Case {
        kind: Some(("apiextensions.k8s.io/v1", "CustomResourceDefinition")),
        live: wrap(nested("1")),
        patch: wrap(nested("2")),
    }
}

fn retain_keys(n: usize) -> Case {
    let names = joined((0..n).map(|n| format!(r#""name_of_field_{n:06}""#)));
    let live = format!("{{{}}}", joined((0..n).map(|n| format!(r#""name_of_field_{n:06}":1"#))));
    Case { kind: None, live, patch: format!(r#"{{"$retainKeys":[{names}]}}"#) }
}

fn repeated_item(n: usize) -> Case {
    let patch = joined((0..n).map(|n| format!(r#"{{"name":"V0","field_{n:06}":"x"}}"#)));
    Case { kind: POD, live: env(variables(1, "a"), None), patch: env(patch, None) }
}
