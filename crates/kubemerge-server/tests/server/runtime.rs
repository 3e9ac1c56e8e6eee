//! What kube's runtime builds on top: watcher, reflector, controller, finalizer, wait.

use std::{sync::Arc, time::Duration};

use futures_util::{Stream, StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::{
    Api, Client, ResourceExt,
    api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams},
    runtime::{
        Controller, WatchStreamExt,
        controller::Action,
        finalizer::{Event as FinalizerEvent, finalizer},
        reflector, wait, watcher,
    },
};
use kubemerge_server::{Failure, Fault, On};
use serde_json::json;

use crate::server::support::*;

fn named(name: &str) -> ConfigMap {
    serde_json::from_value(config_map(name)).unwrap()
}

async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_mins(1), future)
        .await
        .unwrap_or_else(|_| panic!("{what} takes too long"))
}

#[tokio::test]
async fn the_watcher_works_in_both_list_modes() {
    for config in [watcher::Config::default(), watcher::Config::default().streaming_lists()] {
        let server = server();
        let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
        maps.create(&PostParams::default(), &named("a")).await.unwrap();
        let stream = watcher(maps.clone(), config.clone()).applied_objects();
        let mut stream = std::pin::pin!(stream);
        let first = soon("the first object", stream.try_next()).await.unwrap().unwrap();
        assert_eq!(first.name_any(), "a");
        maps.create(&PostParams::default(), &named("b")).await.unwrap();
        assert_eq!(soon("the second object", stream.try_next()).await.unwrap().unwrap().name_any(), "b");
        server.compact();
        maps.create(&PostParams::default(), &named("c")).await.unwrap();
        assert_eq!(soon("the third object", stream.try_next()).await.unwrap().unwrap().name_any(), "c");
    }
}

/// Reads on until an object of this name comes.
async fn meet(stream: &mut (impl Stream<Item = ConfigMap> + Unpin), name: &str) {
    while soon(name, stream.next()).await.expect("the stream goes on").name_any() != name {}
}

#[tokio::test]
async fn a_watcher_survives_the_end_of_its_watches() {
    let server = server();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let stream = watcher(maps.clone(), watcher::Config::default()).default_backoff().touched_objects();
    let mut stream = std::pin::pin!(stream.filter_map(async |event| event.ok()));
    let on = || On::verb("watch").resource("configmaps");
    let faults = [Fault::EndWatch, Fault::FailWatch(Failure::new(410, "Expired", "too old"))];
    for (at, fault) in faults.into_iter().enumerate() {
        let (before, after) = (format!("before{at}"), format!("after{at}"));
        maps.create(&PostParams::default(), &named(&before)).await.unwrap();
        meet(&mut stream, &before).await;
        server.inject(on().first(1, fault));
        maps.create(&PostParams::default(), &named(&after)).await.unwrap();
        meet(&mut stream, &after).await;
    }
    let count = |on: &On| server.requests_to(on).len();
    assert!(count(&on()) >= 2, "a watch that ends is followed by another");
    assert!(count(&On::verb("list")) >= 2, "and one that is too old by a list");
}

#[tokio::test]
async fn a_watcher_pages_through_many_objects() {
    let server = server();
    for at in 0..1200 {
        ask(&server, "POST", CONFIG_MAPS, config_map(&format!("m{at:04}"))).await;
    }
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let stream = watcher(maps, watcher::Config::default()).applied_objects();
    let names: Vec<String> =
        soon("all pages", stream.take(1200).map_ok(|map| map.name_any()).try_collect()).await.unwrap();
    assert_eq!((names.len(), names[1199].as_str()), (1200, "m1199"));
    let pages = server.requests().iter().filter(|entry| entry.query.contains("limit=500")).count();
    assert_eq!(pages, 3);
}

#[tokio::test]
async fn a_reflector_follows() {
    let server = server();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let (store, writer) = reflector::store();
    let stream = reflector(writer, watcher(maps.clone(), watcher::Config::default()));
    let task = tokio::spawn(stream.for_each(|_| async {}));
    maps.create(&PostParams::default(), &named("a")).await.unwrap();
    soon("the store", store.wait_until_ready()).await.unwrap();
    soon("an update", async {
        let change = json!({"data": {"a": "2"}});
        maps.patch("a", &PatchParams::default(), &Patch::Merge(change)).await.unwrap();
        while store.state().iter().all(|map| map.data.as_ref().unwrap()["a"] != "2") {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    task.abort();
}

/// Copies every ConfigMap to a child, with a finalizer that notes the end.
async fn reconcile(map: Arc<ConfigMap>, client: Arc<Client>) -> Result<Action, kube::Error> {
    let maps: Api<ConfigMap> = Api::default_namespaced((*client).clone());
    if map.name_any().ends_with("-child") || map.name_any().ends_with("-end") {
        return Ok(Action::await_change());
    }
    let result = finalizer(&maps, "example.io/note", map, |event| async {
        match event {
            FinalizerEvent::Apply(map) => {
                let child = ConfigMap {
                    metadata: ObjectMeta {
                        name: Some(format!("{}-child", map.name_any())),
                        owner_references: Some(vec![
                            kube::Resource::controller_owner_ref(&*map, &()).unwrap(),
                        ]),
                        ..ObjectMeta::default()
                    },
                    data: map.data.clone(),
                    ..ConfigMap::default()
                };
                match maps.create(&PostParams::default(), &child).await {
                    Err(kube::Error::Api(status)) if status.code == 409 => {}
                    other => drop(other?),
                }
            }
            FinalizerEvent::Cleanup(map) => {
                let note = named(&format!("{}-end", map.name_any()));
                maps.create(&PostParams::default(), &note).await?;
            }
        }
        Ok::<_, kube::Error>(Action::await_change())
    })
    .await;
    result.map_err(|error| kube::Error::Service(Box::new(error)))
}

#[tokio::test]
async fn a_controller_with_a_finalizer_runs() {
    let server = server();
    let client = server.client();
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let controller = Controller::new(maps.clone(), watcher::Config::default())
        .owns(maps.clone(), watcher::Config::default())
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(20)), Arc::new(client));
    let task = tokio::spawn(controller.for_each(|_| async {}));
    maps.create(&PostParams::default(), &named("web")).await.unwrap();
    let exists = |name: &'static str| {
        let maps = maps.clone();
        async move {
            while maps.get_opt(name).await.unwrap().is_none() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    };
    soon("the child", exists("web-child")).await;
    let finalizers = maps.get("web").await.unwrap().metadata.finalizers;
    assert_eq!(finalizers, Some(vec!["example.io/note".to_string()]));
    maps.delete("web", &DeleteParams::default()).await.unwrap();
    soon("the note", exists("web-end")).await;
    soon("the end", async {
        while maps.get_opt("web").await.unwrap().is_some()
            || maps.get_opt("web-child").await.unwrap().is_some()
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    task.abort();
}

#[tokio::test]
async fn conditions_are_awaited() {
    let server = server();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    pods.create(&PostParams::default(), &serde_json::from_value(pod("p")).unwrap()).await.unwrap();
    let running = wait::await_condition(pods.clone(), "p", wait::conditions::is_pod_running());
    let set = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        let status = json!({"status": {"phase": "Running"}});
        pods.patch_status("p", &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
    };
    let (found, ()) = soon("running", Box::pin(async { tokio::join!(running, set) })).await;
    assert_eq!(found.unwrap().unwrap().name_any(), "p");
    let uid = pods.get("p").await.unwrap().uid().unwrap();
    let deleted = wait::await_condition(pods.clone(), "p", wait::conditions::is_deleted(&uid));
    let delete = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        pods.delete("p", &DeleteParams::default()).await.unwrap();
    };
    let (gone, ()) = soon("deleted", Box::pin(async { tokio::join!(deleted, delete) })).await;
    assert!(gone.unwrap().is_none());
    assert!(pods.list(&ListParams::default()).await.unwrap().items.is_empty());
}

#[tokio::test]
async fn requests_can_be_seen_and_changed_on_their_way() {
    let server = server();
    let inner = server.clone();
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let server = inner.clone();
        async move {
            let (mut parts, body) = request.into_parts();
            let body = body.collect_bytes().await?;
            if parts.method == "POST" {
                parts.uri = format!("{}?dryRun=All", parts.uri.path()).parse()?;
            }
            let response = server.handle(http::Request::from_parts(parts, body)).await;
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(response)
        }
    });
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::new(service, "default"));
    assert_eq!(maps.create(&PostParams::default(), &named("a")).await.unwrap().name_any(), "a");
    assert_eq!(maps.get_opt("a").await.unwrap(), None, "it was only rehearsed");
}
