//! A server under mixed load for a long time: no wrong answer, and memory that does not grow.

mod definitions;
mod events;
mod objects;
mod session;
mod verdict;
mod watches;
mod workloads;

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;
use session::Soak;

use super::options::{Controllers, SoakOptions, fresh_folder};
use crate::{
    connection::{Connection, Endpoint},
    controllers::ControlPlane,
    process_figures::{cpu_time, resident_bytes},
    serve_process::{Ending, ServeCommand, ServeProcess},
};

/// Clients of each kind. Together they send about 300 requests a second, which fills the history of the store within
/// the first ten minutes.
const OBJECT_CLIENTS: usize = 6;
const WATCH_CLIENTS: usize = 3;

/// Events are to expire while the test runs, not after it.
const EVENT_TTL: &str = "2m";
/// How often memory is measured.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(5);
/// How often a line is printed.
const SAMPLES_PER_LINE: usize = 12;

/// Runs the test.
pub(super) fn run(options: &SoakOptions) -> Result<(), String> {
    let folder = kubemerge_test_support::root().join("target/stores");
    fresh_folder(&folder.join("soak"))?;
    let command = serve_command(options, &folder)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let mut server = ServeProcess::start(command)?;
        let endpoint = Endpoint::plain(server.address());
        let plane = match options.controllers {
            Controllers::Absent => None,
            Controllers::Present => {
                let kubeconfig = crate::controllers::kubeconfig_of(&server);
                Some(ControlPlane::start(&folder.join("soak-controllers"), &kubeconfig, endpoint.clone())?)
            }
        };
        let soak = Arc::new(Soak::new(endpoint, options.duration));
        let samples = tokio::join!(clients(&soak, options.controllers), sample(&soak, &server)).1;
        let metrics = Connection::new(soak.endpoint.clone()).ask("GET", "/metrics", &Value::Null).await?;
        // Errors that are repeated are none here: controllers look for objects of kinds that were removed.
        let complaints = plane.as_ref().map(|plane| plane.programs.panics()).unwrap_or_default();
        drop(plane);
        if server.has_ended() {
            return Err("the server has ended".to_string());
        }
        server.end(Ending::Terminated)?;
        let text = String::from_utf8_lossy(&metrics.body);
        verdict::judge(&soak, &samples, &text, complaints)
    })
}

fn serve_command(options: &SoakOptions, folder: &std::path::Path) -> Result<ServeCommand, String> {
    let own = format!("file:{}", folder.join("soak/store").display());
    let store = options.store.clone().unwrap_or(own);
    let log: PathBuf = folder.join("soak/serve.log");
    let options_of_serve = ["--store", &store, "--event-ttl", EVENT_TTL].map(str::to_owned).to_vec();
    Ok(ServeCommand { program: options.program()?, options: options_of_serve, log })
}

/// Runs all clients until the time is over.
async fn clients(soak: &Arc<Soak>, controllers: Controllers) {
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..OBJECT_CLIENTS {
        clients.spawn(objects::run(soak.clone(), number));
    }
    for number in 0..WATCH_CLIENTS {
        clients.spawn(watches::run(soak.clone(), number));
    }
    clients.spawn(definitions::run(soak.clone()));
    clients.spawn(events::run(soak.clone()));
    if controllers == Controllers::Present {
        clients.spawn(workloads::run(soak.clone()));
    }
    while let Some(done) = clients.join_next().await {
        if let Err(error) = done {
            soak.complain(format!("a client has ended: {error}"));
        }
    }
}

/// The memory of the server at one moment.
struct Sample {
    elapsed: Duration,
    bytes: u64,
}

/// Measures the memory until the time is over.
async fn sample(soak: &Soak, server: &ServeProcess) -> Vec<Sample> {
    let (start, process) = (Instant::now(), [server.pid()]);
    let mut samples = Vec::new();
    while !soak.is_over() {
        tokio::time::sleep(SAMPLE_INTERVAL).await;
        let sample = Sample { elapsed: start.elapsed(), bytes: resident_bytes(&process) };
        if samples.len() % SAMPLES_PER_LINE == 0 {
            let (minutes, megabytes) = (sample.elapsed.as_secs_f64() / 60.0, sample.bytes / (1 << 20));
            let (requests, errors) = soak.counts();
            let cpu = cpu_time(&process).as_secs_f64();
            println!(
                "{minutes:5.1} min  {megabytes} MiB  {requests} requests  {cpu:.0} s of CPU time  {errors} errors"
            );
        }
        samples.push(sample);
    }
    samples
}
