//! Create, read, replace: identity, conflicts, versions, dry run.

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::{Api, api::PostParams};
use kubemerge_server::ApiServer;
use serde_json::{Value, json};

use crate::server::support::*;

#[tokio::test]
async fn a_new_object_gets_its_identity() {
    let server = server();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let created =
        maps.create(&PostParams::default(), &serde_json::from_value(config_map("a")).unwrap()).await.unwrap();
    assert!(created.metadata.uid.is_some() && created.metadata.resource_version.is_some());
    assert_eq!(created.metadata.creation_timestamp.as_ref().unwrap().0.to_string(), "2026-01-01T00:00:00Z");
    assert_eq!(created.metadata.namespace.as_deref(), Some("default"));
    assert_eq!(maps.get("a").await.unwrap(), created);
}

#[tokio::test]
async fn an_object_that_does_not_exist_is_not_found() {
    let maps: Api<ConfigMap> = Api::default_namespaced(server().client());
    let missing = status(maps.get("nope").await);
    assert_eq!((missing.code, missing.reason.as_str()), (404, "NotFound"));
    assert_eq!(missing.message, "configmaps \"nope\" not found");
}

#[tokio::test]
async fn a_stored_object_cannot_be_created_again() {
    let maps: Api<ConfigMap> = Api::default_namespaced(server().client());
    let object = serde_json::from_value(config_map("a")).unwrap();
    let created = maps.create(&PostParams::default(), &object).await.unwrap();
    let again = status(maps.create(&PostParams::default(), &created).await);
    assert_eq!((again.code, again.reason.as_str()), (500, ""));
    assert_eq!(again.message, "resourceVersion should not be set on objects to be created");
    maps.delete("a", &kube::api::DeleteParams::default()).await.unwrap();
    let dry_run = PostParams { dry_run: true, ..PostParams::default() };
    let shown = maps.create(&dry_run, &created).await.unwrap();
    assert_eq!(
        shown.metadata.resource_version, created.metadata.resource_version,
        "a dry run does not come that far"
    );
}

#[tokio::test]
async fn names_exist_once() {
    let server = server();
    assert_eq!(ask(&server, "POST", CONFIG_MAPS, config_map("a")).await.code, 201);
    let again = ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    assert_eq!((again.code, again.body["reason"].as_str()), (409, Some("AlreadyExists")));
    assert_eq!(again.message(), "configmaps \"a\" already exists");
    assert_eq!(again.body["details"], json!({"name": "a", "kind": "configmaps"}));
}

#[tokio::test]
async fn names_are_generated() {
    let server = server();
    let object = json!({"metadata": {"generateName": "job-"}});
    let answer = ask(&server, "POST", CONFIG_MAPS, object.clone()).await;
    let name = answer.body["metadata"]["name"].as_str().unwrap();
    assert!(name.starts_with("job-") && name.len() == 9, "{name}");
    let other = ask(&server, "POST", CONFIG_MAPS, object).await;
    assert_ne!(answer.body["metadata"]["name"], other.body["metadata"]["name"]);
    let neither = ask(&server, "POST", CONFIG_MAPS, json!({"metadata": {}})).await;
    assert_eq!(neither.code, 422);
    assert_eq!(
        neither.message(),
        "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required"
    );
}

#[tokio::test]
async fn invalid_names_are_refused() {
    let bad = ask(&server(), "POST", CONFIG_MAPS, json!({"metadata": {"name": "Bad_Name!"}})).await;
    assert_eq!((bad.code, bad.body["reason"].as_str()), (422, Some("Invalid")));
    assert_eq!(bad.body["details"]["causes"][0]["field"], "metadata.name");
}

#[tokio::test]
async fn another_namespace_than_that_of_the_path_is_refused() {
    let object = json!({"metadata": {"name": "a", "namespace": "other"}});
    let foreign = ask(&server(), "POST", CONFIG_MAPS, object).await;
    assert_eq!(foreign.code, 400);
    assert_eq!(
        foreign.message(),
        "the namespace of the provided object does not match the namespace sent on the request"
    );
}

#[tokio::test]
async fn nothing_is_created_in_a_namespace_that_does_not_exist() {
    let nowhere = ask(&server(), "POST", "/api/v1/namespaces/none/configmaps", config_map("a")).await;
    assert_eq!((nowhere.code, nowhere.message()), (404, "namespaces \"none\" not found"));
}

#[tokio::test]
async fn another_api_version_is_refused() {
    let object = json!({"apiVersion": "v2", "metadata": {"name": "a"}});
    assert_eq!(
        ask(&server(), "POST", CONFIG_MAPS, object).await.message(),
        "ConfigMap in version \"v2\" cannot be handled as a ConfigMap: no kind \"ConfigMap\" is registered for version \
         \"v2\" in scheme \"pkg/runtime/scheme.go:111\""
    );
    let older = json!({"apiVersion": "apps/v1beta1", "kind": "Deployment", "metadata": {"name": "a"}});
    assert_eq!(
        ask(&server(), "POST", DEPLOYMENTS, older).await.message(),
        "the API version in the data (apps/v1beta1) does not match the expected API version (apps/v1)"
    );
}

#[tokio::test]
async fn values_of_the_wrong_type_are_refused() {
    let object = json!({"metadata": {"name": "p"}, "spec": {"containers": "no list"}});
    let list = ask(&server(), "POST", PODS, object).await;
    assert_eq!(list.code, 400, "{list:?}");
    assert!(
        list.message()
            .starts_with("Pod in version \"v1\" cannot be handled as a Pod: json: cannot unmarshal string")
    );
}

#[tokio::test]
async fn bodies_that_are_no_objects_are_refused() {
    assert_eq!(ask(&server(), "POST", CONFIG_MAPS, json!("text")).await.code, 400);
}

#[tokio::test]
async fn namespaces_can_be_made_on_demand() {
    let server = kubemerge_server::ApiServer::builder().create_namespaces().build().unwrap();
    assert_eq!(ask(&server, "POST", "/api/v1/namespaces/fresh/configmaps", config_map("a")).await.code, 201);
    assert_eq!(get(&server, "/api/v1/namespaces/fresh").await.body["status"]["phase"], "Active");
}

#[tokio::test]
async fn namespaces_are_objects_too() {
    let server = server();
    let namespaces: Api<Namespace> = Api::all(server.client());
    let wanted = serde_json::from_value(json!({"metadata": {"name": "team"}})).unwrap();
    let created = namespaces.create(&PostParams::default(), &wanted).await.unwrap();
    assert_eq!(created.spec.unwrap().finalizers, Some(vec!["kubernetes".to_string()]));
    assert_eq!(created.metadata.labels.unwrap()["kubernetes.io/metadata.name"], "team");
    let names: Vec<String> = namespaces
        .list(&Default::default())
        .await
        .unwrap()
        .into_iter()
        .map(|one| one.metadata.name.unwrap())
        .collect();
    assert_eq!(names, ["default", "kube-node-lease", "kube-public", "kube-system", "team"]);
}

/// Replaces the data of a new ConfigMap `a`; answers the object that was sent and the answer.
async fn replaced(server: &ApiServer) -> (Value, Answer) {
    let mut newer = ask(server, "POST", CONFIG_MAPS, config_map("a")).await.body;
    newer["data"]["a"] = json!("2");
    let answer = ask(server, "PUT", &format!("{CONFIG_MAPS}/a"), newer.clone()).await;
    (newer, answer)
}

#[tokio::test]
async fn a_replaced_object_keeps_its_uid() {
    let (sent, replaced) = replaced(&server()).await;
    assert_eq!(replaced.code, 200);
    assert_eq!(replaced.body["metadata"]["uid"], sent["metadata"]["uid"]);
}

#[tokio::test]
async fn replacing_an_older_version_is_a_conflict() {
    let server = server();
    let (sent, _) = replaced(&server).await;
    let stale = ask(&server, "PUT", &format!("{CONFIG_MAPS}/a"), sent).await;
    assert_eq!((stale.code, stale.body["reason"].as_str()), (409, Some("Conflict")));
    assert_eq!(
        stale.message(),
        "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your changes \
         to the latest version and try again"
    );
}

#[tokio::test]
async fn replacing_another_uid_is_a_conflict() {
    let server = server();
    let (mut sent, _) = replaced(&server).await;
    sent["metadata"]["resourceVersion"] = Value::Null;
    sent["metadata"]["uid"] = json!("11111111-1111-4111-8111-111111111111");
    let other = ask(&server, "PUT", &format!("{CONFIG_MAPS}/a"), sent).await;
    assert_eq!(other.code, 409);
    assert!(
        other.message().contains("Precondition failed: UID in precondition: 11111111"),
        "{}",
        other.message()
    );
}

#[tokio::test]
async fn an_object_without_version_replaces_unconditionally() {
    let server = server();
    let (mut sent, _) = replaced(&server).await;
    sent["metadata"]["resourceVersion"] = Value::Null;
    sent["metadata"]["uid"] = Value::Null;
    assert_eq!(ask(&server, "PUT", &format!("{CONFIG_MAPS}/a"), sent).await.code, 200);
}

#[tokio::test]
async fn an_object_cannot_be_renamed() {
    let server = server();
    let (mut sent, _) = replaced(&server).await;
    sent["metadata"]["name"] = json!("b");
    let renamed = ask(&server, "PUT", &format!("{CONFIG_MAPS}/a"), sent).await;
    assert_eq!(renamed.message(), "the name of the object (b) does not match the name on the URL (a)");
}

#[tokio::test]
async fn some_kinds_are_created_by_put_and_some_never_updated_blindly() {
    let server = server();
    let lease = json!({"metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}});
    let path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
    assert_eq!(ask(&server, "PUT", path, lease.clone()).await.code, 201);
    let blind = ask(&server, "PUT", path, lease).await;
    assert_eq!(blind.code, 422);
    assert!(
        blind
            .message()
            .ends_with("metadata.resourceVersion: Invalid value: 0: must be specified for an update")
    );
    assert_eq!(ask(&server, "PUT", &format!("{CONFIG_MAPS}/a"), config_map("a")).await.code, 404);
}

#[tokio::test]
async fn a_write_without_change_keeps_the_version() {
    let server = server();
    let created = ask(&server, "POST", CONFIG_MAPS, config_map("a")).await.body;
    let revision = server.revision();
    let again = ask(&server, "PUT", &format!("{CONFIG_MAPS}/a"), created.clone()).await;
    assert_eq!((again.code, &again.body), (200, &created));
    assert_eq!(server.revision(), revision);
}

/// The generation of a new Deployment after one change of it, sent to a subresource or to the object itself.
async fn generation_after(subresource: &str, change: impl Fn(&mut Value)) -> Value {
    let server = server();
    let mut object = ask(&server, "POST", DEPLOYMENTS, deployment("web")).await.body;
    assert_eq!(object["metadata"]["generation"], 1);
    change(&mut object);
    let changed = ask(&server, "PUT", &format!("{DEPLOYMENTS}/web{subresource}"), object).await;
    assert_eq!(changed.code, 200);
    changed.body["metadata"]["generation"].clone()
}

#[tokio::test]
async fn a_change_of_labels_does_not_count_as_a_generation() {
    assert_eq!(generation_after("", |object| object["metadata"]["labels"] = json!({"a": "b"})).await, 1);
}

#[tokio::test]
async fn a_change_of_annotations_counts_for_a_deployment() {
    assert_eq!(generation_after("", |object| object["metadata"]["annotations"] = json!({"a": "b"})).await, 2);
}

#[tokio::test]
async fn a_change_of_the_spec_counts_as_a_generation() {
    assert_eq!(generation_after("", |object| object["spec"]["replicas"] = json!(3)).await, 2);
}

#[tokio::test]
async fn a_change_of_the_status_does_not_count_as_a_generation() {
    assert_eq!(generation_after("/status", |object| object["status"] = json!({"replicas": 3})).await, 1);
}

#[tokio::test]
async fn kinds_without_a_spec_have_no_generation() {
    let created = ask(&server(), "POST", CONFIG_MAPS, config_map("c")).await.body;
    assert_eq!(created["metadata"]["generation"], Value::Null);
}

#[tokio::test]
async fn status_and_spec_are_apart() {
    let server = server();
    let mut wanted = deployment("web");
    wanted["status"] = json!({"replicas": 7});
    let mut object = ask(&server, "POST", DEPLOYMENTS, wanted).await.body;
    assert_eq!(object["status"], json!({}), "dropped on create");
    let path = format!("{DEPLOYMENTS}/web");
    object["status"] = json!({"replicas": 7});
    object = ask(&server, "PUT", &path, object).await.body;
    assert_eq!(object["status"], json!({}), "kept from the old object");
    object["status"] = json!({"replicas": 2});
    object["spec"]["replicas"] = json!(9);
    object["metadata"]["labels"] = json!({"x": "y"});
    let after = ask(&server, "PUT", &format!("{path}/status"), object).await.body;
    assert_eq!((&after["status"]["replicas"], &after["spec"]["replicas"]), (&json!(2), &json!(1)));
    assert_eq!(after["metadata"]["labels"], Value::Null);
    assert_eq!(get(&server, &format!("{path}/status")).await.body, after);
}

#[tokio::test]
async fn an_object_may_be_called_status() {
    let server = server();
    ask(&server, "POST", CONFIG_MAPS, config_map("status")).await;
    assert_eq!(get(&server, &format!("{CONFIG_MAPS}/status")).await.body["kind"], "ConfigMap");
    assert_eq!(get(&server, &format!("{CONFIG_MAPS}/status/status")).await.code, 404);
}

#[tokio::test]
async fn a_dry_run_of_a_create_stores_nothing() {
    let server = server();
    let revision = server.revision();
    let dry = ask(&server, "POST", &format!("{CONFIG_MAPS}?dryRun=All"), config_map("a")).await;
    assert_eq!(dry.code, 201);
    assert!(dry.body["metadata"]["uid"].is_string() && dry.body["metadata"]["resourceVersion"].is_null());
    assert_eq!((get(&server, &format!("{CONFIG_MAPS}/a")).await.code, server.revision()), (404, revision));
}

#[tokio::test]
async fn a_dry_run_of_a_create_finds_the_existing_object() {
    let server = server();
    ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    let exists = ask(&server, "POST", &format!("{CONFIG_MAPS}?dryRun=All"), config_map("a")).await;
    assert_eq!(exists.code, 409);
}

#[tokio::test]
async fn a_dry_run_of_an_update_stores_nothing() {
    let server = server();
    ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    let mut changed = config_map("a");
    changed["data"]["a"] = json!("9");
    let dry = ask(&server, "PUT", &format!("{CONFIG_MAPS}/a?dryRun=All"), changed).await;
    assert_eq!(dry.body["data"]["a"], "9");
    let kept = get(&server, &format!("{CONFIG_MAPS}/a")).await.body;
    assert_eq!(
        (&kept["data"]["a"], &kept["metadata"]["resourceVersion"]),
        (&json!("1"), &dry.body["metadata"]["resourceVersion"])
    );
}

#[tokio::test]
async fn a_dry_run_of_a_delete_removes_nothing() {
    let server = server();
    ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    let deleted = ask(&server, "DELETE", &format!("{CONFIG_MAPS}/a?dryRun=All"), Value::Null).await;
    assert_eq!((deleted.code, get(&server, &format!("{CONFIG_MAPS}/a")).await.code), (200, 200));
}

#[tokio::test]
async fn an_unknown_dry_run_is_refused() {
    let bad = ask(&server(), "POST", &format!("{CONFIG_MAPS}?dryRun=Some"), config_map("b")).await;
    assert_eq!((bad.code, bad.body["details"]["kind"].as_str()), (422, Some("CreateOptions")));
}

#[tokio::test]
async fn leaving_out_defaults_is_no_change() {
    let server = server();
    let created = ask(&server, "POST", DEPLOYMENTS, deployment("w")).await.body;
    let path = format!("{DEPLOYMENTS}/w");
    let replaced = ask(&server, "PUT", &path, deployment("w")).await;
    assert_eq!(
        (replaced.code, &replaced.body),
        (200, &created),
        "the replicas that were filled in are the same"
    );
    let mut scaled = deployment("w");
    scaled["spec"]["replicas"] = json!(2);
    let scaled = ask(&server, "PUT", &path, scaled).await.body;
    assert_eq!((&scaled["metadata"]["generation"], &scaled["spec"]["replicas"]), (&json!(2), &json!(2)));
}

#[tokio::test]
async fn the_defaults_that_a_fixture_lacks_are_no_change_of_its_generation() {
    let server = ApiServer::builder().deterministic().objects([deployment("w")]).build().unwrap();
    let patch = json!({"metadata": {"labels": {"a": "b"}}});
    let header = ("content-type", "application/merge-patch+json");
    let patched = ask_as(&server, "PATCH", &format!("{DEPLOYMENTS}/w"), header, patch).await.body;
    assert_eq!(patched["metadata"]["generation"], json!(1));
    assert_eq!(patched["spec"]["revisionHistoryLimit"], json!(10));
}
