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

/// The pipe has no reader, so opening it for writing would never end.
#[test]
fn a_pipe_is_not_rewritten() {
    let script =
        "mkfifo pipe; cat $SERVICE > pipe & kubemerge patch -f pipe -i -p '{spec: {type: NodePort}}'";
    let output = bash("rewritten_pipe", script);
    let expected = "error: pipe is no regular file and cannot be rewritten\n\
        help: leave --in-place out to get the result on stdout\n";
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(2), expected));
}

/// Byte order marks, Windows line breaks and missing line breaks stay as they are in a pipeline.
#[test]
fn odd_texts_pass_through() {
    let object = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";
    let texts = [
        (format!("\u{feff}{object}"), format!("\u{feff}{object}data:\n  k: v\n")),
        (object.replace('\n', "\r\n"), format!("{object}data:\n  k: v\n").replace('\n', "\r\n")),
        (object.trim_end().to_owned(), format!("{object}data:\n  k: v\n")),
        (format!("{object}---\n"), format!("{object}data:\n  k: v\n---\n")),
    ];
    for (number, (text, expected)) in texts.iter().enumerate() {
        let name = format!("odd_text_{number}");
        let script = format!("printf '%s' '{text}' | kubemerge patch -f - -p '{{data: {{k: v}}}}'");
        let output = bash(&name, &script);
        assert_eq!((output.status.code(), &stdout(&output)), (Some(0), expected), "{text:?}");
    }
}

/// Bytes that are no text, and texts nested without end, are errors with a place.
#[test]
fn what_cannot_be_read_is_an_error() {
    let scripts = [
        (r"printf 'a: \377\376'", "invalid UTF-8"),
        (r"printf '\377\376a\0:\0'", "the text is UTF-16, not UTF-8"),
        ("head -c 20000 /dev/zero | tr '\\0' '['", "recursion limit exceeded"),
        (":", "there is no object to patch"),
    ];
    for (number, (script, expected)) in scripts.iter().enumerate() {
        let output =
            bash(&format!("unreadable_{number}"), &format!("{script} | kubemerge patch -f - -p '{{}}'"));
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.starts_with(&format!("error: {expected}")), "{told}");
    }
}
