//! Waiting for an object, applying objects in the middle of a test, and assertions about one object.

use std::time::Duration;

use serde_json::json;

use crate::server::support::{CONFIG_MAPS, DEPLOYMENTS, ask, ask_as, config_map, deployment, server};

const SHORT: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_mins(1);

#[tokio::test]
async fn a_wait_ends_when_its_condition_holds() {
    let server = server();
    let map = server.object("v1", "ConfigMap", "default", "a");
    let (waited, ()) = tokio::join!(map.wait_for(|map| map["data"]["a"] == "1", LONG), async {
        tokio::task::yield_now().await;
        ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    });
    assert_eq!(waited["metadata"]["name"], "a");
    let gone = map.wait_for(|map| map.is_null(), LONG);
    ask(&server, "DELETE", &format!("{CONFIG_MAPS}/a"), json!(null)).await;
    assert!(gone.await.is_null());
}

#[tokio::test]
async fn a_wait_that_fails_shows_the_object_its_changes_and_its_events() {
    let server = server();
    ask(&server, "POST", DEPLOYMENTS, deployment("web")).await;
    let merge = ("content-type", "application/merge-patch+json");
    ask_as(&server, "PATCH", &format!("{DEPLOYMENTS}/web"), merge, json!({"spec": {"replicas": 3}})).await;
    let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "type": "Warning",
        "reason": "FailedCreate", "message": "no room",
        "involvedObject": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": "web"}});
    assert_eq!(ask(&server, "POST", "/api/v1/namespaces/default/events", event).await.code, 201);
    let web = server.object("apps/v1", "Deployment", "default", "web");
    let wait = web.wait_for(|web| web["status"]["readyReplicas"] == 3, SHORT);
    let text = *tokio::spawn(wait).await.unwrap_err().into_panic().downcast::<String>().unwrap();
    for part in [
        "waiting.rs:",
        "the condition for Deployment default/web did not hold within 50ms\nobject:\n  apiVersion: apps/v1\n",
        "\nlast changes:\n  resourceVersion",
        ": created\n",
        "~ spec.replicas: 1 -> 3",
        "\nlast events:\n  Warning FailedCreate: no room",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[tokio::test]
async fn a_wait_for_an_object_that_never_comes_says_so() {
    let wait = server().object("v1", "Pod", "default", "p").wait_for(|pod| !pod.is_null(), SHORT);
    let text = *tokio::spawn(wait).await.unwrap_err().into_panic().downcast::<String>().unwrap();
    assert!(text.contains("there is none\nlast changes:\n  none\nlast events:\n  none"), "{text}");
}

#[tokio::test]
async fn an_assertion_about_an_object_shows_what_differs() {
    let server = server();
    ask(&server, "POST", DEPLOYMENTS, deployment("web")).await;
    let web = server.object("apps/v1", "Deployment", "default", "web");
    web.assert_has(
        &json!({"spec": {"replicas": 1, "template": {"spec": {"containers": [{"image": "i:1"}]}}}}),
    );
    let wanted = json!({"spec": {"replicas": 2, "paused": true}});
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| web.assert_has(&wanted)));
    assert_eq!(
        *failed.unwrap_err().downcast::<String>().unwrap(),
        "Deployment default/web differs (wanted -> found):\n  - spec.paused: true\n  ~ spec.replicas: 2 -> 1"
    );
}

#[tokio::test]
async fn yaml_is_applied_in_the_middle_of_a_test() {
    let server = server();
    ask(&server, "POST", DEPLOYMENTS, deployment("web")).await;
    let text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: \
                {name: a, namespace: team}\ndata: {k: v}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: \
                {name: web}\nspec: {replicas: 4}\n";
    let requests = server.requests().len();
    let applied = server.apply_yaml(text).unwrap();
    assert_eq!(applied.len(), 3);
    assert_eq!(applied[2]["spec"]["replicas"], 4);
    assert_eq!(applied[2]["spec"]["template"]["spec"]["containers"][0]["image"], "i:1", "the rest is kept");
    server.object("v1", "ConfigMap", "team", "a").assert_has(&json!({"data": {"k": "v"}}));
    assert_eq!(server.requests().len(), requests, "the log has the requests of clients only");
}

#[tokio::test]
async fn what_cannot_be_applied_is_named_with_its_line() {
    let server = server();
    let error = |text: &str| server.apply_yaml(text).unwrap_err().to_string();
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\n";
    let message = error(text);
    assert!(
        message.starts_with("Pod p in line 5: Pod \"p\" is invalid: spec.containers: Required value"),
        "{message}"
    );
    assert_eq!(
        error("apiVersion: v1\nkind: Pot\nmetadata: {name: p}\n"),
        "Pot p in line 1: no kind \"Pot\" is served in \"v1\"; did you mean \"Pod\"?"
    );
    assert!(error("a: [").contains("line 1"), "{}", error("a: ["));
}
