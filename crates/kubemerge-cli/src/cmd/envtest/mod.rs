//! `kubemerge envtest`: a folder that takes the place of envtest's binaries.
//!
//! `assets` makes the folder. Its programs are links to this command, which acts by the name it is started with
//! (`programs`): `api_server` is kube-apiserver as envtest starts it, `etcd` answers that it is healthy.

mod admission_flags;
mod answer;
mod api_server;
mod assets;
mod etcd;
mod flags;
mod lifetime;
mod programs;
mod version_file;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use clap::Args;
use kubemerge_schema::{SchemaBuilder, builtin};
pub(crate) use programs::Program;

use crate::args::newest;
use crate::report::{Failure, Notice, Outcome, Result, plain};

#[derive(Debug, Args)]
#[command(after_help = "\
The folder has the programs `kube-apiserver`, `etcd` and `kubectl`, which are links. It stays valid for
later runs and may be used by many tests at once. Objects are kept in memory, and no controllers run.

Examples:
  For Go:
    export KUBEBUILDER_ASSETS=$(kubemerge envtest)
    go test ./...

  For one command:
    kubemerge envtest -- go test ./...

  As another version of Kubernetes:
    kubemerge envtest --kubernetes 1.34 -- make test")]
pub(crate) struct EnvtestArgs {
    /// Folder for the programs; one in the user's cache by default
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    #[arg(long, short = 'k', value_name = "VERSION", help = newest("Kubernetes version to serve"))]
    kubernetes: Option<String>,
    /// Remove the programs of the folder, and the folder if nothing else is in it
    #[arg(long, conflicts_with = "command")]
    clean: bool,
    /// Run this command with KUBEBUILDER_ASSETS set; its exit code is that of kubemerge
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Makes the folder, then prints its path or runs the command.
pub(crate) fn run(args: &EnvtestArgs) -> Result {
    programs::exit_1_on_error(prepare(args))
}

fn prepare(args: &EnvtestArgs) -> Result {
    let version = args.kubernetes.as_deref().unwrap_or(builtin::NEWEST).trim_start_matches('v');
    _ = SchemaBuilder::builtin(version).map_err(|error| {
        Notice::error(error.to_string()).help("give one of the built-in versions to --kubernetes")
    })?;
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => assets::default_folder(version),
    };
    if args.clean {
        assets::remove(&folder)?;
        return Ok(Outcome::Done);
    }
    let folder = assets::make(&folder, version)?;
    match args.command.split_first() {
        Some((program, words)) => {
            let mut command = Command::new(program);
            let error = replace_process(command.args(words).env("KUBEBUILDER_ASSETS", &folder));
            Err(Notice::error(format!("cannot run {}: {}", program.display(), plain(&error))).into())
        }
        None => writeln!(std::io::stdout(), "{}", folder.display())
            .map(|()| Outcome::Done)
            .map_err(|error| Failure::of_output(&error)),
    }
}

/// Lets a command take the place of this process, so that it gets all signals; comes back only if it cannot be run.
#[cfg(unix)]
fn replace_process(command: &mut Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

/// Where a process cannot be replaced, this one waits and ends with the same code.
#[cfg(not(unix))]
fn replace_process(command: &mut Command) -> std::io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}
