//! Who races, with their versions.

use std::process::Command;

/// The programs with their versions, and the machine.
pub(super) fn racers() -> Vec<(String, String)> {
    // From the lock files, so that the table tells what was built, not what was asked for.
    let module = |name: &str| locked("conformance/reference/go.mod", &format!("{name} v"));
    let package = |name: &str| locked("Cargo.lock", &format!("name = \"{name}\"\nversion = \""));
    let named = |name: &str, version: String| (name.to_string(), version);
    vec![
        named("kubemerge", env!("CARGO_PKG_VERSION").to_string()),
        named("serde_json", package("serde_json")),
        named("sonic-rs", package("sonic-rs")),
        named("json-patch", package("json-patch")),
        named("k8s.io/apimachinery", module("k8s.io/apimachinery")),
        named("Go", output("go", &["version"])),
        named("Rust", output("rustc", &["--version"])),
        named("processor", processor()),
    ]
}

/// What follows a text in a file of the repository, up to the end of the word.
fn locked(file: &str, before: &str) -> String {
    let text = std::fs::read_to_string(kubemerge_test_support::root().join(file)).unwrap_or_default();
    let version =
        text.split_once(before).map(|(_, rest)| rest.split(['"', '\n', ' ']).next().unwrap_or_default());
    version.unwrap_or("unknown").to_string()
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map_or_else(|_| "none".into(), |output| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| std::env::consts::ARCH.to_string(), |(_, name)| name.to_string())
}
