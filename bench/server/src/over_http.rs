//! kubemerge-server and a running kube-apiserver on loopback: one client each, one connection that is kept.
//!
//! They take turns after a number of requests, since the first request after a turn finds cold caches and sleeping
//! threads; the figures are medians of wall-clock time per request. kubemerge-server runs in processes of its own,
//! which this one starts, so that its start and its memory can be measured: one serves HTTP, as `kubemerge serve` does,
//! and one HTTPS, which is all that kube-apiserver has. The memory of kube-apiserver is that of the
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
/// How many requests a contender makes in its turn.
const TURN: usize = 50;
const READY: &str = "# ready";

/// How a server is spoken to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scheme {
    Http,
    Https,
}

impl Scheme {
    fn name(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Scheme> {
        [Scheme::Http, Scheme::Https].into_iter().find(|scheme| scheme.name() == name)
    }
}

/// Serves until the process that started this one is gone.
pub(crate) async fn serve(settings: Settings, scheme: Scheme) {
    let options = match scheme {
        Scheme::Http => ServeOptions::default(),
        Scheme::Https => ServeOptions::default().tls(),
    };
    let serving = settings.server().serve(options).await.unwrap();
    println!("{}\n{READY}", serving.kubeconfig());
    let _ = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await;
}

/// A server in a process of its own.
struct Started {
    child: Child,
    kubeconfig: Kubeconfig,
    /// Milliseconds until it could be asked.
    start: f64,
}

impl Started {
    /// Its input ends, so that it ends.
    fn end(mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}

fn start(scheme: Scheme) -> Started {
    let begin = Instant::now();
    let mut command = Command::new(std::env::current_exe().unwrap());
    let command = command.args(["serve", scheme.name()]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let text: Vec<String> = lines.by_ref().take_while(|line| line != READY).collect();
    let start = begin.elapsed().as_secs_f64() * 1e3;
    Started { child, kubeconfig: Kubeconfig::from_yaml(&text.join("\n")).unwrap(), start }
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

/// A request and what it needs, made before it is timed.
struct Prepared {
    name: String,
    pod: Pod,
    patch: Patch<serde_json::Value>,
}

impl Prepared {
    fn new(at: usize, prefix: &str) -> Prepared {
        let name = format!("{prefix}-{at}");
        let mut pod = Pods::Complete.pod(at);
        pod["metadata"]["name"] = name.as_str().into();
        // kube-apiserver sets the status of new pods itself.
        Prepared { name, pod: serde_json::from_value(pod).unwrap(), patch: Patch::Strategic(new_image(at)) }
    }
}

async fn perform(pods: &Api<Pod>, operation: &str, prepared: &Prepared) {
    let Prepared { name, pod, patch } = prepared;
    match operation {
        "create" => drop(pods.create(&PostParams::default(), pod).await.unwrap()),
        "get" => drop(pods.get(name).await.unwrap()),
        "delete" => {
            let now = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::default() };
            drop(pods.delete(name, &now).await.unwrap());
        }
        _ => drop(pods.patch(name, &PatchParams::default(), patch).await.unwrap()),
    }
}

/// Microseconds of each request, without the first turn: connections are opened and caches are filled.
async fn measure(contenders: [&Api<Pod>; 3], operation: &str, prefix: &str) -> [Vec<f64>; 3] {
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for first in (0..OBJECTS).step_by(TURN) {
        for (pods, times) in contenders.into_iter().zip(&mut times) {
            let turn: Vec<Prepared> = (first..first + TURN).map(|at| Prepared::new(at, prefix)).collect();
            for prepared in &turn {
                let begin = Instant::now();
                perform(pods, operation, prepared).await;
                times.push(begin.elapsed().as_secs_f64() * 1e6);
            }
        }
    }
    times.map(|times| times[TURN..].to_vec())
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
    let servers = [Scheme::Http, Scheme::Https].map(start);
    let [http, https] = [&servers[0].kubeconfig, &servers[1].kubeconfig].map(Kubeconfig::clone);
    let http = Api::namespaced(client(http).await, "default");
    let https = Api::namespaced(client(https).await, "default");
    let theirs = Api::namespaced(client(theirs).await, "default");
    // Objects of a run that was interrupted must not be in the way.
    let prefix = format!("bench-{}", std::process::id());
    println!(
        "| p50 (µs) | HTTP | HTTPS | kube-apiserver | ratio, HTTP | ratio, HTTPS |\n|---|---|---|---|---|---|"
    );
    for operation in OPERATIONS {
        let times = measure([&http, &https, &theirs], operation, &prefix).await;
        let [http, https, theirs] = times.map(median);
        let (over_http, over_https) = (theirs / http, theirs / https);
        println!("| {operation} | {http:.0} | {https:.0} | {theirs:.0} | {over_http:.1} | {over_https:.1} |");
        if operation == "create" {
            let port = address.rsplit(':').next().unwrap_or_default();
            let processes =
                [Some(servers[0].child.id()), Some(servers[1].child.id()), apiserver_process(port)];
            let [http, https, theirs] = processes.map(|one| one.and_then(resident).unwrap_or(0) / 1024);
            println!("| resident memory (MB) | {http} | {https} | {theirs} | | |");
        }
    }
    for (server, scheme) in servers.into_iter().zip(["HTTP", "HTTPS"]) {
        println!("\n{scheme} can be asked {:.1} ms after its process was started.", server.start);
        server.end();
    }
}
