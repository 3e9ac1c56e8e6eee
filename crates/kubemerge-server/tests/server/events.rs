//! Events: one store, and the words of two groups for it.

use kubemerge_server::ApiServer;
use serde_json::{Value, json};

use crate::server::support::*;

const CORE: &str = "/api/v1/namespaces/default/events";
const NEW: &str = "/apis/events.k8s.io/v1/namespaces/default/events";

fn core(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": "default"},
        "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"}, "message": "started",
        "reason": "Started", "type": "Normal", "source": {"component": "kubelet"}, "count": 2,
        "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:05Z"})
}

fn new(name: &str) -> Value {
    json!({"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": name, "namespace": "default"},
        "eventTime": "2026-01-01T00:00:00.000000Z", "regarding": {"kind": "Node", "name": "n"},
        "related": {"kind": "Pod", "name": "p"}, "note": "drained", "reason": "Drained", "action": "Drain",
        "reportingController": "x.io/drainer", "reportingInstance": "d-1", "type": "Warning",
        "series": {"count": 3, "lastObservedTime": "2026-01-01T00:00:09.000000Z"}})
}

fn without(mut object: Value, names: &[&str]) -> Value {
    names.iter().for_each(|name| drop(object.as_object_mut().unwrap().remove(*name)));
    object
}

#[tokio::test]
async fn events_are_created_in_both_groups() {
    let server = server();
    assert_eq!(ask(&server, "POST", CORE, core("a")).await.code, 201);
    let created = ask(&server, "POST", NEW, new("b")).await;
    assert_eq!((created.code, &created.body["note"]), (201, &json!("drained")));
}

fn with_one_of_each() -> ApiServer {
    ApiServer::builder().deterministic().objects([core("a"), new("b")]).build().unwrap()
}

const TYPES: [&str; 2] = ["apiVersion", "metadata"];

#[tokio::test]
async fn a_core_event_is_shown_in_the_new_form() {
    let server = with_one_of_each();
    assert_eq!(
        without(get(&server, &format!("{NEW}/a")).await.body, &TYPES),
        json!({"kind": "Event", "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
            "eventTime": null, "note": "started", "reason": "Started", "type": "Normal",
            "deprecatedSource": {"component": "kubelet"}, "deprecatedCount": 2,
            "deprecatedFirstTimestamp": "2026-01-01T00:00:00Z", "deprecatedLastTimestamp": "2026-01-01T00:00:05Z"})
    );
}

#[tokio::test]
async fn a_new_event_is_shown_in_the_core_form() {
    let server = with_one_of_each();
    let shown = get(&server, &format!("{CORE}/b")).await.body;
    assert_eq!(shown["apiVersion"], "v1");
    assert_eq!(
        without(shown, &TYPES),
        json!({"kind": "Event", "eventTime": "2026-01-01T00:00:00.000000Z",
            "involvedObject": {"kind": "Node", "name": "n"}, "related": {"kind": "Pod", "name": "p"},
            "source": {}, "firstTimestamp": null, "lastTimestamp": null, "message": "drained", "reason": "Drained", "action": "Drain", "type": "Warning",
            "reportingComponent": "x.io/drainer", "reportingInstance": "d-1",
            "series": {"count": 3, "lastObservedTime": "2026-01-01T00:00:09.000000Z"}})
    );
}

#[tokio::test]
async fn lists_of_both_groups_have_all_events() {
    let server = with_one_of_each();
    let list = get(&server, NEW).await.body;
    assert_eq!(
        (&list["apiVersion"], &list["items"][0]["note"]),
        (&json!("events.k8s.io/v1"), &json!("started"))
    );
    assert_eq!(get(&server, CORE).await.body["items"][1]["message"], "drained");
}

#[tokio::test]
async fn a_name_is_taken_in_both_groups() {
    let server = with_one_of_each();
    let again = ask(&server, "POST", NEW, new("a")).await;
    assert_eq!((again.code, again.message()), (409, r#"events.events.k8s.io "a" already exists"#));
}

#[tokio::test]
async fn the_handle_reads_events_in_either_group() {
    let server = with_one_of_each();
    assert_eq!(server.get("events.k8s.io/v1", "Event", "default", "a").unwrap()["note"], "started");
}

#[tokio::test]
async fn patches_have_the_form_of_their_group() {
    let server = with_one_of_each();
    let header = |kind: &str| format!("application/{kind}-patch+json");
    let series = json!({"count": 3, "lastObservedTime": "2026-01-01T00:00:09.000000Z"});
    for (kind, patch) in [
        ("strategic-merge", json!({"note": "started", "series": series})),
        ("merge", json!({"note": "started", "series": series})),
        (
            "json",
            json!([{"op": "test", "path": "/note", "value": "started"}, {"op": "add", "path": "/series", "value": series},
                {"op": "test", "path": "/apiVersion", "value": "events.k8s.io/v1"}]),
        ),
    ] {
        let fork = server.fork();
        let path = format!("{NEW}/a?fieldValidation=Strict");
        let answer = ask_as(&fork, "PATCH", &path, ("content-type", &header(kind)), patch).await;
        assert_eq!((answer.code, &answer.body["note"]), (200, &json!("started")), "{answer:?}");
        assert_eq!(get(&fork, &format!("{CORE}/a")).await.body["series"]["count"], 3, "{kind}");
    }
}

#[tokio::test]
async fn the_note_of_an_event_is_immutable() {
    let server = with_one_of_each();
    let merge = ("content-type", "application/merge-patch+json");
    let answer = ask_as(&server, "PATCH", &format!("{NEW}/a"), merge, json!({"note": "1"})).await;
    let field = &answer.body["details"]["causes"][0]["field"];
    assert_eq!((answer.code, field), (422, &json!("message")), "{answer:?}");
}

#[tokio::test]
async fn fields_of_the_other_group_are_unknown() {
    let server = with_one_of_each();
    let (path, merge) = (format!("{NEW}/a?fieldValidation=Strict"), "application/merge-patch+json");
    let answer = ask_as(&server, "PATCH", &path, ("content-type", merge), json!({"message": "1"})).await;
    assert!(answer.code == 422 && answer.message().contains("unknown field"), "{answer:?}");
}

#[tokio::test]
async fn an_event_that_is_sent_back_is_not_written() {
    let server = with_one_of_each();
    let revision = server.revision();
    let same = get(&server, &format!("{NEW}/b")).await.body;
    let answer = ask(&server, "PUT", &format!("{NEW}/b"), same).await;
    assert_eq!(answer.code, 200, "{answer:?}");
    assert_eq!(server.revision(), revision, "nothing has changed");
}

#[tokio::test]
async fn an_event_is_deleted_in_both_groups() {
    let server = with_one_of_each();
    assert_eq!(ask(&server, "PUT", &format!("{NEW}/c"), new("c")).await.code, 201);
    assert_eq!(ask(&server, "DELETE", &format!("{CORE}/c"), Value::Null).await.code, 200);
    assert_eq!(get(&server, &format!("{NEW}/c")).await.code, 404);
}

#[tokio::test]
async fn selectors_and_watches_know_both() {
    let server = server();
    ask(&server, "POST", CORE, core("a")).await;
    ask(&server, "POST", NEW, new("b")).await;
    for (path, selector, name) in [
        (CORE, "involvedObject.kind=Node", "b"),
        (NEW, "regarding.kind=Pod", "a"),
        (NEW, "reportingController=x.io/drainer", "b"),
        (CORE, "reportingComponent=x.io/drainer", "b"),
        (CORE, "source=kubelet", "a"),
        (NEW, "reason=Started,type=Normal", "a"),
    ] {
        let list = get(&server, &format!("{path}?fieldSelector={}", selector.replace('=', "%3D"))).await.body;
        let names: Vec<&Value> =
            list["items"].as_array().unwrap().iter().map(|item| &item["metadata"]["name"]).collect();
        assert_eq!(names, [name], "{selector}");
    }
    assert_eq!(get(&server, &format!("{NEW}?fieldSelector=involvedObject.kind%3DPod")).await.code, 400);
    let path = format!("{NEW}?watch=true&resourceVersion={}", server.revision());
    let mut watch = Watch::open(&server, &path).await;
    ask(&server, "POST", CORE, core("c")).await;
    let event = watch.next().await.unwrap();
    assert_eq!(
        (&event["object"]["apiVersion"], &event["object"]["note"]),
        (&json!("events.k8s.io/v1"), &json!("started"))
    );
    let table = ("accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
    assert_eq!(
        ask_as(&server, "GET", NEW, table, Value::Null).await.body["rows"].as_array().unwrap().len(),
        3
    );
}
