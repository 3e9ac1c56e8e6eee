//! How fast bytes are checked and skipped, beside serde_json and a plain loop: `cargo bench --bench scan`.

use kubemerge_test_support::{
    documents,
    stopwatch::{Job, measure, show_time},
};
use kubemerge_value::{Canonical, Document};
use serde::de::IgnoredAny;
use serde_json::Value;

fn main() {
    println!(
        "{:<12} {:>9}  {:<34} {:>10} {:>8} {:>10}",
        "document", "bytes", "work", "time", "MB/s", "of serde"
    );
    for (name, bytes) in [
        ("deployment", documents::deployment()),
        ("pod", documents::pod()),
        ("pod 10k env", documents::pod_with_env(10_000)),
        ("config map", documents::config_map(23_000)),
    ] {
        report(name, &bytes);
    }
}

fn report(name: &str, bytes: &[u8]) {
    // A map with the document as its first member: to get the second, the first is skipped.
    let nested = [br#"{"a":"#, bytes, br#","b":1}"#].concat();
    let skipped = Canonical::from_bytes(&nested).expect("a document of our own");
    let mut jobs = [
        Job::new("serde_json parse + serialize", || {
            serde_json::to_vec(&serde_json::from_slice::<Value>(bytes).unwrap()).unwrap()
        }),
        Job::new("serde_json skip (IgnoredAny)", || serde_json::from_slice::<IgnoredAny>(bytes).is_ok()),
        Job::new("check", || Document::check(bytes).is_ok()),
        Job::new("UTF-8 check of the standard library", || std::str::from_utf8(bytes).is_ok()),
        Job::new("skip a subtree, byte by byte", || skip_byte_by_byte(bytes)),
        Job::new("skip a subtree", || skipped.node().get("b").is_some()),
        Job::new("memcpy", || bytes.to_vec()),
    ];
    let times = measure(&mut jobs);
    for (job, time) in jobs.iter().zip(&times) {
        let speed = bytes.len() as f64 / time * 1e3;
        let ratio = time / times[0];
        let time = show_time(*time);
        println!("{name:<12} {:>9}  {:<34} {time:>10} {speed:>8.0} {ratio:>10.4}", bytes.len(), job.name);
    }
    println!("{name:<12} {:>9}  {:<34} {:>9.1}x", "", "skipping, of the plain loop", times[4] / times[5]);
}

/// The plain loop that the scanner is measured against.
fn skip_byte_by_byte(bytes: &[u8]) -> usize {
    let (mut at, mut depth, mut in_string) = (0, 0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => in_string = !in_string,
            b'\\' if in_string => at += 1,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    at
}
