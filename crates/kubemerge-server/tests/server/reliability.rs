//! Nothing is lost, doubled or held up, whatever happens at the same time.

use std::{collections::BTreeSet, time::Duration};

use bytes::Bytes;
use futures_util::future::join_all;
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, api::PostParams};
use kubemerge_server::{ApiServer, Body, Failure, Fault, On, Restore};
use serde_json::{Value, json};

use crate::server::support::*;

async fn open(server: &ApiServer, path: &str) -> Body {
    let request = http::Request::builder().uri(path).body(Bytes::new()).unwrap();
    server.handle(request).await.into_body()
}

/// The resourceVersions of the next `count` events of a watch.
async fn revisions(mut watch: Body, count: usize) -> Vec<u64> {
    let mut text = Vec::new();
    while text.iter().filter(|byte| **byte == b'\n').count() < count {
        let frame = tokio::time::timeout(Duration::from_mins(1), watch.frame()).await.expect("events come");
        text.extend_from_slice(&frame.unwrap().unwrap().into_data().unwrap());
    }
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let event: Value = serde_json::from_slice(line).unwrap();
            event["object"]["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_optimistic_increment_is_lost() {
    let server = server();
    let mut counter = config_map("counter");
    counter["data"]["n"] = json!("0");
    ask(&server, "POST", CONFIG_MAPS, counter).await;
    let start = server.revision();
    let watches: Vec<Body> = join_all((0..4).map(|_| {
        let path = format!("{CONFIG_MAPS}?watch=true&resourceVersion={start}");
        let server = server.clone();
        async move { open(&server, &path).await }
    }))
    .await;
    let writers = (0..8).map(|_| {
        let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
        tokio::spawn(async move {
            for _ in 0..200 {
                loop {
                    let mut map = maps.get("counter").await.unwrap();
                    let data = map.data.as_mut().unwrap();
                    let next = data["n"].parse::<u32>().unwrap() + 1;
                    data.insert("n".into(), next.to_string());
                    match maps.replace("counter", &PostParams::default(), &map).await {
                        Ok(_) => break,
                        Err(kube::Error::Api(status)) if status.code == 409 => {}
                        Err(other) => panic!("{other}"),
                    }
                }
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    assert_eq!(get(&server, &format!("{CONFIG_MAPS}/counter")).await.body["data"]["n"], "1600");
    let expected: Vec<u64> = (start + 1..=start + 1600).collect();
    for watch in watches {
        assert_eq!(revisions(watch, 1600).await, expected, "every write once and in order");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn names_are_given_once_under_contention() {
    let server = server();
    let tasks = (0..8).map(|_| {
        let server = server.clone();
        tokio::spawn(async move {
            let mut created = 0;
            for at in 0..200 {
                created += usize::from(
                    ask(&server, "POST", CONFIG_MAPS, config_map(&format!("n{at}"))).await.code == 201,
                );
            }
            created
        })
    });
    let created: usize = join_all(tasks.collect::<Vec<_>>()).await.into_iter().map(Result::unwrap).sum();
    assert_eq!(created, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn patches_never_conflict_with_each_other() {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    let tasks = (0..8).map(|task| {
        let server = server.clone();
        tokio::spawn(async move {
            for at in 0..50 {
                let change = json!({"metadata": {"annotations": {format!("k{task}-{at}"): "v"}}});
                let header = ("content-type", "application/strategic-merge-patch+json");
                assert_eq!(ask_as(&server, "PATCH", &format!("{PODS}/p"), header, change).await.code, 200);
            }
        })
    });
    join_all(tasks.collect::<Vec<_>>()).await.into_iter().for_each(Result::unwrap);
    let annotations = get(&server, &format!("{PODS}/p")).await.body["metadata"]["annotations"].clone();
    assert_eq!(annotations.as_object().unwrap().len(), 400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_watchers_see_everything() {
    let server = server();
    let start = server.revision();
    let mut watches = Vec::new();
    for _ in 0..1000 {
        watches.push(open(&server, &format!("{CONFIG_MAPS}?watch=true&resourceVersion={start}")).await);
    }
    for at in 0..20 {
        ask(&server, "POST", CONFIG_MAPS, config_map(&format!("m{at}"))).await;
    }
    let expected: Vec<u64> = (start + 1..=start + 20).collect();
    for seen in join_all(watches.into_iter().map(|watch| revisions(watch, 20))).await {
        assert_eq!(seen, expected);
    }
}

#[tokio::test]
async fn events_are_complete_across_reconnects() {
    let server = server();
    let mut cursor = server.revision();
    let mut seen = Vec::new();
    for round in 0..20 {
        for at in 0..3 {
            ask(&server, "POST", CONFIG_MAPS, config_map(&format!("m{round}-{at}"))).await;
        }
        let watch = open(&server, &format!("{CONFIG_MAPS}?watch=true&resourceVersion={cursor}")).await;
        // Only some are read before the connection is dropped.
        let some = revisions(watch, 2).await;
        cursor = *some.last().unwrap();
        seen.extend(some);
    }
    let rest = server.revision() - cursor;
    let watch = open(&server, &format!("{CONFIG_MAPS}?watch=true&resourceVersion={cursor}")).await;
    seen.extend(revisions(watch, rest as usize).await);
    let unique: BTreeSet<u64> = seen.iter().copied().collect();
    assert_eq!((seen.len(), unique.len()), (60, 60));
    assert!(seen.is_sorted());
}

#[tokio::test]
async fn a_slow_watcher_falls_out_of_the_history() {
    let server = ApiServer::builder().history(10).build().unwrap();
    let watch =
        open(&server, &format!("{CONFIG_MAPS}?watch=true&resourceVersion={}", server.revision())).await;
    for at in 0..50 {
        ask(&server, "POST", CONFIG_MAPS, config_map(&format!("m{at}"))).await;
    }
    let text =
        tokio::time::timeout(Duration::from_mins(1), watch.collect()).await.unwrap().unwrap().to_bytes();
    let event: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!((&event["type"], &event["object"]["code"]), (&json!("ERROR"), &json!(410)));
}

#[tokio::test]
async fn many_objects_hold() {
    let server = ApiServer::builder().request_log(0).build().unwrap();
    for at in 0..100_000 {
        server
            .set(json!({"apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": format!("m{at:06}"), "namespace": "default"}}))
            .unwrap();
    }
    let list = get(&server, &format!("{CONFIG_MAPS}?limit=500")).await.body;
    assert_eq!(list["metadata"]["remainingItemCount"], 99_500);
    assert_eq!(ask(&server, "DELETE", &format!("{CONFIG_MAPS}/m050000"), Value::Null).await.code, 200);
    assert_eq!(get(&server, &format!("{CONFIG_MAPS}/m099999")).await.code, 200);
}

#[tokio::test]
async fn the_same_run_gives_the_same_bytes() {
    async fn run() -> (String, Vec<String>) {
        let server = server();
        ask(&server, "POST", CONFIG_MAPS, json!({"metadata": {"generateName": "g-"}})).await;
        ask(&server, "POST", DEPLOYMENTS, deployment("web")).await;
        ask(&server, "DELETE", &format!("{DEPLOYMENTS}/web"), Value::Null).await;
        let log = server.requests().iter().map(|entry| format!("{entry} {:?}", entry.body)).collect();
        (Value::Array(server.dump()).to_string(), log)
    }
    assert_eq!(run().await, run().await);
}

#[tokio::test]
async fn requests_can_be_made_to_fail() {
    let server = server();
    let conflict = Failure::new(409, "Conflict", "injected");
    server.inject(On::verb("create").resource("configmaps").nth(2, Fault::Fail(conflict)));
    let codes = [
        ask(&server, "POST", CONFIG_MAPS, config_map("a")).await.code,
        ask(&server, "POST", CONFIG_MAPS, config_map("b")).await.code,
        ask(&server, "POST", CONFIG_MAPS, config_map("b")).await.code,
    ];
    assert_eq!(codes, [201, 409, 201]);
    let busy = Failure::new(429, "TooManyRequests", "slow down").retry_after(7);
    server.inject(On::verb("list").always(Fault::Fail(busy)));
    let answer = get(&server, CONFIG_MAPS).await;
    assert_eq!((answer.code, answer.headers["retry-after"].to_str().unwrap()), (429, "7"));
    server.clear_faults();
    let lost = Failure::new(500, "InternalError", "the answer is lost");
    server.inject(On::verb("delete").name("a").always(Fault::LoseAnswer(lost)));
    assert_eq!(ask(&server, "DELETE", &format!("{CONFIG_MAPS}/a"), Value::Null).await.code, 500);
    server.clear_faults();
    assert_eq!(get(&server, &format!("{CONFIG_MAPS}/a")).await.code, 404, "but it was carried out");
}

#[tokio::test]
async fn chance_strikes_as_often_as_it_was_told_to() {
    async fn failures(seed: u64, probability: f64) -> Vec<bool> {
        let server = ApiServer::builder().seed(seed).build().unwrap();
        let busy = Failure::new(503, "ServiceUnavailable", "injected");
        server.inject(On::verb("list").sometimes(probability, Fault::Fail(busy)));
        let mut failed = Vec::new();
        for _ in 0..400 {
            failed.push(get(&server, CONFIG_MAPS).await.code == 503);
            assert_eq!(get(&server, &format!("{CONFIG_MAPS}/a")).await.code, 404, "only lists are concerned");
        }
        failed
    }
    let count = |failed: &[bool]| failed.iter().filter(|failed| **failed).count();
    let some = failures(7, 0.25).await;
    assert!((60..=140).contains(&count(&some)), "about 100 of 400: {}", count(&some));
    assert_eq!(some, failures(7, 0.25).await, "the seed decides which");
    assert_ne!(some, failures(8, 0.25).await);
    assert_eq!(count(&failures(7, 0.0).await), 0);
    assert_eq!(count(&failures(7, 1.0).await), 400);
}

#[tokio::test(start_paused = true)]
async fn requests_can_be_delayed() {
    let server = server();
    server.inject(On::any().first(1, Fault::Delay(Duration::from_secs(3))));
    let start = tokio::time::Instant::now();
    get(&server, CONFIG_MAPS).await;
    assert_eq!(start.elapsed().as_secs(), 3);
    get(&server, CONFIG_MAPS).await;
    assert_eq!(start.elapsed().as_secs(), 3);
}

#[tokio::test]
async fn the_log_tells_what_changed() {
    let server = server();
    ask(&server, "POST", DEPLOYMENTS, deployment("web")).await;
    server.clear_requests();
    let header = ("content-type", "application/merge-patch+json");
    ask_as(&server, "PATCH", &format!("{DEPLOYMENTS}/web"), header, json!({"spec": {"replicas": 3}})).await;
    get(&server, &format!("{DEPLOYMENTS}/web")).await;
    let log = server.requests();
    assert!(log[0].is("PATCH", "deployments") && log[0].changed_anything() && !log[1].changed_anything());
    assert_eq!(log[0].json(), Some(json!({"spec": {"replicas": 3}})));
    assert_eq!(log[0].transitions[0].diff(), ["~ metadata.generation: 1 -> 2", "~ spec.replicas: 1 -> 3"]);
    assert_eq!(log[1].to_string(), format!("GET {DEPLOYMENTS}/web 200"));
}

/// A server after discovery, a create, a patch of the scale and a list.
async fn with_requests() -> ApiServer {
    let server = server();
    get(&server, "/api/v1").await;
    ask(&server, "POST", DEPLOYMENTS, deployment("web")).await;
    let merge = ("content-type", "application/merge-patch+json");
    ask_as(&server, "PATCH", &format!("{DEPLOYMENTS}/web/scale"), merge, json!({"spec": {"replicas": 3}}))
        .await;
    get(&server, DEPLOYMENTS).await;
    server
}

fn scale_patch() -> On {
    On::verb("patch").resource("deployments.apps").subresource("scale").name("web")
}

fn panic_text(check: &dyn Fn()) -> String {
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).unwrap_err();
    payload.downcast::<String>().unwrap().to_string()
}

#[tokio::test]
async fn the_log_is_searched_with_the_matchers_of_faults() {
    let server = with_requests().await;
    assert_eq!(server.requests_to(&scale_patch()).len(), 1);
    assert_eq!(server.requests_to(&scale_patch().content_type("application/json")).len(), 0);
    assert_eq!(server.requests_to(&On::any()).len(), 3, "discovery is for no objects");
}

#[tokio::test]
async fn expected_requests_pass() {
    let server = with_requests().await;
    server.assert_requests(&[On::verb("create"), scale_patch(), On::verb("list").namespace("default")]);
    server.assert_requests_among_others(&[On::verb("create"), On::verb("list")]);
}

#[tokio::test]
async fn unexpected_requests_are_shown() {
    let server = with_requests().await;
    let wanted = [On::verb("create"), scale_patch().namespace("x")];
    let shown = [
        "request 2 differs; exactly these were wanted:",
        "    wanted                              made",
        "    create *                            create deployments.apps default/* 201",
        "  > patch deployments.apps/scale x/web  patch deployments.apps/scale default/web 200",
        "    -                                   list deployments.apps default/* 200",
    ];
    assert_eq!(panic_text(&|| server.assert_requests(&wanted)), shown.join("\n"));
}

#[tokio::test]
async fn the_order_of_requests_counts() {
    let server = with_requests().await;
    let wanted = [scale_patch(), On::verb("create")];
    let shown = [
        "wanted request 2 was not made after those before it:",
        "    wanted                            made",
        "    -                                 GET /api/v1 200",
        "    -                                 create deployments.apps default/* 201",
        "    patch deployments.apps/scale web  patch deployments.apps/scale default/web 200",
        "    -                                 list deployments.apps default/* 200",
        "  > create *                          -",
    ];
    assert_eq!(panic_text(&|| server.assert_requests_among_others(&wanted)), shown.join("\n"));
}

#[tokio::test]
async fn the_log_can_be_cleared() {
    let server = with_requests().await;
    server.clear_requests();
    server.assert_requests(&[]);
}

#[tokio::test]
async fn a_fork_is_independent() {
    let server = server();
    ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    let before = server.dump();
    let fork = server.fork();
    ask(&server, "DELETE", &format!("{CONFIG_MAPS}/a"), Value::Null).await;
    assert_eq!(fork.dump(), before);
    assert_eq!(ask(&fork, "POST", CONFIG_MAPS, config_map("c")).await.code, 201);
}

#[tokio::test]
async fn a_snapshot_can_be_restored_as_events() {
    let server = server();
    ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    let snapshot = server.snapshot();
    ask(&server, "POST", CONFIG_MAPS, config_map("b")).await;
    ask(&server, "DELETE", &format!("{CONFIG_MAPS}/a"), Value::Null).await;
    let watch =
        open(&server, &format!("{CONFIG_MAPS}?watch=true&resourceVersion={}", server.revision())).await;
    server.restore(&snapshot, Restore::AsEvents).unwrap();
    assert_eq!(revisions(watch, 2).await.len(), 2, "b is deleted and a is added");
    let names: Vec<Value> = server.dump().iter().map(|object| object["metadata"]["name"].clone()).collect();
    assert!(names.contains(&json!("a")) && !names.contains(&json!("b")));
}

#[tokio::test]
async fn a_snapshot_can_be_restored_with_its_versions() {
    let server = server();
    ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    let (before, snapshot) = (server.dump(), server.snapshot());
    ask(&server, "POST", CONFIG_MAPS, config_map("d")).await;
    server.restore(&snapshot, Restore::EndWatches).unwrap();
    assert_eq!(server.dump(), before);
}
