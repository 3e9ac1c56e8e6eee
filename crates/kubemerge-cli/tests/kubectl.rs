//! `kubemerge patch` answers what `kubectl patch --local` answers.
//!
//! kubectl is found by `KUBEMERGE_KUBECTL` or as `kubectl`; without it the test is skipped by name. It fills
//! in nothing, so both answers are compared as values.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap()
}

/// A list whose items leave their kind to it.
const LIST: &str = "../crates/kubemerge-cli/tests/files/service-list.yaml";

fn kubectl() -> Option<String> {
    let name = std::env::var("KUBEMERGE_KUBECTL").unwrap_or_else(|_| "kubectl".to_owned());
    let version = Command::new(&name).args(["version", "--client"]).output();
    version.is_ok_and(|version| version.status.success()).then_some(name)
}

/// The patched objects, or nothing if the command refuses the patch.
fn patched(program: &str, arguments: &[&str]) -> Option<Vec<Value>> {
    let output = Command::new(program).arg("patch").args(arguments).args(["-o", "json"]).output().unwrap();
    let objects = serde_json::Deserializer::from_slice(&output.stdout).into_iter();
    output.status.success().then(|| objects.collect::<Result<_, _>>().unwrap())
}

fn check(kubectl: &str, file: &str, patch_type: &str, patch: Value) {
    let path = examples().join(file);
    let patch = patch.to_string();
    let arguments = ["-f", path.to_str().unwrap(), "--type", patch_type, "-p", &patch];
    let theirs = patched(kubectl, &[&["--local"][..], &arguments].concat());
    let ours = patched(env!("CARGO_BIN_EXE_kubemerge"), &arguments);
    assert_eq!(ours, theirs, "{file} --type {patch_type} {patch}");
}

/// A patch of the pod template.
fn pod(spec: Value) -> Value {
    json!({"spec": {"template": {"spec": spec}}})
}

#[test]
fn answers_agree_with_kubectl() {
    let Some(kubectl) = kubectl() else {
        eprintln!("skipped: answers_agree_with_kubectl: there is no kubectl");
        return;
    };
    let strategic = |patch| check(&kubectl, "deployment.yaml", "strategic", patch);
    strategic(json!({"spec": {"replicas": 3}}));
    strategic(json!({"spec": {"replicas": null, "paused": true}}));
    strategic(pod(json!({"containers": [{"name": "web", "image": "x"}, {"name": "new", "image": "y"}]})));
    strategic(pod(json!({"containers": [{"name": "proxy", "$patch": "delete"}]})));
    strategic(pod(json!({"containers": [{"$patch": "replace"}, {"name": "a", "image": "b"}]})));
    strategic(pod(json!({"containers": [{"name": "web", "args": ["one"]}]})));
    let env_order = json!([{"name": "CART_URL"}, {"name": "LOG_LEVEL"}]);
    strategic(pod(json!({
        "$setElementOrder/containers": [{"name": "proxy"}, {"name": "web"}],
        "containers": [{"name": "web", "$setElementOrder/env": env_order}],
    })));
    strategic(json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}));
    strategic(json!({"metadata": {"finalizers": ["a/b"], "$deleteFromPrimitiveList/finalizers": ["c/d"]}}));
    strategic(pod(json!({"containers": [{"image": "nameless"}]})));
    strategic(pod(json!({"containers": [{"name": "web", "$patch": "remove"}]})));

    let merge = |patch| check(&kubectl, "deployment.yaml", "merge", patch);
    merge(pod(json!({"containers": [{"name": "web", "image": "x"}], "volumes": null})));
    let operations = |patch| check(&kubectl, "deployment.yaml", "json", patch);
    operations(json!([{"op": "add", "path": "/metadata/labels/a~1b", "value": "c"}]));
    operations(json!([{"op": "test", "path": "/spec/replicas", "value": 3}]));

    let service = |patch| check(&kubectl, "service.yaml", "strategic", patch);
    service(json!({"spec": {"ports": [{"port": 53, "protocol": "TCP", "targetPort": 5353}]}}));
    service(json!({"spec": {"ports": [{"port": 53, "protocol": "TCP", "$patch": "delete"}]}}));
    service(json!({"spec": {"selector": {"$patch": "replace", "tier": "front"}}}));

    let list = |patch_type, patch| check(&kubectl, LIST, patch_type, patch);
    list("strategic", json!({"metadata": {"labels": {"tier": "front"}}}));
    list("strategic", json!({"spec": {"ports": [{"port": 80, "name": "web"}]}}));
    list("strategic", json!({"spec": {"ports": [{"name": "web"}]}}));
    list("merge", json!({"spec": {"ports": null}}));
    list("json", json!([{"op": "test", "path": "/kind", "value": "Service"}]));
}

/// krew installs the command as `kubectl-kubemerge`.
#[cfg(unix)]
#[test]
fn kubectl_runs_the_command_as_a_plugin() {
    let Some(kubectl) = kubectl() else {
        eprintln!("skipped: kubectl_runs_the_command_as_a_plugin: there is no kubectl");
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugin");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_kubemerge"), folder.join("kubectl-kubemerge")).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let shown = Command::new(kubectl)
        .args(["kubemerge", "schema", "show", "v1/Service", "spec.ports"])
        .env("PATH", path)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&shown.stdout);
    assert!(text.contains("the list merges by port"), "{text}{}", String::from_utf8_lossy(&shown.stderr));
}
