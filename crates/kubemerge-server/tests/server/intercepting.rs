//! Interceptors: closures before, in place of and after requests.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering},
};

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kubemerge_server::{
    AnyRequest, ApiServer, CreateRequest, DeleteRequest, Failure, GetRequest, InterceptedAnswer, ListRequest,
    On, PatchRequest, UpdateRequest, Verb, WatchRequest,
};
use serde_json::{Value, json};

use crate::server::support::{CONFIG_MAPS, ask, config_map, get, server, status};

fn map(name: &str) -> ConfigMap {
    serde_json::from_value(config_map(name)).unwrap()
}

#[tokio::test]
async fn a_closure_changes_an_object_before_it_is_created() {
    let server = server();
    server.intercept(On::any().resource("configmaps").before(|create: &mut CreateRequest<ConfigMap>| {
        create.object.data.get_or_insert_default().insert("added".into(), "yes".into());
        Ok(())
    }));
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let created = maps.create(&PostParams::default(), &map("a")).await.unwrap();
    assert_eq!(created.data.unwrap()["added"], "yes");
}

#[tokio::test]
async fn a_closure_refuses_a_request() {
    let server = server();
    server.intercept(On::any().resource("configmaps").before(|create: &mut CreateRequest| {
        if create.object["metadata"]["name"] == "bad" {
            Err(Failure::new(403, "Forbidden", "not this one"))
        } else {
            Ok(())
        }
    }));
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    maps.create(&PostParams::default(), &map("good")).await.unwrap();
    let refused = status(maps.create(&PostParams::default(), &map("bad")).await);
    assert_eq!((refused.code, refused.message.as_str()), (403, "not this one"));
    assert_eq!(server.get("v1", "ConfigMap", "default", "bad"), None);
}

#[tokio::test]
async fn a_closure_answers_in_place_of_the_server() {
    let server = server();
    server.intercept(On::any().resource("pods").instead(|get: &GetRequest| {
        let name = get.address.name.clone().unwrap_or_default();
        (name == "ghost").then(|| Ok(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}})))
    }));
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    assert_eq!(pods.get("ghost").await.unwrap().metadata.name.unwrap(), "ghost");
    assert_eq!(status(pods.get("other").await).code, 404, "none means that the server answers");
}

#[tokio::test]
async fn a_closure_sees_and_changes_answers() {
    let server = server();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let codes = seen.clone();
    server.intercept(On::any().resource("configmaps").after(
        move |patch: &PatchRequest, answer: &mut InterceptedAnswer| {
            codes.lock().unwrap().push((patch.patch_type.clone(), answer.code));
            if answer.is_success() {
                answer.fail(&Failure::new(504, "Timeout", "too late"));
            }
        },
    ));
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    maps.create(&PostParams::default(), &map("a")).await.unwrap();
    let patch = Patch::Merge(json!({"data": {"a": "2"}}));
    assert_eq!(status(maps.patch("a", &PatchParams::default(), &patch).await).code, 504);
    assert_eq!(status(maps.patch("b", &PatchParams::default(), &patch).await).code, 404);
    let stored = server.get("v1", "ConfigMap", "default", "a").unwrap();
    assert_eq!(stored["data"]["a"], "2", "the write took place");
    let merge = "application/merge-patch+json".to_string();
    assert_eq!(*seen.lock().unwrap(), [(merge.clone(), 200), (merge, 404)]);
}

#[tokio::test]
async fn each_verb_has_a_type() {
    let server = server();
    let count = Arc::new(AtomicU32::new(0));
    let counter = |amount: u32| {
        let count = count.clone();
        move || {
            count.fetch_add(amount, Ordering::Relaxed);
            Ok(())
        }
    };
    let maps = || On::any().resource("configmaps");
    let (list, watch, update, delete, any) =
        (counter(1), counter(10), counter(100), counter(1_000), counter(100_000));
    server.intercept(maps().before(move |request: &mut ListRequest| {
        assert_eq!((request.label_selector.as_str(), request.field_selector.as_str()), ("a=b", ""));
        list()
    }));
    server.intercept(maps().before(move |_: &mut WatchRequest| watch()));
    server.intercept(maps().before(move |request: &mut UpdateRequest<ConfigMap>| {
        request.object.data = None;
        update()
    }));
    server.intercept(maps().before(move |request: &mut DeleteRequest| {
        assert_eq!(request.options["propagationPolicy"], "Background");
        delete()
    }));
    server.intercept(maps().before(move |_: &mut AnyRequest| any()));
    let client: Api<ConfigMap> = Api::default_namespaced(server.client());
    let mut created = client.create(&PostParams::default(), &map("a")).await.unwrap();
    client.list(&ListParams::default().labels("a=b")).await.unwrap();
    drop(get(&server, &format!("{CONFIG_MAPS}?watch=true&timeoutSeconds=1")).await);
    created.data.get_or_insert_default().insert("b".into(), "2".into());
    let updated = client.replace("a", &PostParams::default(), &created).await.unwrap();
    assert_eq!(updated.data, None);
    client.delete("a", &DeleteParams::background()).await.unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 501_111);
    server.clear_interceptors();
    client.create(&PostParams::default(), &map("c")).await.unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 501_111);
}

#[tokio::test]
async fn another_type_of_object_is_an_error_that_says_so() {
    let server = server();
    server.intercept(On::any().resource("configmaps").before(|_: &mut CreateRequest<Pod>| Ok(())));
    let answer = ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    assert_eq!(answer.code, 500);
    assert!(answer.message().contains("an interceptor wants another type of object"), "{}", answer.message());
}

#[tokio::test]
async fn yaml_bodies_are_read_too() {
    let server = server();
    server.intercept(On::verb(Verb::Patch).before(|patch: &mut PatchRequest| {
        patch.patch["data"]["a"] = json!("from the closure");
        Ok(())
    }));
    let body = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: '1'}\n";
    let request = http::Request::patch(format!("{CONFIG_MAPS}/a?fieldManager=m"))
        .header("content-type", "application/apply-patch+yaml")
        .body(bytes::Bytes::from(body))
        .unwrap();
    assert_eq!(crate::server::support::send(&server, request).await.body["data"]["a"], "from the closure");
}

fn panic_text(act: impl FnOnce() + std::panic::UnwindSafe) -> String {
    *std::panic::catch_unwind(act).unwrap_err().downcast::<String>().unwrap()
}

#[test]
fn a_matcher_that_cannot_match_is_an_error_at_once() {
    let server = std::panic::AssertUnwindSafe(server());
    let inject = |on: On| panic_text(|| server.intercept(on.before(|_: &mut AnyRequest| Ok(()))));
    assert!(
        inject(On::any().resource("widgets")).starts_with("no resource \"widgets\" is served in any group")
    );
    assert_eq!(
        inject(On::any().resource("deployments.app")),
        "no resource \"deployments\" is served in group \"app\""
    );
    assert_eq!(
        inject(On::any().resource("deployment.apps")),
        "no resource \"deployment\" is served in group \"apps\""
    );
    assert_eq!(
        panic_text(|| drop(On::verb("replace"))),
        "\"replace\" is not a verb; verbs are get, list, watch, create, update, patch, delete, deletecollection"
    );
    let text = panic_text(|| drop(On::verb("get").before(|_: &mut PatchRequest| Ok(()))));
    assert!(text.contains("intercepting.rs") && text.contains("which no get request is"), "{text}");
    let mismatched = panic_text(|| server.assert_requests(&[On::verb("get").resource("pod")]));
    assert!(mismatched.starts_with("no resource \"pod\" is served"), "{mismatched}");
}

#[tokio::test]
async fn a_plural_name_matches_in_any_group_and_may_be_defined_later() {
    let server = server();
    server.intercept(
        On::any()
            .resource("widgets.example.com")
            .instead(|_: &ListRequest| Some(Err::<Value, _>(Failure::new(418, "", "tea")))),
    );
    server.intercept(
        On::any()
            .resource("deployments")
            .instead(|_: &ListRequest| Some(Err::<Value, _>(Failure::new(419, "", "apps")))),
    );
    let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}});
    ask(&server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition).await;
    assert_eq!(get(&server, "/apis/example.com/v1/namespaces/default/widgets").await.code, 418);
    assert_eq!(get(&server, "/apis/apps/v1/deployments").await.code, 419);
    server.assert_requests(&[On::verb("create"), On::verb("list").resource("widgets"), On::verb("list")]);
}

#[tokio::test]
async fn a_field_index_can_be_added_later() {
    let server = ApiServer::builder().objects([config_map("a"), config_map("b")]).build().unwrap();
    let path = format!("{CONFIG_MAPS}?fieldSelector=data.a%3D1");
    assert_eq!(get(&server, &path).await.code, 400);
    server.field_index("v1", "ConfigMap", "data.a", |map| {
        map["data"]["a"].as_str().into_iter().map(str::to_string).collect()
    });
    assert_eq!(get(&server, &path).await.body["items"].as_array().unwrap().len(), 2);
    assert_eq!(get(&server.fork(), &path).await.code, 200, "a fork has it as well");
}
