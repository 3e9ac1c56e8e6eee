//! Lists: order, selectors, pages over one state, resource versions, tables, metadata only.

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::{Api, api::ListParams};
use kubemerge_server::ApiServer;
use serde_json::{Value, json};

use crate::server::support::*;

async fn filled(names: &[&str]) -> ApiServer {
    let server = server();
    for name in names {
        let mut object = config_map(name);
        object["metadata"]["labels"] = json!({"app": name, "even": (name.len() % 2 == 0).to_string()});
        assert_eq!(ask(&server, "POST", CONFIG_MAPS, object).await.code, 201);
    }
    server
}

fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().expect("a list has items");
    items.iter().map(|item| item["metadata"]["name"].as_str().unwrap().to_string()).collect()
}

#[tokio::test]
async fn lists_are_ordered_and_know_their_revision() {
    let server = filled(&["b", "a", "c"]).await;
    let list = get(&server, CONFIG_MAPS).await.body;
    assert_eq!(names(&list), ["a", "b", "c"]);
    assert_eq!(list["metadata"]["resourceVersion"], server.revision().to_string());
    assert_eq!((&list["kind"], &list["apiVersion"]), (&json!("ConfigMapList"), &json!("v1")));
    assert!(list["items"][0].get("kind").is_none(), "items of built-in lists carry no type");
    let empty = get(&server, PODS).await.body;
    assert_eq!(empty["items"], json!([]));
}

#[tokio::test]
async fn pages_show_one_state() {
    let server = filled(&["a", "b", "c", "d", "e"]).await;
    let first = get(&server, &format!("{CONFIG_MAPS}?limit=2")).await.body;
    assert_eq!(
        (names(&first), &first["metadata"]["remainingItemCount"]),
        (vec!["a".into(), "b".into()], &json!(3))
    );
    ask(&server, "DELETE", &format!("{CONFIG_MAPS}/d"), Value::Null).await;
    ask(&server, "POST", CONFIG_MAPS, config_map("bb")).await;
    let mut page = first.clone();
    let mut seen = names(&first);
    while let Some(token) = page["metadata"]["continue"].as_str() {
        page = get(&server, &format!("{CONFIG_MAPS}?limit=2&continue={token}")).await.body;
        assert_eq!(page["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
        seen.extend(names(&page));
    }
    assert_eq!(seen, ["a", "b", "c", "d", "e"], "as of the first page");
    let token = first["metadata"]["continue"].as_str().unwrap();
    server.compact();
    let gone = get(&server, &format!("{CONFIG_MAPS}?limit=2&continue={token}")).await;
    assert_eq!((gone.code, gone.body["reason"].as_str()), (410, Some("Expired")));
    let token = gone.body["metadata"]["continue"].as_str().unwrap();
    let rest = get(&server, &format!("{CONFIG_MAPS}?continue={token}")).await.body;
    assert_eq!(names(&rest), ["c", "e"], "the newest state from there on");
    assert_eq!(get(&server, &format!("{CONFIG_MAPS}?continue=nonsense")).await.code, 400);
}

#[tokio::test]
async fn a_list_can_be_read_as_it_was() {
    let server = filled(&["a", "b"]).await;
    let then = server.revision();
    ask(&server, "POST", CONFIG_MAPS, config_map("c")).await;
    let exact =
        get(&server, &format!("{CONFIG_MAPS}?resourceVersion={then}&resourceVersionMatch=Exact")).await.body;
    assert_eq!(names(&exact), ["a", "b"]);
    let newer =
        get(&server, &format!("{CONFIG_MAPS}?resourceVersion={then}&resourceVersionMatch=NotOlderThan"))
            .await
            .body;
    assert_eq!(names(&newer), ["a", "b", "c"]);
    let future = get(&server, &format!("{CONFIG_MAPS}?resourceVersion=99999")).await;
    assert_eq!(future.code, 504);
    assert_eq!(future.body["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
    assert_eq!(get(&server, &format!("{CONFIG_MAPS}?resourceVersion=0")).await.code, 200);
    server.compact();
    let gone =
        get(&server, &format!("{CONFIG_MAPS}?resourceVersion={then}&resourceVersionMatch=Exact")).await;
    assert_eq!(gone.code, 410);
}

#[tokio::test]
async fn labels_select() {
    let server = filled(&["a", "bb", "ccc"]).await;
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    for (selector, wanted) in [
        ("app=a", vec!["a"]),
        ("app!=a", vec!["bb", "ccc"]),
        ("app in (a,ccc)", vec!["a", "ccc"]),
        ("even=true", vec!["bb"]),
        ("!none,app notin (a)", vec!["bb", "ccc"]),
    ] {
        let list = maps.list(&ListParams::default().labels(selector)).await.unwrap();
        let found: Vec<String> = list.into_iter().map(|one| one.metadata.name.unwrap()).collect();
        assert_eq!(found, wanted, "{selector}");
    }
    let bad = status(maps.list(&ListParams::default().labels("a ~ b")).await);
    assert_eq!((bad.code, bad.reason.as_str()), (400, "BadRequest"));
    let page = get(&server, &format!("{CONFIG_MAPS}?limit=1&labelSelector=app%3Da")).await.body;
    assert_eq!(page["metadata"]["remainingItemCount"], Value::Null, "not told with a selector");
    assert!(page["metadata"]["continue"].is_string(), "more is counted over all keys");
}

#[tokio::test]
async fn fields_select_and_unknown_ones_are_refused() {
    let server = server();
    for name in ["a", "b"] {
        ask(&server, "POST", PODS, pod(name)).await;
    }
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    for (selector, count) in [
        ("metadata.name=a", 1),
        ("metadata.name!=a", 1),
        ("status.phase=Pending", 2),
        ("status.phase!=Pending", 0),
        ("spec.nodeName=", 2),
        ("metadata.namespace=default,spec.restartPolicy=Always", 2),
        ("spec.hostNetwork=false", 2),
    ] {
        let list = pods.list(&ListParams::default().fields(selector)).await.unwrap();
        assert_eq!(list.items.len(), count, "{selector}");
    }
    let unknown = status(pods.list(&ListParams::default().fields("spec.x=1")).await);
    assert_eq!((unknown.code, unknown.message.as_str()), (400, "field label not supported: spec.x"));
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let unknown = status(maps.list(&ListParams::default().fields("data.a=1")).await);
    assert_eq!(
        unknown.message,
        "\"data.a\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
    );
}

#[tokio::test]
async fn a_test_can_add_fields_to_select_by() {
    let images = |pod: &Value| -> Vec<String> {
        let containers = pod["spec"]["containers"].as_array().cloned().unwrap_or_default();
        containers.iter().filter_map(|one| one["image"].as_str().map(str::to_string)).collect()
    };
    let server = ApiServer::builder().field_index("v1", "Pod", "image", images).build().unwrap();
    let mut other = pod("other");
    other["spec"]["containers"][0]["image"] = json!("redis");
    for pod in [pod("p"), other] {
        ask(&server, "POST", PODS, pod).await;
    }
    let found = async |query: &str| names(&get(&server, &format!("{PODS}?{query}")).await.body);
    assert_eq!(found("fieldSelector=image%3Dredis").await, ["other"]);
    assert_eq!(found("fieldSelector=image!%3Dredis").await, ["p"]);
    assert_eq!(found("fieldSelector=image%3Dsidecar:v1").await, ["other", "p"], "any of several values");
    let watch = format!("{PODS}?watch=true&fieldSelector=image%3Dredis");
    assert_eq!(Watch::open(&server, &watch).await.line().await, "ADDED other");
    ask(&server, "DELETE", &format!("{PODS}?fieldSelector=image%3Dredis"), Value::Null).await;
    assert_eq!(found("").await, ["p"]);
    assert_eq!(get(&server.fork(), &format!("{PODS}?fieldSelector=image%3Dx")).await.code, 200);
    assert_eq!(get(&server, &format!("{CONFIG_MAPS}?fieldSelector=image%3Dx")).await.code, 400);
}

#[tokio::test]
async fn metadata_alone_can_be_listed() {
    let server = filled(&["a", "b"]).await;
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let list = maps.list_metadata(&ListParams::default()).await.unwrap();
    assert_eq!(list.items[0].metadata.name.as_deref(), Some("a"));
    assert_eq!(maps.get_metadata("b").await.unwrap().metadata.name.as_deref(), Some("b"));
    let single = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    assert_eq!(ask_as(&server, "GET", CONFIG_MAPS, ("accept", single), Value::Null).await.code, 406);
}

#[tokio::test]
async fn tables_have_columns_and_rows() {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    server.advance(std::time::Duration::from_secs(330));
    let accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    let table = ask_as(&server, "GET", PODS, ("accept", accept), Value::Null).await.body;
    let columns: Vec<&str> = table["columnDefinitions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        columns,
        ["Name", "Ready", "Status", "Restarts", "Age", "IP", "Node", "Nominated Node", "Readiness Gates"]
    );
    let none = "<none>";
    assert_eq!(
        table["rows"][0]["cells"],
        json!(["p", "0/2", "Pending", "0", "5m30s", none, none, none, none])
    );
    assert_eq!(table["rows"][0]["object"]["kind"], "PartialObjectMetadata");
    assert_eq!(table["metadata"]["resourceVersion"], server.revision().to_string());
    let whole =
        ask_as(&server, "GET", &format!("{PODS}/p?includeObject=Object"), ("accept", accept), Value::Null)
            .await;
    assert_eq!(whole.body["rows"][0]["object"]["spec"]["containers"][0]["name"], "nginx");
    let bad =
        ask_as(&server, "GET", &format!("{PODS}?includeObject=X"), ("accept", accept), Value::Null).await;
    assert_eq!(bad.code, 400);
}

#[tokio::test]
async fn people_get_indents() {
    let server = filled(&["a"]).await;
    let request = http::Request::builder()
        .uri(format!("{CONFIG_MAPS}/a?pretty=true"))
        .body(bytes::Bytes::new())
        .unwrap();
    let response = server.handle(request).await;
    assert!(response.body().as_bytes().unwrap().starts_with(b"{\n  \"apiVersion\""));
}

#[tokio::test]
async fn the_first_media_type_is_preferred() {
    let server = filled(&["a"]).await;
    let accept = ("accept", "application/json, application/yaml");
    let request = http::Request::builder().uri(format!("{CONFIG_MAPS}/a")).header(accept.0, accept.1);
    let response = server.handle(request.body(bytes::Bytes::new()).unwrap()).await;
    assert_eq!(response.headers()["content-type"], "application/json");
}

#[tokio::test]
async fn yaml_is_written_for_clients_that_ask_for_it() {
    let server = filled(&["a"]).await;
    let wanted = async |path: &str, accept: &str| {
        let request = http::Request::builder().uri(path).header("accept", accept).body(bytes::Bytes::new());
        let response = server.handle(request.unwrap()).await;
        let text = response.body().as_bytes().map(|body| String::from_utf8_lossy(body).into_owned());
        (response.headers()["content-type"].to_str().unwrap().to_string(), text.unwrap_or_default())
    };
    let one = format!("{CONFIG_MAPS}/a");
    let (content_type, text) = wanted(&one, "application/yaml").await;
    assert_eq!(content_type, "application/yaml");
    assert!(text.starts_with("apiVersion: v1\ndata:\n  a: \"1\"\nkind: ConfigMap\n"), "{text}");
    assert!(wanted(&format!("{CONFIG_MAPS}/none"), "application/yaml").await.1.contains("reason: NotFound"));
    let (_, text) = wanted(&format!("{CONFIG_MAPS}?watch=true"), "application/yaml").await;
    assert!(text.contains("reason: NotAcceptable"), "watches are JSON: {text}");
}
