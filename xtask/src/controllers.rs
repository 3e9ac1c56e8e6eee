//! `cargo xtask controllers`: our server with Kubernetes' own controller-manager and scheduler.
//!
//! A stand-in for the kubelet marks pods as ready. The test of this module sees what the controllers do.

mod kubelet;
mod programs;
#[cfg(test)]
mod rollout;

use std::{fs, path::PathBuf, process::ExitCode};

use kubemerge_server::{ApiServer, ServeOptions, Serving};
use programs::Programs;

/// What `cargo xtask controllers --help` prints.
pub(crate) const HELP: &str = "\
Run our server with kube-controller-manager, kube-scheduler and a stand-in for the kubelet

usage: cargo xtask controllers [--kubeconfig FILE]

Runs until it is interrupted. The programs are those of `cargo xtask apiserver build`; their logs are beside the
kubeconfig, which is target/controllers/kubeconfig unless --kubeconfig names another file. The stand-in has one node,
marks its pods as ready, ends those of jobs, and removes those that are deleted.
";

/// A server with its controllers; dropping it ends them.
struct Controlled {
    #[cfg(test)]
    server: ApiServer,
    // Dropped in this order: the controllers go before the server that they talk to.
    programs: Programs,
    serving: Serving,
    kubelet: tokio::task::JoinHandle<()>,
}

impl Controlled {
    /// Starts everything; the logs are in the folder.
    async fn start(folder: PathBuf) -> Result<Controlled, String> {
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let server = ApiServer::builder().build().map_err(|error| error.to_string())?;
        let serving = server.serve(ServeOptions::default()).await.map_err(|error| error.to_string())?;
        let programs = Programs::start(&folder, serving.kubeconfig())?;
        let kubelet = tokio::spawn(kubelet::run(server.clone()));
        Ok(Controlled {
            #[cfg(test)]
            server,
            programs,
            serving,
            kubelet,
        })
    }
}

impl Drop for Controlled {
    fn drop(&mut self) {
        self.kubelet.abort();
    }
}

/// Runs the task until it is interrupted.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let folder = crate::corpus::root().join("target/controllers");
    let kubeconfig = match arguments {
        [] => None,
        [option, file] if option == "--kubeconfig" => Some(PathBuf::from(file)),
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let done = runtime.map_err(|error| error.to_string()).and_then(|runtime| {
        runtime.block_on(async {
            let mut controlled = Controlled::start(folder.clone()).await?;
            if let Some(file) = &kubeconfig {
                fs::write(file, controlled.serving.kubeconfig())
                    .map_err(|error| format!("{}: {error}", file.display()))?;
            }
            println!("server      {}", controlled.serving.url());
            println!("kubeconfig  {}", kubeconfig.unwrap_or_else(|| folder.join("kubeconfig")).display());
            println!("logs        {}", folder.display());
            // Programs that end on their own are a fault: nothing more would happen.
            controlled.programs.until_one_ends().await
        })
    });
    match done {
        Ok(ended) => {
            eprintln!("controllers: {ended} has ended; see its log");
            ExitCode::FAILURE
        }
        Err(complaint) => {
            eprintln!("controllers: {complaint}");
            ExitCode::from(2)
        }
    }
}
