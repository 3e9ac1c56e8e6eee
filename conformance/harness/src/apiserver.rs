//! `cargo xtask apiserver build|start|stop|status`: the real kube-apiserver and its etcd.
//!
//! Everything is under `target/apiserver`, or under the directory that `KUBEMERGE_APISERVER_DIR` names: `bin/` has
//! the programs, `instances/PORT/` the files of one running server.

mod build;
mod client;
mod instance;
mod paths;

use std::process::ExitCode;

pub(crate) use build::program;
pub(crate) use client::Client;
pub(crate) use instance::{Durability, Instance, Settings, etcd_flags};
pub(crate) use paths::DEFAULT_PORT;

/// What `cargo xtask apiserver --help` prints.
pub(crate) const HELP: &str = "\
Build, start and stop a real kube-apiserver with etcd (needs Go)

usage: cargo xtask apiserver build [PROGRAM...]
       cargo xtask apiserver start [--port N] [--plugins A,B] [-- FLAG...]
       cargo xtask apiserver stop [--port N]
       cargo xtask apiserver status

  build         build kube-apiserver, etcd, kubectl, kube-controller-manager, kube-scheduler and the oracle,
                or only the named ones (needs Go; the first time takes about 15 minutes)
  start         start etcd and kube-apiserver on 127.0.0.1 and wait until they are ready
  stop          stop them and delete their data
  status        list the running servers

  --port N      port of kube-apiserver (16443); etcd uses the two ports after it
  --plugins P   admission plugins to leave on, of those that need other objects or controllers:
                LimitRanger, ResourceQuota, ServiceAccount (all off by default)
  -- FLAG...    further flags for kube-apiserver
";

/// Runs one of the four commands. Exits 3 where Go is needed and missing.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let Some((command, rest)) = arguments.split_first() else {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    };
    let done = match command.as_str() {
        "build" => return build::run(rest),
        "start" => Settings::read(rest).and_then(|settings| start(&settings)),
        "stop" => Settings::read(rest).and_then(|settings| Instance::at(settings.port).stop()),
        "status" => {
            status();
            Ok(())
        }
        other => Err(format!("there is no command `{other}`\n\n{HELP}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("apiserver: {complaint}");
            ExitCode::from(2)
        }
    }
}

fn start(settings: &Settings) -> Result<(), String> {
    let instance = Instance::start(settings)?;
    println!("address     {}", instance.address());
    println!("token       {}", instance.token()?);
    println!("CA          {}", instance.certificate().display());
    println!("kubeconfig  {}", instance.kubeconfig().display());
    println!("The certificate is for 127.0.0.1 and localhost; `curl -k` works too.");
    Ok(())
}

fn status() {
    for instance in Instance::all() {
        let state = if instance.is_running() { "running" } else { "dead" };
        println!("{}  {state}  {}", instance.address(), instance.kubeconfig().display());
    }
}
