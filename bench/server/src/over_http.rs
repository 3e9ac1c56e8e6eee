//! kubemerge-server and a running kube-apiserver over HTTPS on loopback: one client each, one connection that is kept.
//!
//! Both take turns; the figures are medians of wall-clock time per request. kubemerge-server runs in a process of its own,
//! which this one starts, so that its start and its memory can be measured. The memory of kube-apiserver is that of the
//! process that listens on its port, if it runs on this machine.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
    time::Instant,
};

use k8s_openapi_29::api::core::v1::Pod;
use kube5::{
    Api, Client, Config,
    api::{DeleteParams, Patch, PatchParams, PostParams},
    config::{KubeConfigOptions, Kubeconfig},
};
use kubemerge_server::ServeOptions;

use crate::{
    options::Settings,
    pods::{Pods, new_image},
};

/// How many objects are created, read, patched and deleted.
const OBJECTS: usize = 500;
/// The first ones are not counted: connections are opened and caches are filled.
const WARM_UP: usize = 50;
const READY: &str = "# ready";

/// Serves until the process that started this one is gone.
pub(crate) async fn serve(settings: Settings) {
    let serving = settings.server().serve(ServeOptions::default().tls()).await.unwrap();
    println!("{}\n{READY}", serving.kubeconfig());
    let _ = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await;
}

/// Starts the server in a process of its own; answers it, its kubeconfig, and how long it took until it could be asked.
fn start() -> (Child, Kubeconfig, f64) {
    let begin = Instant::now();
    let program = std::env::current_exe().unwrap();
    let mut child =
        Command::new(program).arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let text: Vec<String> = lines.by_ref().take_while(|line| line != READY).collect();
    let took = begin.elapsed().as_secs_f64() * 1e3;
    (child, Kubeconfig::from_yaml(&text.join("\n")).unwrap(), took)
}

async fn client(kubeconfig: Kubeconfig) -> Client {
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    Client::try_from(config).unwrap()
}

/// Kilobytes in memory.
fn resident(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// The process of the kube-apiserver that listens on a port.
fn apiserver_process(port: &str) -> Option<u32> {
    let processes =
        fs::read_dir("/proc").ok()?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes.into_iter().find(|process: &u32| {
        let command = fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
        command.contains("kube-apiserver\0") && command.contains(port)
    })
}

/// What is done to each object, in this order.
const OPERATIONS: [&str; 4] = ["create", "get", "strategic merge patch", "delete"];

async fn perform(pods: &Api<Pod>, operation: &str, at: usize, prefix: &str) {
    let name = format!("{prefix}-{at}");
    match operation {
        "create" => {
            let mut pod = Pods::Complete.pod(at);
            pod["metadata"]["name"] = name.into();
            // kube-apiserver sets the status of new pods itself.
            let pod: Pod = serde_json::from_value(pod).unwrap();
            drop(pods.create(&PostParams::default(), &pod).await.unwrap());
        }
        "get" => drop(pods.get(&name).await.unwrap()),
        "delete" => {
            let now = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::default() };
            drop(pods.delete(&name, &now).await.unwrap());
        }
        _ => {
            let patch = Patch::Strategic(new_image(at));
            drop(pods.patch(&name, &PatchParams::default(), &patch).await.unwrap());
        }
    }
}

/// Microseconds of each request, without the first ones.
async fn measure(contenders: [&Api<Pod>; 2], operation: &str, prefix: &str) -> [Vec<f64>; 2] {
    let mut times = [Vec::new(), Vec::new()];
    for at in 0..OBJECTS {
        for (pods, times) in contenders.into_iter().zip(&mut times) {
            let begin = Instant::now();
            perform(pods, operation, at, prefix).await;
            times.push(begin.elapsed().as_secs_f64() * 1e6);
        }
    }
    times.map(|times| times[WARM_UP..].to_vec())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Prints the medians of both, and what starting and keeping a server takes.
pub(crate) async fn compare(kubeconfig: &str) {
    // The server and the client of kube each bring a provider of their own, so that rustls does not choose one.
    rustls::crypto::ring::default_provider().install_default().unwrap();
    let theirs = Kubeconfig::read_from(kubeconfig).unwrap();
    let address = theirs.clusters[0].cluster.as_ref().and_then(|cluster| cluster.server.clone()).unwrap();
    let (mut child, ours, start) = start();
    let ours: Api<Pod> = Api::namespaced(client(ours).await, "default");
    let theirs: Api<Pod> = Api::namespaced(client(theirs).await, "default");
    // Objects of a run that was interrupted must not be in the way.
    let prefix = format!("bench-{}", std::process::id());
    println!("| p50 (µs) | kubemerge-server | kube-apiserver | ratio |\n|---|---|---|---|");
    for operation in OPERATIONS {
        let [ours, theirs] = measure([&ours, &theirs], operation, &prefix).await.map(median);
        println!("| {operation} | {ours:.0} | {theirs:.0} | {:.1} |", theirs / ours);
        if operation == "create" {
            let port = address.rsplit(':').next().unwrap_or_default();
            let memory = [Some(child.id()), apiserver_process(port)]
                .map(|one| one.and_then(resident).unwrap_or(0) / 1024);
            println!("| resident memory (MB) | {} | {} | |", memory[0], memory[1]);
        }
    }
    println!("\nkubemerge-server can be asked {start:.1} ms after its process was started.");
    // Its input ends, so that it ends.
    drop(child.stdin.take());
    child.wait().unwrap();
}
