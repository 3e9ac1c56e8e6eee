//! What flags of kube-apiserver choose: served versions, the range of Services.

use bytes::Bytes;
use http::Request;
use http_body_util::BodyExt;
use kubemerge_server::ApiServer;
use serde_json::{Value, json};

async fn send(server: &ApiServer, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
    let response = server.handle(request.body(body).unwrap()).await;
    let code = response.status().as_u16();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (code, serde_json::from_slice(&bytes).unwrap_or_default())
}

#[tokio::test]
async fn single_versions_can_be_turned_on_and_off() {
    let choices = "resource.k8s.io/v1beta1=true,autoscaling/v1=false,policy/v1/poddisruptionbudgets=false";
    let chosen = ApiServer::builder().runtime_config(choices).build().unwrap();
    for (path, code) in [
        ("/apis/resource.k8s.io/v1beta1", 200),
        ("/apis/resource.k8s.io/v1alpha3", 404),
        ("/apis/autoscaling/v1", 404),
        ("/apis/autoscaling/v2", 200),
        ("/apis/policy/v1/poddisruptionbudgets", 404),
    ] {
        assert_eq!(send(&chosen, "GET", path, &Value::Null).await.0, code, "{path}");
    }
    let unknown = ApiServer::builder().runtime_config("example.com/v1=true,b.example.com/v2=false").build();
    assert_eq!(unknown.err().unwrap().to_string(), "unknown api groups b.example.com/v2,example.com/v1");
}

#[tokio::test]
async fn services_get_addresses_of_the_given_range() {
    for version in ["1.37", "1.28"] {
        let server = ApiServer::builder().kubernetes(version).service_range("10.9.8.0/29").build().unwrap();
        let own = server.get("v1", "Service", "default", "kubernetes").unwrap();
        assert_eq!(own["spec"]["clusterIP"], "10.9.8.1");
        let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"},
            "spec": {"ports": [{"port": 80}]}});
        let path = "/api/v1/namespaces/default/services";
        let (_, made) = send(&server, "POST", path, &service).await;
        let address = made["spec"]["clusterIP"].as_str().unwrap();
        assert!(address.starts_with("10.9.8."), "{address}");
    }
}
