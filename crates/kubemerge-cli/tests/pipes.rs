//! Inputs that can be read only once: pipes, named pipes and `/dev/stdin`.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a script that has `kubemerge`, and an example as `$SERVICE`. A command that waits for ever is stopped.
fn bash(test: &str, script: &str) -> Output {
    let binary = Path::new(env!("CARGO_BIN_EXE_kubemerge")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    Command::new("timeout")
        .args(["60", "bash", "-c", script])
        .env("PATH", path)
        .env("SERVICE", Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/service.yaml"))
        .current_dir(folder(test))
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn lint_reads_a_process_substitution() {
    let output = bash("lint_substitution", "kubemerge lint -o json -f <(cat $SERVICE)");
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("shared-merge-key"), "{}", stdout(&output));
}

#[test]
fn patch_reads_a_process_substitution() {
    let script = "kubemerge patch -f <(cat $SERVICE) -p '{spec: {type: NodePort}}'";
    let output = bash("patch_substitution", script);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("type: NodePort"), "{}", stdout(&output));
}

#[test]
fn a_named_pipe_is_read_once() {
    let script = "mkfifo pipe; cat $SERVICE > pipe & kubemerge explain -f pipe -p '{spec: {type: NodePort}}'";
    let output = bash("named_pipe", script);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("NodePort"), "{}", stdout(&output));
}

#[test]
fn dev_stdin_is_read_once() {
    let script = "cat $SERVICE | kubemerge diff $SERVICE /dev/stdin";
    let output = bash("dev_stdin", script);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), "{}\n"));
}

#[test]
fn patches_and_schemas_may_be_pipes() {
    let script = "kubemerge patch -f $SERVICE --patch-file <(echo '{spec: {type: NodePort}}') \\
        --overlay <(echo 'rules: []') --dialect spec";
    let output = bash("patch_pipe", script);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout(&output).contains("type: NodePort"), "{}", stdout(&output));
}
