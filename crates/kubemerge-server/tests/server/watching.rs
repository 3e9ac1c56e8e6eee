//! Watches: order, resume, selectors, bookmarks, initial events, expiry.

use std::time::Duration;

use futures_util::StreamExt;
use kubemerge_server::{ApiServer, Failure, Fault, On};
use serde_json::{Value, json};

use crate::server::support::*;

fn labelled(name: &str, app: &str) -> Value {
    let mut object = config_map(name);
    object["metadata"]["labels"] = json!({"app": app});
    object
}

async fn create(server: &ApiServer, object: Value) {
    assert_eq!(ask(server, "POST", CONFIG_MAPS, object).await.code, 201);
}

async fn replace(server: &ApiServer, object: Value) {
    let path = format!("{CONFIG_MAPS}/{}", object["metadata"]["name"].as_str().unwrap());
    assert_eq!(ask(server, "PUT", &path, object).await.code, 200);
}

async fn delete(server: &ApiServer, name: &str) {
    assert_eq!(ask(server, "DELETE", &format!("{CONFIG_MAPS}/{name}"), Value::Null).await.code, 200);
}

#[tokio::test]
async fn events_follow_the_list() {
    let server = server();
    create(&server, config_map("a")).await;
    let list = get(&server, CONFIG_MAPS).await.body;
    let version = list["metadata"]["resourceVersion"].as_str().unwrap();
    create(&server, config_map("b")).await;
    let mut watch =
        Watch::open(&server, &format!("{CONFIG_MAPS}?watch=true&resourceVersion={version}")).await;
    assert_eq!(watch.line().await, "ADDED b", "nothing is lost between list and watch");
    replace(&server, labelled("a", "x")).await;
    delete(&server, "b").await;
    let modified = watch.next().await.unwrap();
    assert_eq!((&modified["type"], &modified["object"]["kind"]), (&json!("MODIFIED"), &json!("ConfigMap")));
    let deleted = watch.next().await.unwrap();
    assert_eq!(deleted["type"], "DELETED");
    assert_eq!(deleted["object"]["metadata"]["resourceVersion"], server.revision().to_string());
    assert!(watch.is_silent().await);
}

#[tokio::test]
async fn watches_without_a_version_begin_with_the_state() {
    let server = server();
    create(&server, config_map("a")).await;
    for start in ["", "&resourceVersion=0"] {
        let mut watch = Watch::open(&server, &format!("{CONFIG_MAPS}?watch=1{start}")).await;
        assert_eq!(watch.line().await, "ADDED a");
        assert!(watch.is_silent().await);
    }
}

#[tokio::test]
async fn initial_events_end_with_a_mark() {
    let server = server();
    create(&server, config_map("a")).await;
    let query =
        "watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    let mut watch = Watch::open(&server, &format!("{CONFIG_MAPS}?{query}&resourceVersion=0")).await;
    assert_eq!(watch.line().await, "ADDED a");
    let mark = watch.next().await.unwrap();
    assert_eq!(
        mark["object"],
        json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"creationTimestamp": null,
            "resourceVersion": server.revision().to_string(),
            "annotations": {"k8s.io/initial-events-end": "true"}}})
    );
    create(&server, config_map("b")).await;
    assert_eq!(watch.line().await, "ADDED b");
    let bad = get(&server, &format!("{CONFIG_MAPS}?watch=true&sendInitialEvents=true")).await;
    assert_eq!(bad.code, 422);
    assert!(
        bad.message().contains("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
    );
    let bad = get(
        &server,
        &format!("{CONFIG_MAPS}?watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=1"),
    )
    .await;
    assert_eq!(bad.code, 422);
}

#[tokio::test]
async fn selectors_turn_changes_into_arrivals_and_departures() {
    let server = server();
    let path = format!("{CONFIG_MAPS}?watch=true&labelSelector=app%3Dx");
    let mut watch = Watch::open(&server, &path).await;
    create(&server, labelled("a", "y")).await;
    replace(&server, labelled("a", "x")).await;
    assert_eq!(watch.line().await, "ADDED a");
    replace(&server, labelled("a", "z")).await;
    let gone = watch.next().await.unwrap();
    assert_eq!(
        (&gone["type"], &gone["object"]["metadata"]["labels"]["app"]),
        (&json!("DELETED"), &json!("x"))
    );
    assert_eq!(gone["object"]["metadata"]["resourceVersion"], server.revision().to_string());
    delete(&server, "a").await;
    assert!(watch.is_silent().await);
    let mut one = Watch::open(&server, &format!("{CONFIG_MAPS}/b?watch=true")).await;
    create(&server, config_map("a")).await;
    create(&server, config_map("b")).await;
    assert_eq!(one.line().await, "ADDED b");
}

#[tokio::test]
async fn an_old_version_is_told_inside_the_stream() {
    let server = server();
    create(&server, config_map("a")).await;
    server.compact();
    let mut watch = Watch::open(&server, &format!("{CONFIG_MAPS}?watch=true&resourceVersion=2")).await;
    let event = watch.next().await.unwrap();
    assert_eq!((&event["type"], &event["object"]["code"]), (&json!("ERROR"), &json!(410)));
    assert_eq!(event["object"]["message"], format!("too old resource version: 2 ({})", server.revision()));
    assert_eq!(watch.next().await, None);
    // Upstream: of a list it is 400.
    assert_eq!(get(&server, &format!("{CONFIG_MAPS}?watch=true&resourceVersion=x")).await.code, 500);
}

#[tokio::test(start_paused = true)]
async fn bookmarks_come_in_time_and_before_the_end() {
    let server = server();
    let start = tokio::time::Instant::now();
    let path =
        format!("{CONFIG_MAPS}?watch=true&allowWatchBookmarks=true&timeoutSeconds=100&resourceVersion=1");
    let mut watch = Watch::open(&server, &path).await;
    assert_eq!(watch.next().await.unwrap()["type"], "BOOKMARK");
    assert_eq!(start.elapsed().as_secs(), 60);
    assert_eq!(watch.next().await.unwrap()["type"], "BOOKMARK");
    assert_eq!(start.elapsed().as_secs(), 98);
    assert_eq!(watch.next().await, None);
    assert_eq!(start.elapsed().as_secs(), 100);
}

#[tokio::test(start_paused = true)]
async fn no_bookmarks_come_without_being_asked_for() {
    let mut silent = Watch::open(&server(), &format!("{CONFIG_MAPS}?watch=true&timeoutSeconds=5")).await;
    assert_eq!(silent.next().await, None);
}

#[tokio::test]
async fn bookmarks_come_when_a_test_wants_them() {
    let server = server();
    let path = |more: &str| format!("{CONFIG_MAPS}?watch=true&resourceVersion={}{more}", server.revision());
    let mut watch = Watch::open(&server, &path("&allowWatchBookmarks=true")).await;
    let mut silent = Watch::open(&server, &path("")).await;
    create(&server, config_map("a")).await;
    server.send_bookmarks();
    assert_eq!(watch.line().await, "ADDED a");
    let mark = watch.next().await.unwrap();
    assert_eq!(
        (&mark["type"], &mark["object"]["metadata"]["resourceVersion"]),
        (&json!("BOOKMARK"), &json!(server.revision().to_string()))
    );
    assert_eq!(silent.line().await, "ADDED a");
    assert!(silent.is_silent().await);
}

#[tokio::test]
async fn watches_come_as_tables_and_as_metadata() {
    let server = server();
    create(&server, config_map("a")).await;
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    let mut watch = Watch::open_as(&server, &format!("{CONFIG_MAPS}?watch=true"), table).await;
    let first = watch.next().await.unwrap();
    assert_eq!(first["object"]["rows"][0]["cells"][0], "a");
    assert!(first["object"]["columnDefinitions"].is_array());
    server.advance(std::time::Duration::from_mins(1));
    create(&server, config_map("b")).await;
    let second = watch.next().await.unwrap();
    assert!(second["object"]["columnDefinitions"].is_null(), "only once");
    assert_eq!(second["object"]["rows"][0]["cells"][2], "0s", "ages are counted from now on");
    let partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    let mut watch = Watch::open_as(&server, &format!("{CONFIG_MAPS}?watch=true"), partial).await;
    assert_eq!(watch.next().await.unwrap()["object"]["kind"], "PartialObjectMetadata");
}

#[tokio::test]
async fn watches_can_be_made_to_fail() {
    let server = server();
    let path = format!("{CONFIG_MAPS}?watch=true&resourceVersion={}", server.revision());
    let on = || On::verb("watch").resource("configmaps");
    server.inject(on().always(Fault::DropEvent(1)));
    server.inject(on().always(Fault::RepeatEvent(2)));
    let mut watch = Watch::open(&server, &path).await;
    for name in ["a", "b", "c", "d"] {
        create(&server, config_map(name)).await;
    }
    let seen = [watch.line().await, watch.line().await, watch.line().await, watch.line().await];
    assert_eq!(seen, ["ADDED b", "ADDED b", "ADDED c", "ADDED d"], "every rule counts every event");
    server.clear_faults();
    server.inject(on().always(Fault::Lag(1)));
    create(&server, config_map("e")).await;
    assert!(watch.is_silent().await, "one behind");
    create(&server, config_map("f")).await;
    assert_eq!(watch.line().await, "ADDED e");
    server.inject(on().always(Fault::EndWatch));
    assert_eq!(watch.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn faults_choose_among_watches() {
    let server = server();
    let path = format!("{CONFIG_MAPS}?watch=true&resourceVersion={}", server.revision());
    let on = || On::verb("watch").resource("configmaps");
    server.inject(on().nth(2, Fault::FailWatch(Failure::new(410, "Expired", "too old"))));
    server.inject(on().first(1, Fault::DelayEvents(Duration::from_secs(7))));
    let mut late = Watch::open(&server, &path).await;
    let mut failing = Watch::open(&server, &path).await;
    let mut sound = Watch::open(&server, &path).await;
    let error = failing.next().await.unwrap();
    assert_eq!((&error["type"], &error["object"]["code"]), (&json!("ERROR"), &json!(410)));
    assert_eq!(failing.next().await, None);
    let start = tokio::time::Instant::now();
    create(&server, config_map("a")).await;
    assert_eq!((sound.next().await.unwrap()["type"].clone(), start.elapsed().as_secs()), (json!("ADDED"), 0));
    assert_eq!((late.next().await.unwrap()["type"].clone(), start.elapsed().as_secs()), (json!("ADDED"), 7));
    server.inject(on().first(2, Fault::EndWatch));
    assert_eq!((sound.next().await, late.next().await), (None, None), "watches that are open count as well");
    assert_eq!(Watch::open(&server, &path).await.line().await, "ADDED a", "the next one goes on");
}

#[tokio::test]
async fn the_client_watches_too() {
    let server = server();
    let maps: kube::Api<k8s_openapi::api::core::v1::ConfigMap> =
        kube::Api::default_namespaced(server.client());
    let mut stream = maps.watch(&Default::default(), "0").await.unwrap().boxed();
    let mark = stream.next().await.unwrap().unwrap();
    assert!(matches!(mark, kube::api::WatchEvent::Bookmark(_)), "the client asks for bookmarks: {mark:?}");
    create(&server, config_map("a")).await;
    match stream.next().await.unwrap().unwrap() {
        kube::api::WatchEvent::Added(map) => assert_eq!(map.metadata.name.as_deref(), Some("a")),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_selector_finds_its_event_after_very_many_others() {
    let server = server();
    let start = server.revision();
    for at in 0..1_000 {
        create(&server, config_map(&format!("m{at}"))).await;
    }
    create(&server, labelled("wanted", "x")).await;
    let path = format!("{CONFIG_MAPS}?watch=true&resourceVersion={start}&labelSelector=app%3Dx");
    assert_eq!(Watch::open(&server, &path).await.line().await, "ADDED wanted");
}

/// What a client knows that follows a selector: the newest state of everything that matches, by name.
type Known = std::collections::BTreeMap<String, Value>;

/// Takes in an event as an informer does, and checks that it fits what was known.
fn learn(known: &mut Known, event: &Value) -> String {
    let (object, name) =
        (&event["object"], event["object"]["metadata"]["name"].as_str().unwrap().to_string());
    let before = match event["type"].as_str().unwrap() {
        "ADDED" => known.insert(name.clone(), object.clone()).is_none(),
        "MODIFIED" => known.insert(name.clone(), object.clone()).is_some(),
        "DELETED" => known.remove(&name).is_some(),
        other => panic!("{other}"),
    };
    assert!(before, "{event} does not fit what was known");
    object["metadata"]["resourceVersion"].as_str().unwrap().to_string()
}

/// Watches from where the client was, and takes in at most `max_events` events.
async fn follow(server: &ApiServer, (seen, known): (&mut String, &mut Known), max_events: u64) {
    let path = format!("{CONFIG_MAPS}?watch=true&resourceVersion={seen}&labelSelector=app%3Dx");
    let mut watch = Watch::open(server, &path).await;
    for _ in 0..max_events {
        match tokio::time::timeout(Duration::from_millis(20), watch.next()).await {
            Ok(event) => *seen = learn(known, &event.unwrap()),
            Err(_) => return,
        }
    }
}

/// Does one of the things that happen to objects.
async fn happen(server: &ApiServer, what: u64, name: &str) {
    let path = format!("{CONFIG_MAPS}/{name}");
    let label = |app: &str| json!({"metadata": {"labels": {"app": app}}});
    let (method, path, body) = match what {
        0 => ("DELETE", path, Value::Null),
        1 => ("POST", CONFIG_MAPS.into(), labelled(name, "x")),
        2 => ("POST", CONFIG_MAPS.into(), labelled(name, "y")),
        3 => ("PATCH", path, label("x")),
        4 => ("PATCH", path, label("y")),
        more => ("PATCH", path, json!({"data": {"n": more.to_string()}})),
    };
    let content_type = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    ask_as(server, method, &path, ("content-type", content_type), body).await;
}

#[tokio::test]
async fn a_client_that_comes_and_goes_knows_what_a_list_shows() {
    let server = server();
    let mut chance = 7_u64;
    let mut draw = |most: u64| {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (chance >> 33) % most
    };
    let (mut known, mut seen) = (Known::new(), server.revision().to_string());
    for _ in 0..60 {
        for _ in 0..draw(12) {
            happen(&server, draw(8), &format!("m{}", draw(5))).await;
        }
        // Some clients leave before they have read everything.
        let max_events = if draw(3) == 0 { draw(3) } else { u64::MAX };
        follow(&server, (&mut seen, &mut known), max_events).await;
    }
    follow(&server, (&mut seen, &mut known), u64::MAX).await;
    let list = get(&server, &format!("{CONFIG_MAPS}?labelSelector=app%3Dx")).await.body;
    let known: Vec<Value> = known
        .into_values()
        .map(|mut object| {
            // Items of a list say neither apiVersion nor kind.
            object.as_object_mut().unwrap().retain(|name, _| name != "apiVersion" && name != "kind");
            object
        })
        .collect();
    assert_eq!(Value::Array(known), list["items"]);
    assert!(server.revision() > 100, "there was something to see");
}

#[tokio::test]
async fn a_watch_that_has_ended_stays_ended() {
    let server = server();
    let mut watch = Watch::open(&server, &format!("{CONFIG_MAPS}?watch=true&timeoutSeconds=1")).await;
    for _ in 0..3 {
        assert_eq!(watch.next().await, None);
    }
}

/// kube-apiserver's events for pods that are removed at once.
#[tokio::test]
async fn a_pod_is_seen_to_end_before_it_is_gone() {
    let server = server();
    let mut watch = Watch::open(&server, &format!("{PODS}?watch=1")).await;
    assert_eq!(ask(&server, "POST", PODS, pod("p")).await.code, 201);
    assert_eq!(ask(&server, "DELETE", &format!("{PODS}/p"), Value::Null).await.code, 200);
    assert_eq!(watch.line().await, "ADDED p");
    for kind in ["MODIFIED", "DELETED"] {
        let event = watch.next().await.unwrap();
        let metadata = &event["object"]["metadata"];
        assert_eq!(event["type"], kind);
        assert_eq!(metadata["deletionGracePeriodSeconds"], 0, "{kind}");
        assert!(metadata["deletionTimestamp"].is_string(), "{kind}");
        assert_eq!(metadata["generation"], 2, "{kind}");
    }
    assert!(watch.is_silent().await);
}
