//! How long the steps of admission take for a Pod of 2 KB: `cargo bench -p kubemerge-kinds`.

use std::hint::black_box;
use std::time::Instant;

use kubemerge_kinds::tree::Arena;
use kubemerge_kinds::{BuiltinKind, admit};
use kubemerge_schema::{Dialect, Schema};

const ROUNDS: u32 = 20_000;

fn main() {
    let schema = Schema::builtin("1.37", Dialect::Upstream).expect("1.37 is built in");
    let start = Instant::now();
    schema.go_types();
    println!("Go types: {:.0} µs", start.elapsed().as_secs_f64() * 1e6);
    let pod = pod();
    println!("pod of {} bytes", pod.len());
    let kind = BuiltinKind::find(&schema, "v1", "Pod").expect("pods are built in");
    time("serde_json reads a Value, to compare", || {
        black_box(serde_json::from_str::<serde_json::Value>(&pod)).ok();
    });
    time("check of the text", || {
        black_box(kubemerge_value::Document::check(pod.as_bytes())).ok();
    });
    time("typed form", || {
        let arena = Arena::with_capacity(6 * pod.len());
        black_box(kind.decode(&arena, &pod).map(|decoded| decoded.object.len())).ok();
    });
    time("typed form, defaults, preparation", || {
        let arena = Arena::with_capacity(6 * pod.len());
        let mut object = kind.decode(&arena, &pod).expect("the pod is valid").object;
        kind.default(&mut object);
        kind.prepare_create(&mut object);
        black_box(object.len());
    });
    time("all but text", || {
        let arena = Arena::with_capacity(6 * pod.len());
        let mut object = kind.decode(&arena, &pod).expect("the pod is valid").object;
        kind.default(&mut object);
        black_box(kind.create(&mut object).len());
    });
    time("all", || {
        let arena = Arena::with_capacity(6 * pod.len());
        let mut object = kind.decode(&arena, &pod).expect("the pod is valid").object;
        kind.default(&mut object);
        black_box(kind.create(&mut object).len());
        black_box(object.to_text());
    });
    time("admit", || {
        black_box(admit(&schema, &pod)).ok();
    });
}

fn time(name: &str, mut once: impl FnMut()) {
    (0..ROUNDS / 10).for_each(|_| once());
    let best = (0..5)
        .map(|_| {
            let start = cpu_seconds();
            (0..ROUNDS / 5).for_each(|_| once());
            (cpu_seconds() - start) / f64::from(ROUNDS / 5)
        })
        .fold(f64::INFINITY, f64::min);
    println!("{name:40} {:6.2} µs", best * 1e6);
}

/// Time on a processor, so that other work on the machine does not count; Linux tells it.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or_default() / 1e9
}

fn pod() -> String {
    let container = |name: &str, port: u32| {
        format!(
            r#"{{"name":"{name}","image":"registry.example.com/team/{name}:1.2.3","command":["/app","--port={port}"],
            "ports":[{{"name":"http","containerPort":{port},"protocol":"TCP"}}],
            "env":[{{"name":"MODE","value":"production"}},
                {{"name":"POD_NAME","valueFrom":{{"fieldRef":{{"fieldPath":"metadata.name"}}}}}},
                {{"name":"TOKEN","valueFrom":{{"secretKeyRef":{{"name":"keys","key":"token"}}}}}}],
            "resources":{{"requests":{{"cpu":"100m","memory":"64Mi"}},"limits":{{"cpu":"500m","memory":"128Mi"}}}},
            "livenessProbe":{{"httpGet":{{"path":"/healthz","port":"http"}},"periodSeconds":5}},
            "readinessProbe":{{"httpGet":{{"path":"/ready","port":{port}}},"initialDelaySeconds":3}},
            "volumeMounts":[{{"name":"config","mountPath":"/etc/config","readOnly":true}},
                {{"name":"data","mountPath":"/data"}}]}}"#
        )
    };
    format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"web-0","namespace":"default",
        "labels":{{"app":"web","tier":"front"}},"annotations":{{"example.com/note":"text"}}}},
        "spec":{{"serviceAccountName":"web","securityContext":{{"runAsNonRoot":true,"fsGroup":2000}},
        "containers":[{},{}],
        "tolerations":[{{"key":"dedicated","operator":"Equal","value":"web","effect":"NoSchedule"}}],
        "volumes":[{{"name":"config","configMap":{{"name":"settings"}}}},{{"name":"data","emptyDir":{{}}}}]}}}}"#,
        container("web", 8080),
        container("proxy", 9090)
    )
}
