//! A real kustomize takes what `schema export` writes.
//!
//! It is found by `KUBEMERGE_KUSTOMIZE`, as `kustomize`, or inside `kubectl`; without one the tests are
//! skipped by name.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A command that builds a folder.
fn kustomize() -> Option<Vec<String>> {
    let given = std::env::var("KUBEMERGE_KUSTOMIZE").ok();
    let candidates = [given.as_deref().unwrap_or("kustomize"), "kustomize", "kubectl"];
    let runs =
        |name: &&str| Command::new(name).arg("--help").output().is_ok_and(|help| help.status.success());
    let found = candidates.into_iter().find(runs)?;
    let verb = if found.ends_with("kubectl") { "kustomize" } else { "build" };
    Some(vec![found.to_owned(), verb.to_owned()])
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn export(arguments: &[&str]) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubemerge"));
    let output =
        command.args(["schema", "export"]).args(arguments).current_dir(repository()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Builds a folder with a resource, a patch and a schema; `None` without kustomize.
fn build(test: &str, resource: &str, schema: &[u8]) -> Option<String> {
    let Some(command) = kustomize() else {
        eprintln!("skipped: {test}: there is neither kustomize nor kubectl");
        return None;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).unwrap();
    let examples = repository().join("examples");
    std::fs::copy(examples.join(format!("{resource}.yaml")), folder.join("resource.yaml")).unwrap();
    std::fs::copy(examples.join(format!("patches/{resource}.yaml")), folder.join("patch.yaml")).unwrap();
    std::fs::write(folder.join("schema.json"), schema).unwrap();
    let kustomization =
        "resources: [resource.yaml]\npatches: [{path: patch.yaml}]\nopenapi: {path: schema.json}\n";
    std::fs::write(folder.join("kustomization.yaml"), kustomization).unwrap();
    let output = Command::new(&command[0]).arg(&command[1]).arg(&folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn kustomize_merges_lists_of_custom_resources() {
    let schema = export(&["--schema", "examples/crd.yaml"]);
    let Some(built) = build("kustomize_merges_lists_of_custom_resources", "kiosk", &schema) else { return };
    assert!(built.contains("clerk: Ada") && built.contains("clerk: Grace"), "{built}");
    assert!(built.contains("06:30") && !built.contains("Edsger"), "{built}");
}

#[test]
fn kustomize_still_merges_built_in_kinds() {
    let schema = export(&["--schema", "examples/crd.yaml"]);
    let Some(built) = build("kustomize_still_merges_built_in_kinds", "deployment", &schema) else { return };
    assert!(built.contains("shop/web:1.5.0") && built.contains("shop/proxy:0.9"), "{built}");
    assert!(built.contains("value: debug") && !built.contains("CART_URL"), "{built}");
}

/// With ports keyed by port and protocol, only one of the two is changed.
#[test]
fn kustomize_follows_key_sets() {
    let schema = export(&[]);
    let Some(built) = build("kustomize_follows_key_sets", "service", &schema) else { return };
    assert!(built.contains("name: dns\n    port: 53\n    protocol: UDP"), "{built}");
    assert_eq!(built.matches("targetPort: 5353").count(), 1, "{built}");
}
