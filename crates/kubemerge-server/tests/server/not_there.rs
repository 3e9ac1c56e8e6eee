//! What a server does not do and a cluster does: the table "What is deliberately not there" of docs/server-kube-rs.md,
//! row by row. A row that is not true any more fails, and so does one without a test.

use kubemerge_server::ApiServer;
use serde_json::{Value, json};

use crate::server::support::*;

const REGISTRATION: &str = "/apis/admissionregistration.k8s.io/v1";

/// The test of each row, by what the row says is not there.
const ROWS: [&str; 9] = [
    "controllers, scheduler, kubelet",
    "admission webhooks",
    "admission policies",
    "Pod security",
    "authorization",
    "conversion webhooks of custom resources",
    "garbage collection in the background",
    "exec, attach, port-forward without a handler of the test, proxy",
    "protobuf and CBOR answers",
];

#[test]
fn every_row_of_the_table_is_tested() {
    let guide = std::fs::read_to_string("../../docs/server-kube-rs.md").unwrap();
    let (_, table) = guide.split_once("## What is deliberately not there").unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |"));
    let rows: Vec<&str> = rows.map(|(what, _)| what).filter(|what| *what != "not there").collect();
    assert_eq!(rows, ROWS);
}

async fn create(server: &ApiServer, path: &str, object: Value) -> Value {
    let answer = ask(server, "POST", path, object).await;
    assert_eq!(answer.code, 201, "{:?}", answer.body);
    answer.body
}

async fn is_stored(server: &ApiServer) -> bool {
    ask(server, "POST", CONFIG_MAPS, config_map("a")).await.code == 201
}

#[tokio::test]
async fn controllers() {
    let server = server();
    create(&server, DEPLOYMENTS, deployment("web")).await;
    create(&server, PODS, pod("web")).await;
    assert_eq!(server.list("apps/v1", "ReplicaSet", ""), Vec::<Value>::new());
    assert_eq!(server.get("v1", "Pod", "default", "web").unwrap()["spec"].get("nodeName"), None);
}

#[tokio::test]
async fn admission_webhooks() {
    let server = server();
    let rules = json!([{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]);
    let webhook = json!({"name": "never.example.com", "rules": rules, "failurePolicy": "Fail", "sideEffects": "None",
        "admissionReviewVersions": ["v1"], "clientConfig": {"url": "https://127.0.0.1:1/refuse"}});
    for (kind, plural) in [
        ("ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
        ("MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
    ] {
        let configuration = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
            "metadata": {"name": "never"}, "webhooks": [webhook]});
        create(&server, &format!("{REGISTRATION}/{plural}"), configuration).await;
    }
    assert!(is_stored(&server).await);
}

#[tokio::test]
async fn admission_policies() {
    let server = server();
    let rules = json!([{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]);
    let policy = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "never"}, "spec": {"failurePolicy": "Fail",
            "matchConstraints": {"resourceRules": rules}, "validations": [{"expression": "false"}]}});
    create(&server, &format!("{REGISTRATION}/validatingadmissionpolicies"), policy).await;
    let binding = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "never"}, "spec": {"policyName": "never", "validationActions": ["Deny"]}});
    create(&server, &format!("{REGISTRATION}/validatingadmissionpolicybindings"), binding).await;
    assert!(is_stored(&server).await);
}

#[tokio::test]
async fn pod_security() {
    let server = server();
    let labels = json!({"pod-security.kubernetes.io/enforce": "restricted"});
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "strict", "labels": labels}});
    create(&server, "/api/v1/namespaces", namespace).await;
    let mut privileged = pod("web");
    privileged["spec"]["containers"][0]["securityContext"] = json!({"privileged": true});
    create(&server, "/api/v1/namespaces/strict/pods", privileged).await;
}

#[tokio::test]
async fn authorization() {
    let server = server();
    let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": {"user": "nobody", "resourceAttributes": {"verb": "delete", "resource": "nodes"}}});
    let answer = create(&server, "/apis/authorization.k8s.io/v1/subjectaccessreviews", review).await;
    assert_eq!(answer["status"]["allowed"], true, "no role allows it");
}

fn definition(conversion: Value) -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let version = |name: &str, storage: bool| json!({"name": name, "served": true, "storage": storage, "schema": schema});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "foxes.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "foxes", "kind": "Fox"},
            "conversion": conversion, "versions": [version("v1", true), version("v2", false)]}})
}

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

#[tokio::test]
async fn conversion_webhooks() {
    let server = server();
    let conversion = json!({"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://127.0.0.1:1/convert"}}});
    create(&server, DEFINITIONS, definition(conversion)).await;
    let fox = json!({"apiVersion": "example.com/v2", "kind": "Fox", "metadata": {"name": "a"}, "spec": {"tail": 1}});
    create(&server, "/apis/example.com/v2/namespaces/default/foxes", fox).await;
    let read = get(&server, "/apis/example.com/v1/namespaces/default/foxes/a").await.body;
    assert_eq!((&read["apiVersion"], &read["spec"]), (&json!("example.com/v1"), &json!({"tail": 1})));
}

#[tokio::test]
async fn background_collection() {
    let server = server();
    let owner = create(&server, CONFIG_MAPS, config_map("owner")).await;
    let mut dependent = config_map("dependent");
    dependent["metadata"]["ownerReferences"] = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner",
        "uid": owner["metadata"]["uid"]}]);
    create(&server, CONFIG_MAPS, dependent).await;
    ask(&server, "DELETE", &format!("{CONFIG_MAPS}/owner?propagationPolicy=Background"), json!(null)).await;
    assert_eq!(server.get("v1", "ConfigMap", "default", "dependent"), None, "gone with the answer");
}

#[tokio::test]
async fn connections_to_pods() {
    let server = server();
    create(&server, PODS, pod("web")).await;
    for path in ["exec?command=ls&stdout=true", "attach", "portforward?ports=80", "proxy"] {
        assert_eq!(get(&server, &format!("{PODS}/web/{path}")).await.code, 501, "{path}");
    }
}

#[tokio::test]
async fn binary_answers() {
    let server = server();
    create(&server, CONFIG_MAPS, config_map("a")).await;
    for form in ["application/vnd.kubernetes.protobuf", "application/cbor"] {
        let accept = ("accept", &*format!("{form},application/json"));
        let answer = ask_as(&server, "GET", &format!("{CONFIG_MAPS}/a"), accept, json!(null)).await;
        assert_eq!(
            (answer.code, &answer.headers["content-type"]),
            (200, &"application/json".parse().unwrap())
        );
    }
}
