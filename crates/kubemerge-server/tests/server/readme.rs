//! The example of the README of this crate, as it is there.

use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, Patch, PatchParams};
use kubemerge_server::ApiServer;
use serde_json::json;

#[tokio::test]
async fn patching_one_container_keeps_the_other() -> Result<(), Box<dyn std::error::Error>> {
    let server = ApiServer::builder().yaml(include_str!("pod.yaml")).build()?;
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let patch = json!({"spec": {"containers": [{"name": "nginx", "image": "nginx:1.21"}]}});
    let pod = pods.patch("web", &PatchParams::default(), &Patch::Strategic(patch)).await?;
    assert_eq!(pod.spec.unwrap().containers.len(), 2); // the sidecar is still there
    Ok(())
}

#[test]
fn the_readme_shows_this_test() {
    let readme = include_str!("../../README.md");
    // Shorter ones are parts of it.
    let blocks = readme.split("```rust,ignore\n").skip(1).filter_map(|rest| rest.split("```").next());
    let example = blocks.max_by_key(|block| block.lines().count()).expect("README has the example");
    let here: Vec<&str> = include_str!("readme.rs").lines().map(str::trim).collect();
    assert!(example.lines().count() > 3, "the example is there");
    for line in example.lines() {
        assert!(here.contains(&line.trim()), "the test lacks this line of the README: {line}");
    }
}
