//! How fast small patches are applied, beside serde_json: `cargo bench -p kubemerge-strategic --bench apply`.
//!
//! Checked: bytes in, bytes out. Trusted: a canonical document in, a canonical document out. In both the
//! patch comes as bytes and is checked.

use kubemerge_schema::{Dialect, Schema};
use kubemerge_strategic::apply;
use kubemerge_test_support::{
    documents,
    stopwatch::{Job, measure, show_time},
};
use kubemerge_value::{Arena, Canonical, Document, to_bytes, to_canonical};
use serde_json::Value;

/// A document, a small patch of it, and what its merges may cost, of serde_json's parse and serialize.
struct Case {
    name: &'static str,
    kind: (&'static str, &'static str),
    live: Vec<u8>,
    patch: &'static str,
    checked: f64,
    trusted: f64,
}

fn main() {
    println!(
        "{:<22} {:>9}  {:<30} {:>10} {:>9} {:>7} {:>7}",
        "document", "bytes", "work", "time", "of serde", "goal", "allocs"
    );
    for dialect in [Dialect::Upstream, Dialect::Spec] {
        let schema = Schema::builtin("1.37", dialect).expect("a table of our own");
        for case in cases() {
            report(&case, &schema);
        }
    }
}

fn cases() -> [Case; 5] {
    let image = r#"{"spec":{"containers":[{"image":"registry.example.com/team/web:2.0.0","name":"web"}]}}"#;
    [
        Case {
            name: "deployment",
            kind: ("apps/v1", "Deployment"),
            live: documents::deployment(),
            patch: r#"{"spec":{"template":{"spec":{"containers":[{"image":"registry.example.com/team/web:2.0.0","name":"web"}]}}}}"#,
            checked: 0.15,
            trusted: 0.05,
        },
        Case {
            name: "pod",
            kind: ("v1", "Pod"),
            live: documents::pod(),
            patch: image,
            checked: 0.10,
            trusted: 0.025,
        },
        Case {
            name: "pod 10k env, image",
            kind: ("v1", "Pod"),
            live: documents::pod_with_env(10_000),
            patch: image,
            checked: 0.10,
            trusted: 0.07,
        },
        Case {
            name: "pod 10k env, one of it",
            kind: ("v1", "Pod"),
            live: documents::pod_with_env(10_000),
            patch: r#"{"spec":{"containers":[{"env":[{"name":"APP_VAR_05000","value":"x"}],"name":"web"}]}}"#,
            checked: 0.10,
            trusted: 0.07,
        },
        Case {
            name: "config map",
            kind: ("v1", "ConfigMap"),
            live: documents::config_map(23_000),
            patch: r#"{"data":{"key-11500":"x"}}"#,
            checked: 0.10,
            trusted: 0.025,
        },
    ]
}

fn report(case: &Case, schema: &Schema) {
    let ty = schema.type_of(case.kind.0, case.kind.1).expect("a built-in kind");
    let patch = case.patch.as_bytes();
    let canonical = Canonical::from_bytes(&case.live).expect("a document of our own");
    let checked = || {
        let live = Document::check(&case.live).unwrap();
        let patch = Document::check(patch).unwrap();
        let arena = Arena::new();
        to_bytes(apply(ty, live.node(), patch.node(), &arena).unwrap())
    };
    let trusted = || {
        let patch = Document::check(patch).unwrap();
        let arena = Arena::new();
        to_canonical(apply(ty, canonical.node(), patch.node(), &arena).unwrap())
    };
    assert_eq!(checked(), trusted().as_bytes());
    let mut jobs = [
        Job::new("serde_json parse + serialize", || {
            serde_json::to_vec(&serde_json::from_slice::<Value>(&case.live).unwrap()).unwrap()
        }),
        Job::new("apply checked", checked),
        Job::new("apply trusted", trusted),
        Job::new("check alone", || Document::check(&case.live).is_ok()),
        Job::new("memcpy", || case.live.clone()),
    ];
    let goals = [None, Some(case.checked), Some(case.trusted), None, None];
    let times = measure(&mut jobs);
    let name = format!("{} ({:?})", case.name, schema.dialect());
    for ((job, time), goal) in jobs.iter_mut().zip(&times).zip(goals) {
        let allocations = allocation_counter::measure(|| job.once()).count_total;
        let ratio = time / times[0];
        let goal = goal.map_or(String::new(), |goal| format!("{goal}"));
        let (work, time, bytes) = (&job.name, show_time(*time), case.live.len());
        println!("{name:<34} {bytes:>9}  {work:<30} {time:>10} {ratio:>9.4} {goal:>7} {allocations:>7}");
    }
}
