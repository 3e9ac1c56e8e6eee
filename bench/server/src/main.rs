//! kubemerge-server, kube-fake-client and a service that answers canned bytes, on the same harness.
//!
//! `taskset -c 0 cargo run --release` prints microseconds of processor time per operation. All contenders do
//! the same calls on one thread and take turns after each operation; the first round is not counted; the figures
//! are medians. The canned service is the floor: what the client itself costs, with either version of kube. One more
//! server tells what validation costs: it has none.
//!
//! Options: `--validation off`, `--managed-fields hidden`, and `--pods` with `complete` or `written` for one kind of pods
//! instead of both.
//!
//! `cargo run --release -- ours get 5` creates the objects and does that operation on each of them five times,
//! for a profiler; instead of `ours` there are `theirs` and `canned`.
//!
//! `cargo run --release -- --apiserver KUBECONFIG` compares with a running kube-apiserver, see `over_http`.

mod canned;
mod client;
mod options;
mod over_http;
mod pods;

use std::time::Instant;

use canned::Answers;
use client::{Kube4, Kube5, Operation};
use kubemerge_server::ApiServer;
use options::{Mode, Options, Settings};
use pods::Pods;
use tokio::runtime::Runtime;

const ROUNDS: usize = 15;
const CONTENDERS: usize = 5;

/// One of each, with an empty store.
struct Race {
    ours: Kube5,
    theirs: Kube4,
    canned: Kube5,
    canned_4: Kube4,
    without_validation: Kube5,
}

impl Race {
    async fn new(pods: Pods, settings: Settings, answers: &Answers) -> Race {
        let theirs = kube_fake_client::ClientBuilder::new().build().await.unwrap();
        let (for_5, for_4) = (answers.clone(), answers.clone());
        let canned_5 = tower::service_fn(move |request: http::Request<kube5::client::Body>| {
            for_5.clone().serve(request)
        });
        let canned_4 = tower::service_fn(move |request: http::Request<kube4::client::Body>| {
            for_4.clone().serve(request)
        });
        Race {
            ours: Kube5::new(settings.server().client(), pods),
            theirs: Kube4::new(theirs, pods),
            canned: Kube5::new(kube5::Client::new(canned_5, "default"), pods),
            canned_4: Kube4::new(kube4::Client::new(canned_4, "default"), pods),
            without_validation: Kube5::new(settings.without_validation().server().client(), pods),
        }
    }

    /// Every contender once; who begins changes from round to round.
    async fn measure(&self, operation: Operation, round: usize) -> [f64; CONTENDERS] {
        let mut times = [0.0; CONTENDERS];
        for turn in 0..CONTENDERS {
            let contender = (turn + round) % CONTENDERS;
            times[contender] = match contender {
                0 => self.ours.measure(operation).await,
                1 => self.theirs.measure(operation).await,
                2 => self.canned.measure(operation).await,
                3 => self.canned_4.measure(operation).await,
                _ => self.without_validation.measure(operation).await,
            };
        }
        times
    }

    async fn report(&self, contender: &str, operation: Operation) {
        let time = match contender {
            "ours" => self.ours.measure(operation).await,
            "theirs" => self.theirs.measure(operation).await,
            _ => self.canned.measure(operation).await,
        };
        println!("{} {time:.1} µs", operation.name());
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The rounds of one kind of pods: for each operation the times of each contender.
async fn race(pods: Pods, settings: Settings, answers: &Answers) -> Vec<Vec<[f64; CONTENDERS]>> {
    let mut samples = vec![Vec::new(); Operation::ALL.len()];
    for round in 0..=ROUNDS {
        let race = Race::new(pods, settings, answers).await;
        for (at, operation) in Operation::ALL.into_iter().enumerate() {
            let times = race.measure(operation, round).await;
            if operation == Operation::Strategic && round == 0 {
                assert_eq!(race.ours.containers(0).await, ["nginx", "sidecar"]);
                println!(
                    "\nkube-fake-client patches the containers to {:?}",
                    race.theirs.containers(0).await
                );
            }
            if round > 0 {
                samples[at].push(times);
            }
        }
    }
    samples
}

fn report(pods: Pods, answers: &Answers, samples: &[Vec<[f64; CONTENDERS]>]) {
    println!("\n{pods:?} pods; kubemerge-server answers a get with {} bytes\n", answers.one.len());
    println!(
        "| operation (µs) | kubemerge-server | kube-fake-client | ratio | at best | canned bytes | \
         ratio | canned, kube 4 | no validation | validation costs |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (operation, samples) in Operation::ALL.into_iter().zip(samples) {
        let of = |contender: usize| median(samples.iter().map(|times| times[contender]).collect());
        let ratio = |a: usize, b: usize| median(samples.iter().map(|times| times[a] / times[b]).collect());
        println!(
            "| {} | {:.1} | {:.1} | {:.2} | {:.2} | {:.1} | {:.2} | {:.1} | {:.1} | {:.2} |",
            operation.name(),
            of(0),
            of(1),
            ratio(1, 0),
            ratio(1, 2),
            of(2),
            ratio(0, 2),
            of(3),
            of(4),
            ratio(0, 4)
        );
    }
}

/// How long it takes until a server can be asked.
fn report_start() {
    let times = (0..101).map(|_| {
        let start = Instant::now();
        drop(ApiServer::builder().build().unwrap().client());
        start.elapsed().as_secs_f64() * 1e3
    });
    println!("\nA server is ready in {:.2} ms.", median(times.collect()));
}

fn compete(runtime: &Runtime, options: &Options) {
    println!("{:?}", options.settings);
    for pods in options.pods.map_or(Pods::ALL.to_vec(), |pods| vec![pods]) {
        let answers = runtime.block_on(Answers::of(pods, options.settings));
        let samples = runtime.block_on(race(pods, options.settings, &answers));
        report(pods, &answers, &samples);
    }
    runtime.block_on(async { report_start() });
}

/// One operation of one contender, over and over. Objects can be created only once, so that creating them again
/// takes a new server.
async fn repeat(contender: &str, operation: Operation, times: usize, options: &Options) {
    let pods = options.pods.unwrap_or(Pods::Complete);
    let answers = Answers::of(pods, options.settings).await;
    let mut race = Race::new(pods, options.settings, &answers).await;
    race.report(contender, Operation::Create).await;
    for _ in 0..times {
        if operation == Operation::Create {
            race = Race::new(pods, options.settings, &answers).await;
        }
        race.report(contender, operation).await;
    }
}

fn main() {
    let options = Options::read(std::env::args().skip(1));
    let mut builder = match options.mode {
        // A server with one thread would wait for its own client.
        Mode::Serve { .. } => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = builder.enable_all().build().unwrap();
    match &options.mode {
        Mode::Compete => compete(&runtime, &options),
        Mode::Repeat { contender, operation, times } => {
            let named = Operation::ALL.into_iter().find(|one| one.name().starts_with(operation.as_str()));
            let operation = named.expect("an operation, such as get");
            runtime.block_on(repeat(contender, operation, *times, &options));
        }
        Mode::Serve { scheme } => runtime.block_on(over_http::serve(options.settings, *scheme)),
        Mode::AgainstApiserver { kubeconfig } => runtime.block_on(over_http::compare(kubeconfig)),
    }
}
