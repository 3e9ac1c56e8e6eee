//! `cargo xtask controllers`: our server with Kubernetes' own controller-manager and scheduler.
//!
//! A stand-in for the kubelet marks pods as ready. `rollout` is what is checked: with a server in this process by the
//! test of this module, with processes that are killed and started again by `--check`.

mod check;
mod confirmed_writes;
mod kubelet;
mod pod_history;
mod programs;
mod rollout;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

pub(crate) use check::kubeconfig_of;
use kubemerge_server::{ApiServer, ServeOptions, Serving};
use programs::Programs;

use crate::connection::Endpoint;

/// What `cargo xtask controllers --help` prints.
pub(crate) const HELP: &str = "\
Run our server with kube-controller-manager, kube-scheduler and a stand-in for the kubelet

usage: cargo xtask controllers [--kubeconfig FILE]
       cargo xtask controllers --check [--store STORE] [--replicas N] [--server FILE]

Runs until it is interrupted. The programs are those of `cargo xtask apiserver build`; their logs are beside the
kubeconfig, which is target/controllers/kubeconfig unless --kubeconfig names another file. The stand-in has one node,
marks its pods as ready, ends those of jobs, and removes those that are deleted.

  --check        deploy, update and remove workloads on `kubemerge serve`, and exit 1 if anything does not end as it
                 does in a cluster; a server with a store that outlives it is killed and started again in the middle,
                 and must lose no confirmed write, while a watch goes on without a gap
  --store STORE  store of the server, as for `kubemerge serve` (file:target/controllers/store, emptied before)
  --replicas N   servers on the store (1): the controllers use the first, the checks the last
  --server FILE  the kubemerge to run (built with the profile `fast`)
";

/// Kubernetes' programs and the stand-in at work on a server; dropping it ends them.
pub(crate) struct ControlPlane {
    pub(crate) programs: Programs,
    kubelet: tokio::task::JoinHandle<()>,
}

impl ControlPlane {
    /// Starts everything; the logs are in the folder.
    pub(crate) fn start(folder: &Path, kubeconfig: &str, endpoint: Endpoint) -> Result<ControlPlane, String> {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let programs = Programs::start(folder, kubeconfig)?;
        Ok(ControlPlane { programs, kubelet: tokio::spawn(kubelet::run(endpoint)) })
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        self.kubelet.abort();
    }
}

/// A server in this process with its controllers.
struct Controlled {
    // Dropped in this order: the controllers go before the server that they talk to.
    plane: ControlPlane,
    serving: Serving,
}

impl Controlled {
    async fn start(folder: &Path) -> Result<Controlled, String> {
        let server = ApiServer::builder().build().map_err(|error| error.to_string())?;
        let serving = server.serve(ServeOptions::default()).await.map_err(|error| error.to_string())?;
        let plane = ControlPlane::start(folder, serving.kubeconfig(), Endpoint::plain(serving.address()))?;
        Ok(Controlled { plane, serving })
    }
}

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let done = runtime.map_err(|error| error.to_string()).and_then(|runtime| match arguments {
        [] => runtime.block_on(serve(None)),
        [option, file] if option == "--kubeconfig" => runtime.block_on(serve(Some(file.into()))),
        [option, rest @ ..] if option == "--check" => {
            let options = check::Options::read(rest)?;
            runtime.block_on(check::run(&options))
        }
        _ => Err(format!("the options are not understood\n\n{HELP}")),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("controllers: {complaint}");
            ExitCode::FAILURE
        }
    }
}

/// Where logs and stores are.
fn folder() -> PathBuf {
    kubemerge_test_support::root().join("target/controllers")
}

/// Serves until the process is interrupted.
async fn serve(kubeconfig: Option<PathBuf>) -> Result<(), String> {
    let mut controlled = Controlled::start(&folder()).await?;
    if let Some(file) = &kubeconfig {
        fs::write(file, controlled.serving.kubeconfig())
            .map_err(|error| format!("{}: {error}", file.display()))?;
    }
    println!("server      {}", controlled.serving.url());
    println!("kubeconfig  {}", kubeconfig.unwrap_or_else(|| folder().join("kubeconfig")).display());
    println!("logs        {}", folder().display());
    // Programs that end on their own are a fault: nothing more would happen.
    let ended = controlled.plane.programs.until_one_ends().await?;
    Err(format!("{ended} has ended; see its log"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn real_controllers_work_on_the_server() {
        if let Some(why) = Programs::missing() {
            eprintln!("skipped controllers::real_controllers_work_on_the_server: {why}");
            return;
        }
        let folder =
            kubemerge_test_support::root().join(format!("target/controllers-test-{}", std::process::id()));
        let controlled = Controlled::start(&folder).await.unwrap();
        Box::pin(rollout::run(Endpoint::plain(controlled.serving.address()))).await.unwrap();
        assert_eq!(controlled.plane.programs.complaints(), Vec::<String>::new());
        drop(controlled);
        drop(std::fs::remove_dir_all(folder));
    }
}
