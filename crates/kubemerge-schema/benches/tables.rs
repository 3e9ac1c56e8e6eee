//! How long a version takes to be ready, and a look-up to be answered, beside the same from the exported
//! document: `cargo bench --bench tables`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kubemerge_schema::{Dialect, Schema, SchemaBuilder, builtin};

fn main() {
    let text = Schema::builtin(builtin::NEWEST, Dialect::Upstream).unwrap().export().to_string();
    let from_document = || {
        let document = serde_json::from_str(&text).unwrap();
        SchemaBuilder::new().openapi_v2(&document).unwrap().compile(Dialect::Upstream).unwrap()
    };
    let document = best_of(20, from_document);
    println!("{:<38} {:>12} {:>10}", "work", "time", "ratio");
    show("a version from its OpenAPI document", document, document);
    for dialect in [Dialect::Upstream, Dialect::Spec] {
        let time = best_of(200, || Schema::builtin(builtin::NEWEST, dialect).unwrap());
        show(&format!("a version from the tables, {}", dialect.name()), time, document);
    }
    let schema = Schema::builtin(builtin::NEWEST, Dialect::Upstream).unwrap();
    let spec = schema.definition("io.k8s.api.core.v1.PodSpec").unwrap();
    show("find a kind", each(|| schema.type_of("apps/v1", "Deployment").is_some()), document);
    show("rule of a map field", each(|| spec.map_field("securityContext").is_ok()), document);
    show("rule of a list field", each(|| spec.list_field("containers").is_ok()), document);
}

fn show(work: &str, time: Duration, document: Duration) {
    println!("{work:<38} {time:>12.1?} {:>10.6}", time.as_secs_f64() / document.as_secs_f64());
}

fn best_of<T>(rounds: usize, mut work: impl FnMut() -> T) -> Duration {
    let mut once = || {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    (0..rounds).map(|_| once()).min().unwrap_or_default()
}

/// The time of one of many calls.
fn each(mut work: impl FnMut() -> bool) -> Duration {
    const CALLS: u32 = 1_000;
    let many = best_of(100, || (0..CALLS).filter(|_| black_box(work())).count());
    many / CALLS
}
