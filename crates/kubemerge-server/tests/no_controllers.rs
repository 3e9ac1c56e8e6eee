//! Without controllers objects stay as kube-apiserver alone leaves them.

use bytes::Bytes;
use http::Request;
use kubemerge_server::{ApiServer, Controller};
use serde_json::{Value, json};

async fn send(server: &ApiServer, method: &str, path: &str, body: &Value) -> u16 {
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let request = request.body(Bytes::from(body.to_string())).unwrap();
    server.handle(request).await.status().as_u16()
}

fn config_map(name: &str, owner: Option<&Value>) -> Value {
    let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    if let Some(owner) = owner {
        let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"]});
        object["metadata"]["ownerReferences"] = json!([owner]);
    }
    object
}

/// A namespace with an owner and its dependent.
async fn with_objects(server: &ApiServer) {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}});
    assert_eq!(send(server, "POST", "/api/v1/namespaces", &namespace).await, 201);
    let path = "/api/v1/namespaces/n/configmaps";
    assert_eq!(send(server, "POST", path, &config_map("owner", None)).await, 201);
    let owner = server.get("v1", "ConfigMap", "n", "owner").unwrap();
    assert_eq!(send(server, "POST", path, &config_map("dependent", Some(&owner))).await, 201);
}

#[tokio::test]
async fn dependents_and_finalizers_stay() {
    let server = ApiServer::builder().controllers(&[]).build().unwrap();
    with_objects(&server).await;
    let path = "/api/v1/namespaces/n/configmaps/owner";
    assert_eq!(send(&server, "DELETE", path, &json!({"propagationPolicy": "Foreground"})).await, 200);
    let owner = server.get("v1", "ConfigMap", "n", "owner").unwrap();
    assert_eq!(owner["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    assert!(owner["metadata"]["deletionTimestamp"].is_string());
    assert!(server.get("v1", "ConfigMap", "n", "dependent").is_some());
}

#[tokio::test]
async fn namespaces_stay_with_their_content() {
    let server = ApiServer::builder().controllers(&[]).build().unwrap();
    with_objects(&server).await;
    assert_eq!(send(&server, "DELETE", "/api/v1/namespaces/n", &json!({})).await, 200);
    let namespace = server.get("v1", "Namespace", "", "n").unwrap();
    assert_eq!(namespace["status"]["phase"], "Terminating");
    assert_eq!(namespace["spec"]["finalizers"], json!(["kubernetes"]));
    assert!(server.get("v1", "ConfigMap", "n", "owner").is_some());
}

#[tokio::test]
async fn one_controller_runs_without_the_others() {
    let server = ApiServer::builder().controllers(&[Controller::Namespace]).build().unwrap();
    with_objects(&server).await;
    let path = "/api/v1/namespaces/n/configmaps/owner";
    assert_eq!(send(&server, "DELETE", path, &json!({"propagationPolicy": "Background"})).await, 200);
    assert!(server.get("v1", "ConfigMap", "n", "dependent").is_some());
    assert_eq!(send(&server, "DELETE", "/api/v1/namespaces/n", &json!({})).await, 200);
    assert!(server.get("v1", "Namespace", "", "n").is_none());
}
