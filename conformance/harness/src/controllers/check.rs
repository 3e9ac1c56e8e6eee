//! `cargo xtask controllers --check`: the rollout on `kubemerge serve` processes, which end and start in the middle.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{ControlPlane, folder, rollout};
use crate::{
    connection::Endpoint,
    serve_process::{self, Ending, ServeCommand, ServeProcess},
};

/// When servers end, after each other, and how.
const RESTARTS: [Ending; 4] = [Ending::Killed, Ending::Terminated, Ending::Killed, Ending::Killed];
/// Between two restarts; the rollout takes a minute or two.
const RESTART_INTERVAL: Duration = Duration::from_secs(6);

/// What the check was told.
pub(super) struct Options {
    store: Option<String>,
    replicas: usize,
    server: Option<PathBuf>,
}

impl Options {
    pub(super) fn read(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options { store: None, replicas: 1, server: None };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--store" => options.store = Some(value.clone()),
                "--replicas" => {
                    options.replicas = value
                        .parse()
                        .ok()
                        .filter(|count| *count > 0)
                        .ok_or(format!("--replicas {value}: not a number of servers"))?;
                }
                "--server" => options.server = Some(value.into()),
                other => return Err(format!("there is no option {other}")),
            }
        }
        Ok(options)
    }
}

/// Starts everything, runs the rollout and the restarts at the same time, and looks into the logs.
pub(super) async fn run(options: &Options) -> Result<(), String> {
    let mut servers = start_servers(options)?;
    let (first, last) = (&servers[0], &servers[servers.len() - 1]);
    let kubeconfig = kubeconfig_of(first);
    let plane = ControlPlane::start(&folder(), &kubeconfig, Endpoint::plain(first.address()))?;
    let rollout = tokio::spawn(rollout::run(Endpoint::plain(last.address())));
    if options.store.as_deref() != Some("memory") {
        restart(&mut servers).await?;
    }
    rollout.await.map_err(|error| error.to_string())??;
    match plane.programs.complaints().as_slice() {
        [] => Ok(()),
        complaints => Err(complaints.join("\n")),
    }
}

fn start_servers(options: &Options) -> Result<Vec<ServeProcess>, String> {
    let program = options.server.clone().map_or_else(|| serve_process::build("fast"), Ok)?;
    fs::create_dir_all(folder()).map_err(|error| format!("{}: {error}", folder().display()))?;
    let store = match &options.store {
        Some(store) => store.clone(),
        None => fresh_store(&folder().join("store"))?,
    };
    let start = |number: usize| {
        ServeProcess::start(ServeCommand {
            program: program.clone(),
            options: vec!["--store".into(), store.clone()],
            log: folder().join(format!("serve-{number}.log")),
        })
    };
    (0..options.replicas).map(start).collect()
}

/// The address of a store in an empty folder.
fn fresh_store(path: &Path) -> Result<String, String> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: {error}", path.display()))
        }
        _ => Ok(format!("file:{}", path.display())),
    }
}

/// Ends the servers in turn and starts each again.
async fn restart(servers: &mut [ServeProcess]) -> Result<(), String> {
    for (number, ending) in RESTARTS.into_iter().enumerate() {
        tokio::time::sleep(RESTART_INTERVAL).await;
        let at = number % servers.len();
        servers[at].end(ending)?;
        servers[at].start_again()?;
        println!("server {at} was {ending:?} and started again");
    }
    Ok(())
}

/// A kubeconfig for a server that speaks HTTP and lets everybody in.
pub(crate) fn kubeconfig_of(server: &ServeProcess) -> String {
    let config = serde_json::json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "check",
        "clusters": [{"name": "check", "cluster": {"server": server.url()}}],
        "users": [{"name": "check", "user": {}}],
        "contexts": [{"name": "check", "context": {"cluster": "check", "user": "check"}}],
    });
    config.to_string()
}
