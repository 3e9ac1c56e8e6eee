//! Addresses and node ports of Services. The messages are those of kube-apiserver 1.37.

use kubemerge_server::ApiServer;
use serde_json::{Value, json};

use crate::server::support::*;

const SERVICES: &str = "/api/v1/namespaces/default/services";
const ADDRESSES: &str = "/apis/networking.k8s.io/v1/ipaddresses";

fn service(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec})
}

async fn create(server: &ApiServer, name: &str, spec: Value) -> Answer {
    ask(server, "POST", SERVICES, service(name, spec)).await
}

async fn refusal(server: &ApiServer, spec: Value) -> String {
    let answer = create(server, "refused", spec).await;
    assert_eq!(answer.code, 422, "{}", answer.body);
    answer.body["message"].as_str().unwrap().to_string()
}

#[tokio::test]
async fn a_service_gets_an_address_and_its_object() {
    let server = server();
    let spec = create(&server, "a", json!({"ports": [{"port": 80}]})).await.body["spec"].clone();
    let address = spec["clusterIP"].as_str().unwrap().to_string();
    assert!(address.starts_with("10.0."), "{address}");
    assert_eq!(spec["clusterIPs"], json!([address]));
    let object = get(&server, &format!("{ADDRESSES}/{address}")).await.body;
    assert_eq!(
        object["spec"]["parentRef"],
        json!({"name": "a", "namespace": "default", "resource": "services"})
    );
    ask(&server, "DELETE", &format!("{SERVICES}/a"), Value::Null).await;
    assert_eq!(get(&server, &format!("{ADDRESSES}/{address}")).await.code, 404);
}

#[tokio::test]
async fn headless_and_external_services_get_none() {
    let server = server();
    let headless = create(&server, "a", json!({"clusterIP": "None", "selector": {"a": "b"}})).await;
    assert_eq!(headless.body["spec"]["clusterIPs"], json!(["None"]));
    let external = create(&server, "b", json!({"type": "ExternalName", "externalName": "x.io"})).await;
    assert_eq!(external.body["spec"]["clusterIP"], Value::Null);
    assert_eq!(get(&server, ADDRESSES).await.body["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_address_is_given_once() {
    let server = server();
    let spec = json!({"clusterIP": "10.0.77.7", "ports": [{"port": 80}]});
    assert_eq!(create(&server, "a", spec.clone()).await.code, 201);
    assert_eq!(
        refusal(&server, spec).await,
        "Service \"refused\" is invalid: spec.clusterIPs: Invalid value: [\"10.0.77.7\"]: failed to allocate IP \
         10.0.77.7: provided IP is already allocated"
    );
    assert_eq!(
        refusal(&server, json!({"clusterIP": "1.2.3.4", "ports": [{"port": 80}]})).await,
        "Service \"refused\" is invalid: spec.clusterIPs: Invalid value: [\"1.2.3.4\"]: failed to allocate IP \
         1.2.3.4: the provided network does not match the current range"
    );
}

#[tokio::test]
async fn a_node_port_is_given_once() {
    let server = server();
    let spec = |port: i64| json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": port}]});
    assert_eq!(create(&server, "a", spec(30777)).await.code, 201);
    assert_eq!(
        refusal(&server, spec(30777)).await,
        "Service \"refused\" is invalid: spec.ports[0].nodePort: Invalid value: 30777: provided port is already \
         allocated"
    );
    assert_eq!(
        refusal(&server, spec(80)).await,
        "Service \"refused\" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the \
         valid range. The range of valid ports is 30000-32767"
    );
    ask(&server, "DELETE", &format!("{SERVICES}/a"), Value::Null).await;
    assert_eq!(create(&server, "b", spec(30777)).await.code, 201);
}

#[tokio::test]
async fn another_type_releases_what_it_does_not_need() {
    let server = server();
    let created = create(&server, "a", json!({"type": "NodePort", "ports": [{"port": 80}]})).await.body;
    let port = created["spec"]["ports"][0]["nodePort"].as_i64().unwrap();
    assert!((30_000..32_768).contains(&port), "{port}");
    let mut changed = created.clone();
    changed["spec"]["type"] = json!("ClusterIP");
    let changed = ask(&server, "PUT", &format!("{SERVICES}/a"), changed).await.body;
    assert_eq!(changed["spec"]["ports"][0]["nodePort"], Value::Null);
    let address = created["spec"]["clusterIP"].as_str().unwrap();
    let mut changed = changed.clone();
    changed["spec"]["type"] = json!("ExternalName");
    changed["spec"]["externalName"] = json!("x.io");
    assert_eq!(ask(&server, "PUT", &format!("{SERVICES}/a"), changed).await.code, 200);
    assert_eq!(get(&server, &format!("{ADDRESSES}/{address}")).await.code, 404);
}

#[tokio::test]
async fn many_services_at_once_get_as_many_addresses() {
    let server = server();
    let tasks = (0..100).map(|at| {
        let server = server.clone();
        tokio::spawn(async move {
            let name = format!("s{at}");
            let spec = json!({"type": "NodePort", "ports": [{"port": 80}]});
            create(&server, &name, spec).await.body["spec"].clone()
        })
    });
    let (mut addresses, mut ports) = (std::collections::HashSet::new(), std::collections::HashSet::new());
    for task in tasks.collect::<Vec<_>>() {
        let spec = task.await.unwrap();
        addresses.insert(spec["clusterIP"].as_str().unwrap().to_string());
        ports.insert(spec["ports"][0]["nodePort"].as_i64().unwrap());
    }
    assert_eq!((addresses.len(), ports.len()), (100, 100));
}

#[tokio::test]
async fn a_dry_run_takes_nothing() {
    let server = server();
    let spec =
        json!({"clusterIP": "10.0.77.7", "type": "NodePort", "ports": [{"port": 80, "nodePort": 30777}]});
    for _ in 0..2 {
        let path = format!("{SERVICES}?dryRun=All");
        assert_eq!(ask(&server, "POST", &path, service("a", spec.clone())).await.code, 201);
    }
    assert_eq!(create(&server, "a", spec).await.code, 201);
}
