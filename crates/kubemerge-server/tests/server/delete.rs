//! Deletion: answers, preconditions, finalizers, grace, dependents, namespaces.

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::{
    Api,
    api::{DeleteParams, ListParams, Preconditions, PropagationPolicy},
};
use kubemerge_server::ApiServer;
use serde_json::{Value, json};

use crate::support::*;

async fn create(server: &ApiServer, path: &str, object: Value) -> Value {
    let answer = ask(server, "POST", path, object).await;
    assert_eq!(answer.code, 201, "{:?}", answer.body);
    answer.body
}

fn owned_by(owner: &Value, name: &str) -> Value {
    let mut object = config_map(name);
    object["metadata"]["ownerReferences"] = json!([reference(owner)]);
    object
}

fn reference(owner: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"], "blockOwnerDeletion": true})
}

async fn exists(server: &ApiServer, name: &str) -> bool {
    get(server, &format!("{CONFIG_MAPS}/{name}")).await.code == 200
}

#[tokio::test]
async fn an_immediate_delete_answers_status_or_object() {
    let server = server();
    let map = create(&server, CONFIG_MAPS, config_map("a")).await;
    let answer = ask(&server, "DELETE", &format!("{CONFIG_MAPS}/a"), Value::Null).await;
    assert_eq!(
        answer.body,
        json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success",
            "details": {"name": "a", "kind": "configmaps", "uid": map["metadata"]["uid"]}})
    );
    create(&server, PODS, pod("p")).await;
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let deleted = pods.delete("p", &DeleteParams::default()).await.unwrap();
    assert_eq!(deleted.left().unwrap().metadata.name.as_deref(), Some("p"));
    assert_eq!(status(pods.delete("p", &DeleteParams::default()).await).code, 404);
}

#[tokio::test]
async fn preconditions_are_kept() {
    let server = server();
    create(&server, CONFIG_MAPS, config_map("a")).await;
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let wrong = Preconditions { uid: Some("other".into()), resource_version: None };
    let refused = status(maps.delete("a", &DeleteParams::default().preconditions(wrong)).await);
    assert_eq!(refused.code, 409);
    assert!(refused.message.contains("the UID in the precondition (other) does not match the UID in record"));
    let old = Preconditions { uid: None, resource_version: Some("1".into()) };
    let refused = status(maps.delete("a", &DeleteParams::default().preconditions(old)).await);
    assert!(refused.message.contains("the ResourceVersion in the precondition (1) does not match"));
    assert!(exists(&server, "a").await);
}

#[tokio::test]
async fn finalizers_hold_an_object() {
    let server = server();
    let mut object = config_map("a");
    object["metadata"]["finalizers"] = json!(["x.io/hold"]);
    create(&server, CONFIG_MAPS, object).await;
    let path = format!("{CONFIG_MAPS}/a");
    let marked = ask(&server, "DELETE", &path, Value::Null).await;
    assert_eq!(marked.code, 200);
    assert_eq!(marked.body["metadata"]["deletionTimestamp"], "2026-01-01T00:00:00Z");
    assert_eq!(marked.body["metadata"]["deletionGracePeriodSeconds"], 0);
    let revision = server.revision();
    assert_eq!(ask(&server, "DELETE", &path, Value::Null).await.code, 200);
    assert_eq!(server.revision(), revision, "deleting again changes nothing");
    let taken = ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    assert_eq!(taken.message(), "object is being deleted: configmaps \"a\" already exists");
    let mut more = marked.body.clone();
    more["metadata"]["finalizers"] = json!(["x.io/hold", "x.io/more"]);
    let refused = ask(&server, "PUT", &path, more).await;
    assert_eq!(refused.code, 422);
    assert!(refused.message().contains("no new finalizers can be added if the object is being deleted"));
    let mut released = marked.body;
    released["metadata"]["finalizers"] = json!([]);
    let last = ask(&server, "PUT", &path, released).await;
    assert_eq!(last.code, 200);
    assert!(!exists(&server, "a").await);
}

#[tokio::test]
async fn pods_on_nodes_end_gracefully() {
    let server = server();
    let mut object = pod("p");
    object["spec"]["nodeName"] = json!("n1");
    create(&server, PODS, object).await;
    let path = format!("{PODS}/p");
    let marked = ask(&server, "DELETE", &path, Value::Null).await.body;
    assert_eq!(marked["metadata"]["deletionGracePeriodSeconds"], 30);
    assert_eq!(marked["metadata"]["deletionTimestamp"], "2026-01-01T00:00:30Z");
    assert_eq!(marked["metadata"]["generation"], 2);
    let shorter = ask(&server, "DELETE", &path, json!({"gracePeriodSeconds": 5})).await.body;
    assert_eq!(shorter["metadata"]["deletionGracePeriodSeconds"], 5);
    ask(&server, "DELETE", &path, json!({"gracePeriodSeconds": 60})).await;
    assert_eq!(get(&server, &path).await.body["metadata"]["deletionGracePeriodSeconds"], 5, "never longer");
    assert_eq!(ask(&server, "DELETE", &path, json!({"gracePeriodSeconds": 0})).await.code, 200);
    assert_eq!(get(&server, &path).await.code, 404);
}

#[tokio::test]
async fn dependents_go_with_their_owner() {
    let server = server();
    let owner = create(&server, CONFIG_MAPS, config_map("owner")).await;
    let child = create(&server, CONFIG_MAPS, owned_by(&owner, "child")).await;
    create(&server, CONFIG_MAPS, owned_by(&child, "grandchild")).await;
    ask(&server, "DELETE", &format!("{CONFIG_MAPS}/owner"), json!({"propagationPolicy": "Background"})).await;
    for name in ["owner", "child", "grandchild"] {
        assert!(!exists(&server, name).await, "{name}");
    }
}

#[tokio::test]
async fn a_second_owner_keeps_an_object() {
    let server = server();
    let one = create(&server, CONFIG_MAPS, config_map("one")).await;
    let two = create(&server, CONFIG_MAPS, config_map("two")).await;
    let mut child = owned_by(&one, "child");
    child["metadata"]["ownerReferences"] = json!([reference(&one), reference(&two)]);
    create(&server, CONFIG_MAPS, child).await;
    ask(&server, "DELETE", &format!("{CONFIG_MAPS}/one"), Value::Null).await;
    let kept = get(&server, &format!("{CONFIG_MAPS}/child")).await.body;
    assert_eq!(
        kept["metadata"]["ownerReferences"],
        json!([reference(&two)]),
        "the dangling reference is taken off"
    );
    ask(&server, "DELETE", &format!("{CONFIG_MAPS}/two"), Value::Null).await;
    assert!(!exists(&server, "child").await);
}

#[tokio::test]
async fn foreground_waits_for_dependents() {
    let server = server();
    let owner = create(&server, CONFIG_MAPS, config_map("owner")).await;
    let mut child = owned_by(&owner, "child");
    child["metadata"]["finalizers"] = json!(["x.io/hold"]);
    create(&server, CONFIG_MAPS, child).await;
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let params =
        DeleteParams { propagation_policy: Some(PropagationPolicy::Foreground), ..Default::default() };
    let waiting = maps.delete("owner", &params).await.unwrap().left().unwrap();
    assert_eq!(waiting.metadata.finalizers, Some(vec!["foregroundDeletion".to_string()]));
    let mut held = get(&server, &format!("{CONFIG_MAPS}/child")).await.body;
    assert!(
        held["metadata"]["deletionTimestamp"].is_string(),
        "the dependent is deleted, its finalizer holds it"
    );
    assert!(exists(&server, "owner").await);
    held["metadata"]["finalizers"] = json!([]);
    ask(&server, "PUT", &format!("{CONFIG_MAPS}/child"), held).await;
    assert!(!exists(&server, "child").await && !exists(&server, "owner").await);
}

#[tokio::test]
async fn orphans_stay() {
    let server = server();
    let owner = create(&server, CONFIG_MAPS, config_map("owner")).await;
    create(&server, CONFIG_MAPS, owned_by(&owner, "child")).await;
    ask(&server, "DELETE", &format!("{CONFIG_MAPS}/owner"), json!({"propagationPolicy": "Orphan"})).await;
    assert!(!exists(&server, "owner").await);
    let child = get(&server, &format!("{CONFIG_MAPS}/child")).await.body;
    assert_eq!(child["metadata"]["ownerReferences"], Value::Null);
}

#[tokio::test]
async fn delete_options_are_checked() {
    let server = server();
    create(&server, CONFIG_MAPS, config_map("a")).await;
    let path = format!("{CONFIG_MAPS}/a");
    let both =
        ask(&server, "DELETE", &path, json!({"propagationPolicy": "Orphan", "orphanDependents": true})).await;
    assert_eq!((both.code, both.body["details"]["kind"].as_str()), (422, Some("DeleteOptions")));
    let unknown = ask(&server, "DELETE", &path, json!({"propagationPolicy": "Later"})).await;
    assert!(unknown.message().contains("Unsupported value: \"Later\""), "{}", unknown.message());
    assert_eq!(
        ask(&server, "DELETE", &format!("{path}?propagationPolicy=Nope"), Value::Null).await.code,
        422
    );
}

#[tokio::test]
async fn collections_are_deleted_by_selector() {
    let server = server();
    for name in ["a", "b", "c"] {
        let mut object = config_map(name);
        object["metadata"]["labels"] = json!({"keep": (name == "b").to_string()});
        create(&server, CONFIG_MAPS, object).await;
    }
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let params = ListParams::default().labels("keep=false");
    let deleted = maps.delete_collection(&DeleteParams::default(), &params).await.unwrap();
    assert_eq!(deleted.left().unwrap().items.len(), 2);
    assert!(exists(&server, "b").await && !exists(&server, "a").await);
}

#[tokio::test]
async fn a_namespace_takes_its_content_along() {
    let server = server();
    create(&server, "/api/v1/namespaces", json!({"metadata": {"name": "team"}})).await;
    let maps = "/api/v1/namespaces/team/configmaps";
    let mut held = config_map("held");
    held["metadata"]["finalizers"] = json!(["x.io/hold"]);
    create(&server, maps, held).await;
    create(&server, maps, config_map("free")).await;
    let answer = ask(&server, "DELETE", "/api/v1/namespaces/team", Value::Null).await;
    assert_eq!((answer.code, &answer.body["status"]["phase"]), (200, &json!("Terminating")));
    assert_eq!(get(&server, &format!("{maps}/free")).await.code, 404);
    let refused = ask(&server, "POST", maps, config_map("late")).await;
    assert_eq!(refused.code, 403);
    assert_eq!(
        refused.message(),
        "configmaps \"late\" is forbidden: unable to create new content in namespace team because it is being terminated"
    );
    assert_eq!(refused.body["details"]["causes"][0]["reason"], "NamespaceTerminating");
    let mut held = get(&server, &format!("{maps}/held")).await.body;
    held["metadata"]["finalizers"] = Value::Null;
    ask(&server, "PUT", &format!("{maps}/held"), held).await;
    assert_eq!(get(&server, "/api/v1/namespaces/team").await.code, 404, "empty now, so gone");
    let stays = ask(&server, "DELETE", "/api/v1/namespaces/default", Value::Null).await;
    assert_eq!(stays.message(), "namespaces \"default\" is forbidden: this namespace may not be deleted");
}

#[tokio::test]
async fn nothing_is_written_in_all_namespaces_at_once() {
    let server = server();
    ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    let all = "/api/v1/configmaps";
    let answer = ask(&server, "DELETE", all, Value::Null).await;
    let text = "deletecollection is not supported on resources of kind \"configmaps\"";
    assert_eq!((answer.code, answer.message()), (405, text));
    assert_eq!(ask(&server, "POST", all, config_map("b")).await.code, 405);
    assert_eq!(get(&server, all).await.body["items"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_is_left_in_a_namespace_that_is_gone() {
    let server = server();
    for round in 0..100 {
        let namespace = format!("n{round}");
        ask(&server, "POST", "/api/v1/namespaces", json!({"metadata": {"name": namespace}})).await;
        let content = format!("/api/v1/namespaces/{namespace}/configmaps");
        let creating = (0..6).map(|at| {
            let (server, content) = (server.clone(), content.clone());
            tokio::spawn(
                async move { ask(&server, "POST", &content, config_map(&format!("m{at}"))).await.code },
            )
        });
        let creating = futures_util::future::join_all(creating);
        let path = format!("/api/v1/namespaces/{namespace}");
        let (codes, _) = tokio::join!(creating, ask(&server, "DELETE", &path, Value::Null));
        let codes: Vec<u16> = codes.into_iter().map(Result::unwrap).collect();
        assert!(codes.iter().all(|code| matches!(code, 201 | 403 | 404)), "{codes:?}");
        assert_eq!(get(&server, &path).await.code, 404, "{codes:?}");
        assert_eq!(get(&server, &content).await.body["items"], json!([]), "{codes:?}");
    }
}

#[tokio::test]
async fn a_child_that_comes_too_late_goes_with_its_owner() {
    let server = server();
    let child = |name: &str, uid: &Value| {
        let mut map = config_map(name);
        map["metadata"]["ownerReferences"] =
            json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}]);
        map
    };
    let owner = ask(&server, "POST", CONFIG_MAPS, config_map("owner")).await.body;
    ask(&server, "DELETE", &format!("{CONFIG_MAPS}/owner"), Value::Null).await;
    assert_eq!(ask(&server, "POST", CONFIG_MAPS, child("late", &owner["metadata"]["uid"])).await.code, 201);
    assert_eq!(get(&server, &format!("{CONFIG_MAPS}/late")).await.code, 404);
    assert_eq!(ask(&server, "POST", CONFIG_MAPS, child("foundling", &json!("never"))).await.code, 201);
    assert_eq!(get(&server, &format!("{CONFIG_MAPS}/foundling")).await.code, 200, "its owner never was");
    let again = ask(&server, "POST", CONFIG_MAPS, config_map("owner")).await.body;
    assert_eq!(ask(&server, "POST", CONFIG_MAPS, child("heir", &again["metadata"]["uid"])).await.code, 201);
    assert_eq!(get(&server, &format!("{CONFIG_MAPS}/heir")).await.code, 200);
    ask(&server, "POST", CONFIG_MAPS, child("stranger", &owner["metadata"]["uid"])).await;
    assert_eq!(
        get(&server, &format!("{CONFIG_MAPS}/stranger")).await.code,
        404,
        "another object has that name"
    );
}
