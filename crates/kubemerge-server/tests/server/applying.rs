//! Server-side apply and field ownership through HTTP. The codes and texts are those of kube-apiserver 1.37.1.

use serde_json::{Value, json};

use crate::server::support::{Answer, CONFIG_MAPS, PODS, ask, ask_as, config_map, get, pod, server};
use kubemerge_server::{ApiServer, ManagedFieldsView};

const APPLY: (&str, &str) = ("content-type", "application/apply-patch+yaml");
const MERGE: (&str, &str) = ("content-type", "application/merge-patch+json");

async fn apply(server: &ApiServer, path: &str, config: Value) -> Answer {
    ask_as(server, "PATCH", path, APPLY, config).await
}

/// Managers with operation, subresource and fields, in order.
fn owners(object: &Value) -> Vec<String> {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    entries
        .map(|entry| {
            let subresource =
                entry["subresource"].as_str().map(|name| format!("/{name}")).unwrap_or_default();
            let text = |name: &str| entry[name].as_str().unwrap_or_default();
            format!("{} {}{subresource} {}", text("manager"), text("operation"), entry["fieldsV1"])
        })
        .collect()
}

fn named(config: &Value, data: Value) -> Value {
    let mut config = config.clone();
    config["data"] = data;
    config
}

/// The ConfigMap `a` for a manager.
fn map_of(manager: &str) -> String {
    format!("{CONFIG_MAPS}/a?fieldManager={manager}")
}

/// A server with the ConfigMap `a`, which manager `m` has applied.
async fn with_applied_map() -> (ApiServer, Answer) {
    let server = server();
    let created = apply(&server, &map_of("m"), config_map("a")).await;
    (server, created)
}

#[tokio::test]
async fn an_apply_creates_an_object_and_owns_its_fields() {
    let (_, created) = with_applied_map().await;
    assert_eq!(created.code, 201, "{:?}", created.body);
    assert_eq!(owners(&created.body), [r#"m Apply {"f:data":{"f:a":{}}}"#]);
}

/// Kubernetes stores some new objects without a part that it fills in whenever it reads them: the phase of a claim,
/// the generated labels of a Job, defaults in the status of a custom resource. The first apply that changes nothing
/// stores that part and gives a new resourceVersion, with an object that is otherwise the same.
#[tokio::test]
async fn what_reading_fills_in_is_stored_by_the_next_write() {
    const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";
    const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";
    let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "a"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}});
    let job = |metadata: Value| {
        json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"template": {
            "metadata": metadata,
            "spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}}}})
    };
    let schema = json!({"type": "object", "properties": {
        "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "status": {"type": "object", "default": {"phase": "New"}, "x-kubernetes-preserve-unknown-fields": true}}});
    let definition = |subresources: Value| {
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "foxes.example.com"},
            "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "foxes", "kind": "Fox"},
                "versions": [{"name": "v1", "served": true, "storage": true, "subresources": subresources,
                    "schema": {"openAPIV3Schema": schema}}]}})
    };
    let fox =
        json!({"apiVersion": "example.com/v1", "kind": "Fox", "metadata": {"name": "a"}, "spec": {"a": 1}});
    let (foxes, plain) = ("/apis/example.com/v1/namespaces/default/foxes", json!({}));
    let writes = [
        (CLAIMS, claim, &plain, true),
        (JOBS, job(json!({})), &plain, true),
        (JOBS, job(json!({"labels": {}})), &plain, false),
        (JOBS, job(json!({"labels": {"app": "a"}})), &plain, false),
        (CONFIG_MAPS, config_map("a"), &plain, false),
        (foxes, fox.clone(), &json!({"status": {}}), true),
        (foxes, fox, &plain, false),
    ];
    for (path, config, subresources, is_written_again) in writes {
        let server = server();
        let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        ask(&server, "POST", definitions, definition(subresources.clone())).await;
        let path = format!("{path}/a?fieldManager=m");
        let first = apply(&server, &path, config.clone()).await;
        let again = apply(&server, &path, config.clone()).await;
        let third = apply(&server, &path, config).await;
        let version = |answer: &Answer| answer.body["metadata"]["resourceVersion"].clone();
        assert_eq!((first.code, again.code), (201, 200), "{:?}", first.body);
        assert_eq!(version(&first) != version(&again), is_written_again, "{path}");
        assert_eq!(again.body, third.body);
    }
}

#[tokio::test]
async fn the_same_configuration_again_stores_nothing() {
    let (server, created) = with_applied_map().await;
    let again = apply(&server, &map_of("m"), config_map("a")).await;
    assert_eq!((again.code, &again.body), (200, &created.body));
}

#[tokio::test]
async fn a_conflict_names_manager_and_field() {
    let (server, _) = with_applied_map().await;
    let refused = apply(&server, &map_of("n"), named(&config_map("a"), json!({"a": "2"}))).await;
    assert_eq!(
        (refused.code, refused.message()),
        (409, r#"Apply failed with 1 conflict: conflict with "m": .data.a"#)
    );
    let cause = json!({"causes": [{"reason": "FieldManagerConflict", "message": "conflict with \"m\"", "field": ".data.a"}]});
    assert_eq!(refused.body["details"], cause);
}

#[tokio::test]
async fn a_conflict_changes_nothing() {
    let (server, created) = with_applied_map().await;
    apply(&server, &map_of("n"), named(&config_map("a"), json!({"a": "2"}))).await;
    assert_eq!(get(&server, &format!("{CONFIG_MAPS}/a")).await.body, created.body);
}

#[tokio::test]
async fn force_takes_fields_from_their_manager() {
    let (server, _) = with_applied_map().await;
    let other = named(&config_map("a"), json!({"a": "2"}));
    let forced = apply(&server, &format!("{}&force=true", map_of("n")), other).await;
    assert_eq!((forced.code, &forced.body["data"]), (200, &json!({"a": "2"})));
    assert_eq!(owners(&forced.body), [r#"n Apply {"f:data":{"f:a":{}}}"#]);
}

#[tokio::test]
async fn a_dry_run_stores_nothing() {
    let server = server();
    let path = format!("{CONFIG_MAPS}/a?fieldManager=m&dryRun=All");
    let created = apply(&server, &path, config_map("a")).await;
    assert_eq!((created.code, owners(&created.body).len()), (201, 1));
    assert_eq!(get(&server, &format!("{CONFIG_MAPS}/a")).await.code, 404);
}

#[tokio::test]
async fn refusals_have_the_codes_and_texts_of_kubernetes() {
    let server = server();
    let path = format!("{CONFIG_MAPS}/a?fieldManager=m");
    let config = |metadata: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
    let cases = [
        (
            format!("{CONFIG_MAPS}/a"),
            json!({}),
            422,
            r#"PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch"#,
        ),
        (path.clone(), Value::Null, 400, "invalid object type: /, Kind="),
        (
            path.clone(),
            json!([]),
            400,
            "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
        (path.clone(), json!({"apiVersion": "v1", "kind": "Pod"}), 400, "invalid object type: /v1, Kind=Pod"),
        (
            path.clone(),
            config(json!({})),
            400,
            "the name of the object (a based on URL) was undeterminable: name must be provided",
        ),
        (
            path.clone(),
            config(json!({"name": "b"})),
            400,
            "the name of the object (b) does not match the name on the URL (a)",
        ),
        (
            path.clone(),
            config(json!({"name": "a", "uid": "u"})),
            409,
            r#"Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid u, and no existing object was found"#,
        ),
        (
            path.clone(),
            config(json!({"name": "a", "namespace": "b"})),
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            path.clone(),
            config(json!({"name": "a", "managedFields": []})),
            400,
            "metadata.managedFields must be nil",
        ),
        (
            path.clone(),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "dato": {}}),
            500,
            "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .dato: field not declared in schema",
        ),
        (
            format!("{PODS}/a/status?fieldManager=m"),
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}),
            404,
            r#"pods "a" not found"#,
        ),
        (
            format!("{CONFIG_MAPS}/a?fieldManager=m%01"),
            json!({}),
            422,
            r#"PatchOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "m\x01": invalid character U+0001 (at position 1)"#,
        ),
    ];
    for (path, config, code, message) in cases {
        let refused = apply(&server, &path, config).await;
        assert_eq!((refused.code, refused.message()), (code, message));
    }
}

/// A configuration of ConfigMap `a` with this metadata.
fn with_metadata(metadata: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
}

#[tokio::test]
async fn a_configuration_of_an_older_version_conflicts() {
    let (server, _) = with_applied_map().await;
    let stale = with_metadata(json!({"name": "a", "resourceVersion": "1"}));
    let refused = apply(&server, &map_of("m"), stale).await;
    assert_eq!(refused.code, 409, "{}", refused.message());
}

#[tokio::test]
async fn a_configuration_of_another_uid_is_invalid() {
    let (server, _) = with_applied_map().await;
    let refused = apply(&server, &map_of("m"), with_metadata(json!({"name": "a", "uid": "q"}))).await;
    let text = r#"ConfigMap "a" is invalid: metadata.uid: Invalid value: "q": field is immutable"#;
    assert_eq!((refused.code, refused.message()), (422, text));
}

/// Applies a configuration that repeats a key.
async fn apply_repeated_key(query: &str) -> Answer {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: \"1\"\n  a: \"2\"\n";
    let request = http::Request::builder()
        .method("PATCH")
        .uri(format!("{}{query}", map_of("m")))
        .header(APPLY.0, APPLY.1);
    crate::server::support::send(&server(), request.body(text.into()).unwrap()).await
}

#[tokio::test]
async fn strict_validation_refuses_a_repeated_key() {
    let strict = apply_repeated_key("&fieldValidation=Strict").await;
    let message = "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key \"a\" \
                   already set in map";
    assert_eq!((strict.code, strict.message()), (400, message));
}

#[tokio::test]
async fn a_repeated_key_is_a_warning_by_default() {
    let warned = apply_repeated_key("").await;
    assert_eq!((warned.code, &warned.body["data"]), (201, &json!({"a": "2"})));
    assert_eq!(warned.warnings(), [r#""line 7: key \"a\" already set in map""#]);
}

#[tokio::test]
async fn a_client_without_a_manager_is_known_by_its_user_agent() {
    let agent = ("user-agent", "kubelet/v1.37.1 (linux/amd64)");
    let created = ask_as(&server(), "POST", PODS, agent, pod("a")).await;
    assert_eq!(created.code, 201, "{:?}", created.body);
    assert!(
        owners(&created.body)[0]
            .starts_with(r#"kubelet Update {"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec""#)
    );
}

#[tokio::test]
async fn a_write_to_the_status_is_an_entry_of_its_own() {
    let server = server();
    ask(&server, "POST", PODS, pod("a")).await;
    let status = json!({"status": {"phase": "Running"}});
    let running = ask_as(&server, "PATCH", &format!("{PODS}/a/status?fieldManager=s"), MERGE, status).await;
    let mut found = owners(&running.body);
    found.sort();
    assert_eq!(found.first().unwrap(), r#"s Update/status {"f:status":{"f:phase":{}}}"#);
}

/// A server with the ConfigMap `a`, which a client without a name has created.
async fn with_created_map() -> (ApiServer, Value) {
    let server = server();
    let created = ask(&server, "POST", CONFIG_MAPS, config_map("a")).await.body;
    (server, created)
}

/// The same, after a client has sent a list of managers without any.
async fn with_forgotten_managers() -> (ApiServer, Value) {
    let (server, _) = with_created_map().await;
    let forget = json!({"metadata": {"managedFields": [{}]}});
    let forgotten = ask_as(&server, "PATCH", &format!("{CONFIG_MAPS}/a"), MERGE, forget).await.body;
    (server, forgotten)
}

#[tokio::test]
async fn entries_that_a_client_sends_back_stay() {
    let (server, mut object) = with_created_map().await;
    object["data"]["b"] = json!("1");
    let changed = ask(&server, "PUT", &map_of("n"), object).await.body;
    let both = [r#"n Update {"f:data":{"f:b":{}}}"#, r#"unknown Update {"f:data":{".":{},"f:a":{}}}"#];
    assert_eq!(owners(&changed), both);
}

#[tokio::test]
async fn a_list_without_managers_forgets_them_all() {
    let (_, forgotten) = with_forgotten_managers().await;
    assert!(owners(&forgotten).is_empty(), "{forgotten}");
}

#[tokio::test]
async fn an_object_without_managers_is_not_tracked() {
    let (server, _) = with_forgotten_managers().await;
    let more = json!({"data": {"c": "1"}});
    let after = ask_as(&server, "PATCH", &format!("{CONFIG_MAPS}/a"), MERGE, more).await.body;
    assert!(owners(&after).is_empty() && after["data"]["c"] == "1");
}

#[tokio::test]
async fn the_first_apply_finds_an_owner_for_what_was_there() {
    let (server, _) = with_forgotten_managers().await;
    let applied = apply(&server, &map_of("m"), config_map("a")).await.body;
    assert_eq!(owners(&applied)[1], r#"before-first-apply Update {"f:data":{".":{},"f:a":{}}}"#);
}

/// Answers of kube-apiserver 1.37.1: null is a field that was left out.
#[tokio::test]
async fn null_replicas_of_a_scale_are_none() {
    let server = server();
    let path = "/apis/apps/v1/namespaces/default/deployments/a";
    apply(&server, &format!("{path}?fieldManager=m"), crate::server::support::deployment("a")).await;
    let scale = json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": null}});
    let applied = apply(&server, &format!("{path}/scale?fieldManager=a&force=true"), scale).await;
    assert_eq!((applied.code, &applied.body["spec"]), (200, &json!({})), "{:?}", applied.body);
}

#[tokio::test]
async fn scale_hands_replicas_over() {
    let server = server();
    let path = "/apis/apps/v1/namespaces/default/deployments/a";
    apply(&server, &format!("{path}?fieldManager=m"), crate::server::support::deployment("a")).await;
    let scale = json!({"spec": {"replicas": 3}});
    let scaled = ask_as(&server, "PATCH", &format!("{path}/scale?fieldManager=s"), MERGE, scale).await;
    assert_eq!((scaled.code, &scaled.body["spec"]["replicas"]), (200, &json!(3)), "{:?}", scaled.body);
    let found = owners(&get(&server, path).await.body);
    assert!(!found[0].contains("f:replicas"), "{found:?}");
    assert_eq!(found[1], r#"s Update/scale {"f:spec":{"f:replicas":{}}}"#);
    let refused =
        apply(&server, &format!("{path}?fieldManager=m"), crate::server::support::deployment("a")).await;
    let text = "Apply failed with 1 conflict: conflict with \"s\" with subresource \"scale\" using apps/v1: .spec.replicas";
    assert_eq!((refused.code, refused.message()), (409, text));
}

#[tokio::test]
async fn hidden_entries_still_count() {
    let server = ApiServer::builder().managed_fields(ManagedFieldsView::Hidden).build().unwrap();
    let path = format!("{CONFIG_MAPS}/a?fieldManager=");
    let created = apply(&server, &format!("{path}m"), config_map("a")).await.body;
    assert!(created["metadata"].get("managedFields").is_none());
    let list = get(&server, CONFIG_MAPS).await.body;
    assert!(list["items"][0]["metadata"].get("managedFields").is_none());
    let other = named(&config_map("a"), json!({"a": "2"}));
    assert_eq!(apply(&server, &format!("{path}n"), other).await.code, 409);
}

#[tokio::test]
async fn tests_ask_the_server_who_owns_a_field() {
    let server = server();
    let path = "/apis/apps/v1/namespaces/default/deployments/a";
    apply(&server, &format!("{path}?fieldManager=m"), crate::server::support::deployment("a")).await;
    let mut shared = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}});
    shared["spec"] = json!({"replicas": 1});
    apply(&server, &format!("{path}?fieldManager=n"), shared).await;
    let owners = server.owners("apps/v1", "Deployment", "default", "a");
    owners.assert(".spec.replicas", &["m", "n"]);
    owners.assert(".spec.strategy", &[]);
    assert_eq!(owners.of_manager("n"), [".spec.replicas"]);
    assert!(server.owners("apps/v1", "Deployment", "default", "missing").fields().is_empty());
}

#[tokio::test]
#[should_panic(expected = ".data.a is owned by [\"m\"], not by [\"n\"]; owned fields:\n  .data.a m")]
async fn another_owner_than_expected_is_named() {
    let server = server();
    apply(&server, &format!("{CONFIG_MAPS}/a?fieldManager=m"), config_map("a")).await;
    server.owners("v1", "ConfigMap", "default", "a").assert(".data.a", &["n"]);
}

#[tokio::test]
async fn kube_applies_with_patch_apply() {
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::api::{Api, Patch, PatchParams};
    let server = server();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let config: ConfigMap = serde_json::from_value(config_map("a")).unwrap();
    let params = PatchParams::apply("operator");
    maps.patch("a", &params, &Patch::Apply(&config)).await.unwrap();
    let again = maps.patch("a", &params, &Patch::Apply(&config)).await.unwrap();
    assert_eq!(again.metadata.managed_fields.unwrap()[0].manager.as_deref(), Some("operator"));
    let mut other = config.clone();
    other.data.as_mut().unwrap().insert("a".into(), "2".into());
    let refused = maps.patch("a", &PatchParams::apply("other"), &Patch::Apply(&other)).await.unwrap_err();
    assert!(matches!(refused, kube::Error::Api(status) if status.code == 409 && status.reason == "Conflict"));
    let forced = maps.patch("a", &PatchParams::apply("other").force(), &Patch::Apply(&other)).await.unwrap();
    assert_eq!(forced.data.unwrap()["a"], "2");
}

/// controller-runtime #3478: a controller applies the status of an object that it has read.
#[tokio::test]
async fn a_status_is_applied_after_a_read() {
    let server = server();
    ask(&server, "POST", PODS, pod("a")).await;
    let read = get(&server, &format!("{PODS}/a")).await.body;
    let version = &read["metadata"]["resourceVersion"];
    let status = json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "a", "namespace": "default", "resourceVersion": version},
        "status": {"conditions": [{"type": "Checked", "status": "True"}]}});
    let path = format!("{PODS}/a/status?fieldManager=c");
    let applied = apply(&server, &path, status.clone()).await;
    assert_eq!((applied.code, &applied.body["spec"]), (200, &read["spec"]), "{:?}", applied.body);
    server.owners("v1", "Pod", "default", "a").assert(r#".status.conditions[type="Checked"].status"#, &["c"]);
    let stale = apply(&server, &path, status).await;
    assert_eq!(stale.code, 409, "the object was read before the first apply");
}

/// controller-runtime #3484: a migration from client-side apply edits managedFields.
#[tokio::test]
async fn edits_of_entries_are_kept() {
    let server = server();
    let path = format!("{CONFIG_MAPS}/a");
    let agent = ("user-agent", "kubectl-client-side-apply");
    let created = ask_as(&server, "POST", CONFIG_MAPS, agent, config_map("a")).await.body;
    let mut entries = created["metadata"]["managedFields"].clone();
    entries[0]["manager"] = json!("kubectl");
    entries[0]["operation"] = json!("Apply");
    let patch = json!([{"op": "replace", "path": "/metadata/managedFields", "value": entries},
        {"op": "replace", "path": "/metadata/resourceVersion", "value": created["metadata"]["resourceVersion"]}]);
    let json_patch = ("content-type", "application/json-patch+json");
    let edited = ask_as(&server, "PATCH", &path, json_patch, patch.clone()).await;
    assert_eq!(owners(&edited.body), [r#"kubectl Apply {"f:data":{".":{},"f:a":{}}}"#]);
    assert_eq!(ask_as(&server, "PATCH", &path, json_patch, patch).await.code, 409, "as it was read before");
}

/// fabric8 #5337 and #5360: an apply creates an object, also with generated parts and in a namespace of its own.
#[tokio::test]
async fn an_apply_of_a_missing_object_is_a_creation() {
    let server = server();
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}});
    assert_eq!(apply(&server, "/api/v1/namespaces/team?fieldManager=m", namespace).await.code, 201);
    let path = "/api/v1/namespaces/team/configmaps/a?fieldManager=m";
    let created = apply(&server, path, config_map("a")).await;
    assert_eq!((created.code, &created.body["metadata"]["namespace"]), (201, &json!("team")));
    assert!(
        created.body["metadata"]["uid"].is_string()
            && created.body["metadata"]["creationTimestamp"].is_string()
    );
    let missing =
        apply(&server, "/api/v1/namespaces/none/configmaps/a?fieldManager=m", config_map("a")).await;
    assert_eq!((missing.code, missing.message()), (404, r#"namespaces "none" not found"#));
}

/// Argo CD #17358 and #21817: a dry run of what is applied must not differ from the live object.
#[tokio::test]
async fn a_dry_run_of_the_applied_configuration_settles() {
    let server = server();
    let path = "/apis/apps/v1/namespaces/default/deployments/a?fieldManager=argocd-controller";
    let mut config = crate::server::support::deployment("a");
    // The protocol, which is a key, is left to its default.
    config["spec"]["template"]["spec"]["containers"][0]["ports"] = json!([{"containerPort": 80}]);
    let applied = apply(&server, path, config.clone()).await.body;
    let status = json!({"status": {"replicas": 1, "observedGeneration": 1}});
    ask_as(&server, "PATCH", "/apis/apps/v1/namespaces/default/deployments/a/status", MERGE, status).await;
    let live = get(&server, "/apis/apps/v1/namespaces/default/deployments/a").await.body;
    let dry = apply(&server, &format!("{path}&force=true&dryRun=All"), config).await.body;
    assert_eq!(dry, live);
    assert_eq!(applied["spec"], live["spec"]);
}

#[tokio::test]
async fn fixtures_keep_their_entries() {
    let mut fixture = config_map("a");
    fixture["metadata"]["managedFields"] = json!([{"manager": "m", "operation": "Apply", "apiVersion": "v1",
        "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {"f:a": {}}}}]);
    let server = ApiServer::builder().objects([fixture]).build().unwrap();
    server.owners("v1", "ConfigMap", "default", "a").assert(".data.a", &["m"]);
    let refused = apply(
        &server,
        &format!("{CONFIG_MAPS}/a?fieldManager=n"),
        named(&config_map("a"), json!({"a": "2"})),
    )
    .await;
    assert_eq!(refused.code, 409);
}

/// What garbage collection removes leaves every manager.
#[tokio::test]
async fn references_to_owners_that_are_gone_have_no_manager() {
    let server = server();
    let mut uids = Vec::new();
    for name in ["one", "two"] {
        let created = ask(&server, "POST", CONFIG_MAPS, config_map(name)).await.body;
        uids.push(created["metadata"]["uid"].as_str().unwrap().to_string());
    }
    let names = ["one", "two"];
    let reference =
        |at: usize| json!({"apiVersion": "v1", "kind": "ConfigMap", "name": names[at], "uid": uids[at]});
    let mut dependent = config_map("a");
    dependent["metadata"]["ownerReferences"] = json!([reference(0), reference(1)]);
    apply(&server, &format!("{CONFIG_MAPS}/a?fieldManager=m"), dependent).await;
    let owned = || server.owners("v1", "ConfigMap", "default", "a").of_manager("m").join(" ");
    assert!(owned().contains(&uids[0]) && owned().contains(&uids[1]), "{}", owned());
    ask(&server, "DELETE", &format!("{CONFIG_MAPS}/one"), Value::Null).await;
    assert!(!owned().contains(&uids[0]) && owned().contains(&uids[1]), "{}", owned());
}
