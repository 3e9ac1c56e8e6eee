//! Every command over documents that are nested to the limit, on a small stack: each ends with an exit code of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Fewer levels than a document may have, for what is above and below them.
const LEVELS: usize = 9_900;
/// KiB: an eighth of what programs have by default.
const STACK: u32 = 1024;

fn nested(opening: &str, closing: &str, bottom: &str) -> String {
    let levels = LEVELS / opening.matches(['{', '[']).count();
    format!("{}{bottom}{}", opening.repeat(levels), closing.repeat(levels))
}

fn object(api_version: &str, kind: &str, spec: &str) -> String {
    format!(r#"{{"apiVersion":"{api_version}","kind":"{kind}","metadata":{{"name":"x"}},"spec":{spec}}}"#)
}

fn objects(bottom: &str) -> Vec<String> {
    let maps = nested(r#"{"a":"#, "}", bottom);
    let items = nested(r#"[{"name":"a","a":"#, "}]", bottom);
    let lists = nested("[", "]", bottom);
    let schema = nested(r#"{"type":"object","properties":{"a":"#, "}}", r#"{"type":"string"}"#);
    let version =
        format!(r#"{{"name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":{schema}}}}}"#);
    let definition = format!(
        r#"{{"group":"example.com","names":{{"kind":"X","plural":"x"}},"scope":"Cluster","versions":[{version}]}}"#
    );
    vec![
        object("example.com/v1", "Widget", &maps),
        object("v1", "Pod", &format!(r#"{{"containers":{items},"other":{lists}}}"#)),
        object("apiextensions.k8s.io/v1", "CustomResourceDefinition", &definition),
    ]
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("depth");
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs the command on a small stack.
fn run(folder: &Path, words: &str) {
    let script = format!("ulimit -s {STACK}; exec '{}' {words}", env!("CARGO_BIN_EXE_kubemerge"));
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder).output().unwrap();
    let code = output.status.code();
    let told = String::from_utf8_lossy(&output.stderr);
    let told: String = told.chars().take(400).collect();
    assert!(matches!(code, Some(0..=2)), "kubemerge {words}: {:?}\n{told}", output.status);
    assert!(!told.contains("panicked"), "kubemerge {words}\n{told}");
    assert!(!told.contains("Usage:"), "kubemerge {words}\n{told}");
}

#[test]
fn every_command_ends() {
    let folder = folder();
    for (first, second) in objects("1").iter().zip(objects("2")) {
        std::fs::write(folder.join("one.json"), first).unwrap();
        std::fs::write(folder.join("two.json"), second).unwrap();
        for words in [
            "patch -f one.json --patch-file two.json",
            "patch -f one.json --patch-file two.json --type merge",
            "patch -f one.json --patch-file two.json --dialect spec",
            "patch -f one.json --patch-file two.json -o yaml",
            "explain -f one.json --patch-file two.json",
            "explain -f one.json --patch-file two.json --type merge",
            "diff one.json two.json",
            "diff one.json two.json --type merge",
            "diff one.json two.json --type json",
            "apply -f one.json",
            "apply -f one.json --live two.json",
            "convert -f one.json --patch-file two.json --to merge",
            "invert -f one.json --patch-file two.json --to json",
            "compose one.json two.json --kind v1/Pod",
            "skew one.json two.json --client 1.36 --server 1.37",
            "owners -f one.json",
            "lint -f one.json",
        ] {
            run(&folder, words);
        }
    }
}
