//! The official Python, JavaScript and Go clients, and helm, against the listener.
//!
//! Python is the interpreter `KUBEMERGE_PYTHON` (or `python3`) with the package `kubernetes`, JavaScript is `node`
//! with `@kubernetes/client-node` in the folder `KUBEMERGE_NODE_MODULES`, Go is the program built from the folder
//! `go` that `KUBEMERGE_GO_CLIENT` names, helm is `KUBEMERGE_HELM`. What is absent is skipped by name.

mod helm;

use std::{path::Path, process::Stdio, time::Duration};

use kubemerge_server::{ApiServer, ServeOptions};
use tokio::process::Command;

fn script(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(name).display().to_string()
}

async fn is_there(command: &mut Command) -> bool {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.await.is_ok_and(|status| status.success())
}

/// Runs a client with a kubeconfig; it says `done` if everything was as it should be.
async fn run(mut command: Command, name: &str) {
    let server = ApiServer::builder().deterministic().build().unwrap();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    let kubeconfig = std::env::temp_dir().join(format!("kubemerge-{name}-{}", std::process::id()));
    std::fs::write(&kubeconfig, serving.kubeconfig()).unwrap();
    let output = command.env("KUBECONFIG", &kubeconfig).kill_on_drop(true).output();
    let output =
        tokio::time::timeout(Duration::from_mins(10), output).await.expect("the client ends").unwrap();
    std::fs::remove_file(&kubeconfig).unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let faults = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.trim_end().ends_with("done"), "{text}\n{faults}");
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn python() {
    let interpreter = std::env::var("KUBEMERGE_PYTHON").unwrap_or_else(|_| "python3".into());
    if !is_there(Command::new(&interpreter).args(["-c", "import kubernetes"])).await {
        eprintln!("skipped clients::python: no Python with the package kubernetes on this machine");
        return;
    }
    let mut command = Command::new(interpreter);
    command.arg(script("client.py"));
    run(command, "python").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn javascript() {
    let Ok(modules) = std::env::var("KUBEMERGE_NODE_MODULES") else {
        eprintln!("skipped clients::javascript: KUBEMERGE_NODE_MODULES names no folder");
        return;
    };
    let package = Path::new(&modules).join("@kubernetes/client-node");
    // The newest client needs a newer node than some machines have.
    let load = format!("require({package:?})");
    if !is_there(Command::new("node").args(["-e", &load])).await {
        eprintln!("skipped clients::javascript: no node that can load {}", package.display());
        return;
    }
    let mut command = Command::new("node");
    command.arg(script("client.mjs")).env("CLIENT_NODE", package);
    run(command, "javascript").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn go() {
    let Some(program) = std::env::var_os("KUBEMERGE_GO_CLIENT").filter(|program| Path::new(program).exists())
    else {
        eprintln!("skipped clients::go: KUBEMERGE_GO_CLIENT names no program");
        return;
    };
    run(Command::new(program), "go").await;
}
