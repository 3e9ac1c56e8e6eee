//! How fast patches are made, beside serde_json: `cargo bench -p kubemerge-strategic --bench diff`.
//!
//! First two pods that differ in one field; then merge lists whose items are all changed and reversed, which
//! must take linear time.

#[allow(dead_code)]
use kubemerge_schema::{Dialect, Schema, Type};
use kubemerge_strategic::{DiffOptions, OnConflict, diff, three_way};
use kubemerge_test_support::{
    documents,
    stopwatch::{Job, measure, show_time},
};
use kubemerge_value::{Arena, Canonical, Document, to_bytes};
use serde_json::Value;

fn main() {
    println!("{:<34} {:>9}  {:<30} {:>10} {:>9}", "document", "bytes", "work", "time", "of serde");
    for dialect in [Dialect::Upstream, Dialect::Spec] {
        let schema = Schema::builtin("1.37", dialect).expect("a table of our own");
        let pod = schema.type_of("v1", "Pod").expect("a built-in kind");
        one_field(pod, dialect);
        for count in [1_000, 10_000, 100_000] {
            reversed(pod, dialect, count);
        }
    }
}

/// A pod, and the same pod with another image.
fn one_field(pod: Type<'_>, dialect: Dialect) {
    let original = documents::pod();
    let modified =
        String::from_utf8(original.clone()).expect("text").replacen("web:", "web:2", 1).into_bytes();
    assert_ne!(original, modified);
    report(&format!("pod, one field ({dialect:?})"), pod, &original, &modified);
}

/// Environment variables, all changed and in reverse.
fn reversed(pod: Type<'_>, dialect: Dialect, count: usize) {
    let env = |numbers: &mut dyn Iterator<Item = usize>, value: &str| {
        let items: Vec<String> =
            numbers.map(|n| format!(r#"{{"name":"VAR_{n:06}","value":"{value}"}}"#)).collect();
        format!(r#"{{"spec":{{"containers":[{{"env":[{}],"name":"web"}}]}}}}"#, items.join(",")).into_bytes()
    };
    let (original, modified) = (env(&mut (0..count), "old"), env(&mut (0..count).rev(), "new"));
    report(&format!("{count} reversed ({dialect:?})"), pod, &original, &modified);
}

fn report(name: &str, pod: Type<'_>, original: &[u8], modified: &[u8]) {
    let parse = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
    let (before, after) =
        (Canonical::from_bytes(original).unwrap(), Canonical::from_bytes(modified).unwrap());
    let options = DiffOptions::default();
    let mut jobs = [
        Job::new("serde_json parses both", || (parse(original), parse(modified))),
        Job::new("diff checked", || {
            let (one, two) = (Document::check(original).unwrap(), Document::check(modified).unwrap());
            let arena = Arena::new();
            to_bytes(diff(pod, one.node(), two.node(), &options, &arena).unwrap())
        }),
        Job::new("diff trusted", || {
            let arena = Arena::new();
            to_bytes(diff(pod, before.node(), after.node(), &options, &arena).unwrap())
        }),
        Job::new("three-way trusted", || {
            let arena = Arena::new();
            let (before, after) = (before.node(), after.node());
            to_bytes(three_way(pod, before, after, before, OnConflict::Overwrite, &arena).unwrap())
        }),
    ];
    let times = measure(&mut jobs);
    for (job, time) in jobs.iter().zip(&times) {
        let (ratio, work, bytes) = (time / times[0], &job.name, original.len() + modified.len());
        println!("{name:<34} {bytes:>9}  {work:<30} {:>10} {ratio:>9.4}", show_time(*time));
    }
}
