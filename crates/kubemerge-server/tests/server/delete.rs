//! Deletion: answers, preconditions, finalizers, grace, dependents, namespaces.

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::{
    Api,
    api::{DeleteParams, ListParams, Preconditions, PropagationPolicy},
};
use kubemerge_server::ApiServer;
use serde_json::{Value, json};

use crate::server::support::*;

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

/// A ConfigMap `a` with a finalizer that was deleted; answers its state.
async fn held(server: &ApiServer) -> Value {
    let mut object = config_map("a");
    object["metadata"]["finalizers"] = json!(["x.io/hold"]);
    create(server, CONFIG_MAPS, object).await;
    let marked = ask(server, "DELETE", &format!("{CONFIG_MAPS}/a"), Value::Null).await;
    assert_eq!(marked.code, 200);
    marked.body
}

#[tokio::test]
async fn an_object_with_a_finalizer_is_marked() {
    let marked = held(&server()).await;
    assert_eq!(marked["metadata"]["deletionTimestamp"], "2026-01-01T00:00:00Z");
    assert_eq!(marked["metadata"]["deletionGracePeriodSeconds"], 0);
}

#[tokio::test]
async fn deleting_a_marked_object_again_changes_nothing() {
    let server = server();
    held(&server).await;
    let revision = server.revision();
    assert_eq!(ask(&server, "DELETE", &format!("{CONFIG_MAPS}/a"), Value::Null).await.code, 200);
    assert_eq!(server.revision(), revision);
}

#[tokio::test]
async fn the_name_of_a_marked_object_is_taken() {
    let server = server();
    held(&server).await;
    let taken = ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    assert_eq!(taken.message(), "object is being deleted: configmaps \"a\" already exists");
}

#[tokio::test]
async fn a_marked_object_gets_no_new_finalizers() {
    let server = server();
    let mut more = held(&server).await;
    more["metadata"]["finalizers"] = json!(["x.io/hold", "x.io/more"]);
    let refused = ask(&server, "PUT", &format!("{CONFIG_MAPS}/a"), more).await;
    assert_eq!(refused.code, 422);
    assert!(refused.message().contains("no new finalizers can be added if the object is being deleted"));
}

#[tokio::test]
async fn an_object_is_removed_with_its_last_finalizer() {
    let server = server();
    let mut released = held(&server).await;
    released["metadata"]["finalizers"] = json!([]);
    let last = ask(&server, "PUT", &format!("{CONFIG_MAPS}/a"), released).await;
    assert_eq!(last.code, 200);
    assert!(!exists(&server, "a").await);
}

/// A pod `p` on a node that was deleted; answers its state.
async fn terminating_pod(server: &ApiServer) -> Value {
    let mut object = pod("p");
    object["spec"]["nodeName"] = json!("n1");
    create(server, PODS, object).await;
    ask(server, "DELETE", &format!("{PODS}/p"), Value::Null).await.body
}

#[tokio::test]
async fn a_pod_on_a_node_gets_its_grace_period() {
    let marked = terminating_pod(&server()).await;
    assert_eq!(marked["metadata"]["deletionGracePeriodSeconds"], 30);
    assert_eq!(marked["metadata"]["deletionTimestamp"], "2026-01-01T00:00:30Z");
    assert_eq!(marked["metadata"]["generation"], 2);
}

#[tokio::test]
async fn a_grace_period_can_be_shortened_only() {
    let server = server();
    terminating_pod(&server).await;
    let path = format!("{PODS}/p");
    let shorter = ask(&server, "DELETE", &path, json!({"gracePeriodSeconds": 5})).await.body;
    assert_eq!(shorter["metadata"]["deletionGracePeriodSeconds"], 5);
    ask(&server, "DELETE", &path, json!({"gracePeriodSeconds": 60})).await;
    assert_eq!(get(&server, &path).await.body["metadata"]["deletionGracePeriodSeconds"], 5);
}

#[tokio::test]
async fn a_terminating_pod_is_removed_without_grace_period() {
    let server = server();
    terminating_pod(&server).await;
    let path = format!("{PODS}/p");
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

const TEAM_MAPS: &str = "/api/v1/namespaces/team/configmaps";

/// A namespace `team` with the ConfigMaps `free` and `held`, which has a finalizer, after its deletion; answers the
/// answer to that.
async fn deleted_namespace(server: &ApiServer) -> Answer {
    create(server, "/api/v1/namespaces", json!({"metadata": {"name": "team"}})).await;
    let mut held = config_map("held");
    held["metadata"]["finalizers"] = json!(["x.io/hold"]);
    create(server, TEAM_MAPS, held).await;
    create(server, TEAM_MAPS, config_map("free")).await;
    ask(server, "DELETE", "/api/v1/namespaces/team", Value::Null).await
}

#[tokio::test]
async fn a_deleted_namespace_is_terminating() {
    let answer = deleted_namespace(&server()).await;
    assert_eq!((answer.code, &answer.body["status"]["phase"]), (200, &json!("Terminating")));
}

#[tokio::test]
async fn the_content_of_a_deleted_namespace_is_deleted() {
    let server = server();
    deleted_namespace(&server).await;
    assert_eq!(get(&server, &format!("{TEAM_MAPS}/free")).await.code, 404);
}

#[tokio::test]
async fn nothing_is_created_in_a_terminating_namespace() {
    let server = server();
    deleted_namespace(&server).await;
    let refused = ask(&server, "POST", TEAM_MAPS, config_map("late")).await;
    assert_eq!(refused.code, 403);
    assert_eq!(
        refused.message(),
        "configmaps \"late\" is forbidden: unable to create new content in namespace team because it is being terminated"
    );
    assert_eq!(refused.body["details"]["causes"][0]["reason"], "NamespaceTerminating");
}

#[tokio::test]
async fn a_terminating_namespace_is_removed_when_it_is_empty() {
    let server = server();
    deleted_namespace(&server).await;
    let mut held = get(&server, &format!("{TEAM_MAPS}/held")).await.body;
    held["metadata"]["finalizers"] = Value::Null;
    ask(&server, "PUT", &format!("{TEAM_MAPS}/held"), held).await;
    assert_eq!(get(&server, "/api/v1/namespaces/team").await.code, 404);
}

#[tokio::test]
async fn the_default_namespace_cannot_be_deleted() {
    let stays = ask(&server(), "DELETE", "/api/v1/namespaces/default", Value::Null).await;
    assert_eq!(stays.message(), "namespaces \"default\" is forbidden: this namespace may not be deleted");
}

#[tokio::test]
async fn nothing_is_written_in_all_namespaces_at_once() {
    let server = server();
    ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    let all = "/api/v1/configmaps";
    let answer = ask(&server, "DELETE", all, Value::Null).await;
    let text = "the server does not allow this method on the requested resource";
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

/// A ConfigMap that is owned by the ConfigMap `owner` with this uid.
fn child_of(uid: &Value) -> Value {
    let mut map = config_map("child");
    map["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}]);
    map
}

/// The uid of a ConfigMap `owner` that was created and deleted.
async fn deleted_owner(server: &ApiServer) -> Value {
    let owner = ask(server, "POST", CONFIG_MAPS, config_map("owner")).await.body;
    ask(server, "DELETE", &format!("{CONFIG_MAPS}/owner"), Value::Null).await;
    owner["metadata"]["uid"].clone()
}

#[tokio::test]
async fn a_new_dependent_of_a_deleted_owner_is_collected() {
    let server = server();
    let uid = deleted_owner(&server).await;
    assert_eq!(ask(&server, "POST", CONFIG_MAPS, child_of(&uid)).await.code, 201);
    assert!(!exists(&server, "child").await);
}

#[tokio::test]
async fn a_new_dependent_of_an_owner_that_never_existed_is_kept() {
    let server = server();
    assert_eq!(ask(&server, "POST", CONFIG_MAPS, child_of(&json!("never"))).await.code, 201);
    assert!(exists(&server, "child").await);
}

#[tokio::test]
async fn a_new_dependent_of_an_existing_owner_is_kept() {
    let server = server();
    deleted_owner(&server).await;
    let again = ask(&server, "POST", CONFIG_MAPS, config_map("owner")).await.body;
    assert_eq!(ask(&server, "POST", CONFIG_MAPS, child_of(&again["metadata"]["uid"])).await.code, 201);
    assert!(exists(&server, "child").await);
}

#[tokio::test]
async fn another_object_with_the_name_of_the_owner_does_not_keep_a_dependent() {
    let server = server();
    let uid = deleted_owner(&server).await;
    ask(&server, "POST", CONFIG_MAPS, config_map("owner")).await;
    ask(&server, "POST", CONFIG_MAPS, child_of(&uid)).await;
    assert!(!exists(&server, "child").await);
}
