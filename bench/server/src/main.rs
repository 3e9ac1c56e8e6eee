//! kubemerge-server, kube-fake-client and a service that answers canned bytes, on the same harness.
//!
//! `taskset -c 0 cargo run --release` prints microseconds per operation: for each the median of several rounds,
//! taken in turns. The canned service is the floor: what the client itself costs.

mod canned;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

const OBJECTS: usize = 2_000;
const ROUNDS: usize = 7;

fn pod(name: &str, at: usize) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default",
            "labels": {"app": "web", "group": (at % 10).to_string()}},
        "spec": {"containers": [
            {"name": "nginx", "image": "nginx:1.14", "ports": [{"containerPort": 80}],
                "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]},
            {"name": "sidecar", "image": "sidecar:v1"},
        ]}})
}

fn change(at: usize) -> Value {
    json!({"spec": {"containers": [{"name": "nginx", "image": format!("nginx:{at}")}]}})
}

/// Microseconds per operation, in the order of [`OPERATIONS`].
type Times = [f64; 7];

const OPERATIONS: [&str; 7] =
    ["create", "get", "list of 2,000", "list, selector keeps 10 %", "strategic merge patch", "merge patch", "delete"];

fn per_operation(took: Duration, count: usize) -> f64 {
    took.as_secs_f64() * 1e6 / count as f64
}

/// The same calls for each version of kube.
macro_rules! harness {
    ($name:ident, $kube:ident, $types:ident) => {
        async fn $name(client: $kube::Client) -> Times {
            use $kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
            use $types::api::core::v1::Pod;
            let pods: Api<Pod> = Api::default_namespaced(client);
            let objects: Vec<Pod> = (0..OBJECTS)
                .map(|at| serde_json::from_value(pod(&format!("pod-{at:04}"), at)).unwrap())
                .collect();
            let start = Instant::now();
            for object in &objects {
                pods.create(&PostParams::default(), object).await.unwrap();
            }
            let create = per_operation(start.elapsed(), OBJECTS);
            let start = Instant::now();
            for at in 0..OBJECTS {
                pods.get(&format!("pod-{at:04}")).await.unwrap();
            }
            let get = per_operation(start.elapsed(), OBJECTS);
            let start = Instant::now();
            for _ in 0..10 {
                pods.list(&ListParams::default()).await.unwrap();
            }
            let list = per_operation(start.elapsed(), 10);
            let start = Instant::now();
            for _ in 0..10 {
                pods.list(&ListParams::default().labels("group=3")).await.unwrap();
            }
            let select = per_operation(start.elapsed(), 10);
            let start = Instant::now();
            for at in 0..OBJECTS {
                let patch = Patch::Strategic(change(at));
                pods.patch(&format!("pod-{at:04}"), &PatchParams::default(), &patch).await.unwrap();
            }
            let strategic = per_operation(start.elapsed(), OBJECTS);
            let start = Instant::now();
            for at in 0..OBJECTS {
                let patch = Patch::Merge(json!({"metadata": {"annotations": {"a": at.to_string()}}}));
                pods.patch(&format!("pod-{at:04}"), &PatchParams::default(), &patch).await.unwrap();
            }
            let merge = per_operation(start.elapsed(), OBJECTS);
            let start = Instant::now();
            for at in 0..OBJECTS {
                pods.delete(&format!("pod-{at:04}"), &DeleteParams::default()).await.unwrap();
            }
            let delete = per_operation(start.elapsed(), OBJECTS);
            [create, get, list, select, strategic, merge, delete]
        }
    };
}

harness!(with_kube_4, kube4, k8s_openapi_28);
harness!(with_kube_5, kube5, k8s_openapi_29);

async fn ours() -> Times {
    let server = kubemerge_server::ApiServer::builder().build().unwrap();
    with_kube_5(server.client()).await
}

async fn theirs() -> Times {
    let client = kube_fake_client::ClientBuilder::new().build().await.unwrap();
    with_kube_4(client).await
}

async fn floor() -> Times {
    with_kube_5(canned::client()).await
}

fn median(rounds: &[Times]) -> Times {
    std::array::from_fn(|operation| {
        let mut times: Vec<f64> = rounds.iter().map(|times| times[operation]).collect();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    })
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (mut our, mut their, mut canned) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        our.push(runtime.block_on(ours()));
        their.push(runtime.block_on(theirs()));
        canned.push(runtime.block_on(floor()));
    }
    let (our, their, canned) = (median(&our), median(&their), median(&canned));
    println!("| operation (µs) | kubemerge-server | kube-fake-client | ratio | canned bytes | ratio |");
    println!("|---|---|---|---|---|---|");
    for (at, name) in OPERATIONS.iter().enumerate() {
        println!(
            "| {name} | {:.1} | {:.1} | {:.2} | {:.1} | {:.2} |",
            our[at],
            their[at],
            their[at] / our[at],
            canned[at],
            our[at] / canned[at]
        );
    }
    let start = Instant::now();
    for _ in 0..100 {
        drop(kubemerge_server::ApiServer::builder().build().unwrap());
    }
    println!("\na server is ready in {:.2} ms", start.elapsed().as_secs_f64() * 10.0);
}
