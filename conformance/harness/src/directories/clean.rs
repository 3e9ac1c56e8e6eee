//! Removes the objects of a pair from the real server.

use std::time::Duration;

use kubemerge_test_support::recording::normal::Identity;
use serde_json::{Value, json};

use super::{kubectl::Kubectl, ways::Pair};
use crate::{
    api::{Call, Server},
    apiserver::Client,
};

/// How often the server is asked whether the objects are gone.
const MAX_ATTEMPTS: usize = 60;

/// Deletes until nothing is left. No controller runs that would finish a namespace, so that is done here.
pub(super) fn remove(real: &Kubectl, client: &mut Client, pair: &Pair) -> Result<(), String> {
    for _ in 0..MAX_ATTEMPTS {
        let objects = real.objects(pair)?;
        if objects.is_empty() {
            return Ok(());
        }
        for folder in [&pair.new, &pair.old] {
            let words = [
                "delete",
                "--recursive",
                "--ignore-not-found",
                "--wait=false",
                "--grace-period=0",
                "--force",
            ];
            let mut arguments: Vec<String> = words.map(str::to_string).to_vec();
            arguments.extend(["--filename".to_string(), folder.display().to_string()]);
            real.run(&arguments)?;
        }
        for object in objects.iter().filter(|object| object["metadata"]["finalizers"].is_array()) {
            release(real, object)?;
        }
        for object in objects.iter().filter(|object| object["kind"] == "Namespace") {
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            let empty = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {"finalizers": []}});
            let call = Call::new(http::Method::PUT, format!("/api/v1/namespaces/{name}/finalize"), &empty);
            Server::send(client, &call, &Identity::default())?;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    Err(format!("the objects of {} cannot be deleted", pair.name()))
}

/// Takes the finalizers from an object; its kind's own controller would wait for what does not come.
fn release(real: &Kubectl, object: &Value) -> Result<(), String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let (group, version) =
        object["apiVersion"].as_str().unwrap_or_default().split_once('/').unwrap_or(("", "v1"));
    let kind = format!("{}.{version}.{group}", text(&object["kind"]));
    let mut arguments = vec!["patch".to_string(), kind, text(&object["metadata"]["name"])];
    if let Some(namespace) = object["metadata"]["namespace"].as_str() {
        arguments.extend(["--namespace".to_string(), namespace.to_string()]);
    }
    arguments.extend(["--type=merge", "--patch={\"metadata\":{\"finalizers\":null}}"].map(str::to_string));
    // An object that is gone needs no patch.
    real.run(&arguments).map(drop)
}
