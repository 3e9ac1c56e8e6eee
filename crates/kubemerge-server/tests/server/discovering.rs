//! Discovery in both forms, OpenAPI, version, health.

use kube::{Discovery, discovery::Scope};
use serde_json::{Value, json};

use crate::server::support::*;

#[tokio::test]
async fn the_client_discovers_in_both_ways() {
    let server = server();
    for aggregated in [false, true] {
        let discovery = Discovery::new(server.client());
        let discovery = if aggregated {
            discovery.run_aggregated().await.unwrap()
        } else {
            discovery.run().await.unwrap()
        };
        let kind = kube::api::GroupVersionKind::gvk("apps", "v1", "Deployment");
        let (resource, capabilities) = discovery.resolve_gvk(&kind).unwrap();
        assert_eq!((resource.plural.as_str(), capabilities.scope), ("deployments", Scope::Namespaced));
        assert!(
            capabilities.subresources.iter().any(|(sub, _)| sub.plural.ends_with("scale")),
            "{aggregated}"
        );
    }
    assert_eq!(server.client().apiserver_version().await.unwrap().minor, "37");
}

#[tokio::test]
async fn aggregated_discovery_says_so() {
    let server = server();
    let accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    let core = ask_as(&server, "GET", "/api", ("accept", accept), Value::Null).await;
    assert_eq!(
        core.headers["content-type"],
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    );
    assert_eq!(core.body["items"][0]["metadata"], json!({}));
    let legacy = get(&server, "/api").await.body;
    assert_eq!((&legacy["kind"], &legacy["versions"]), (&json!("APIVersions"), &json!(["v1"])));
}

/// The OpenAPI v3 document of `apps/v1`, as the index links it.
async fn apps_document(server: &kubemerge_server::ApiServer) -> Answer {
    let index = get(server, "/openapi/v3").await.body;
    let url = index["paths"]["apis/apps/v1"]["serverRelativeURL"].as_str().unwrap().to_string();
    get(server, &url).await
}

#[tokio::test]
async fn openapi_v3_documents_with_a_hash_can_be_cached() {
    assert_eq!(apps_document(&server()).await.headers["cache-control"], "public, immutable");
}

#[tokio::test]
async fn openapi_v3_describes_operations() {
    let document = apps_document(&server()).await;
    let patch = &document.body["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]["patch"];
    assert_eq!(patch["x-kubernetes-group-version-kind"]["kind"], "Deployment");
    let names: Vec<&Value> = patch["parameters"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert!(names.contains(&&json!("fieldValidation")) && names.contains(&&json!("dryRun")));
    assert!(patch["requestBody"]["content"].get("application/strategic-merge-patch+json").is_some());
}

#[tokio::test]
async fn openapi_v3_describes_types() {
    let document = apps_document(&server()).await;
    let schemas = &document.body["components"]["schemas"];
    let container = &schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"];
    assert_eq!(container["x-kubernetes-patch-merge-key"], "name");
    assert_eq!(container["items"]["$ref"], "#/components/schemas/io.k8s.api.core.v1.Container");
    let kinds = &schemas["io.k8s.api.apps.v1.Deployment"]["x-kubernetes-group-version-kind"];
    assert_eq!(*kinds, json!([{"group": "apps", "version": "v1", "kind": "Deployment"}]));
    every_reference_leads_somewhere(schemas, schemas);
}

#[tokio::test]
async fn an_outdated_hash_is_redirected() {
    assert_eq!(get(&server(), "/openapi/v3/apis/apps/v1?hash=old").await.code, 301);
}

#[tokio::test]
async fn an_unknown_openapi_v3_document_is_not_found() {
    assert_eq!(get(&server(), "/openapi/v3/apis/none/v1").await.code, 404);
}

fn every_reference_leads_somewhere(value: &Value, schemas: &Value) {
    match value {
        Value::Object(map) => {
            if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
                let name = reference.rsplit('/').next().unwrap();
                assert!(schemas.get(name).is_some(), "{reference} leads nowhere");
            }
            map.values().for_each(|inner| every_reference_leads_somewhere(inner, schemas));
        }
        Value::Array(list) => list.iter().for_each(|inner| every_reference_leads_somewhere(inner, schemas)),
        _ => {}
    }
}

#[tokio::test]
async fn openapi_v2_comes_as_json_and_protobuf() {
    let server = server();
    let json = get(&server, "/openapi/v2").await.body;
    assert_eq!(json["swagger"], "2.0");
    every_reference_leads_somewhere(&json["definitions"], &json["definitions"]);
    let accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    let request = http::Request::builder()
        .uri("/openapi/v2")
        .header("accept", accept)
        .body(bytes::Bytes::new())
        .unwrap();
    let response = server.handle(request).await;
    assert_eq!(
        response.headers()["content-type"],
        "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
    );
    assert!(response.body().as_bytes().unwrap().len() > 100_000);
}

#[tokio::test]
async fn groups_come_in_order_of_priority_and_custom_ones_last() {
    let server = kubemerge_server::ApiServer::builder()
        .kind("aaa.io/v1", "Thing", "things", kubemerge_server::Scope::Cluster)
        .build()
        .unwrap();
    let groups = get(&server, "/apis").await.body["groups"].clone();
    let names: Vec<&str> =
        groups.as_array().unwrap().iter().map(|group| group["name"].as_str().unwrap()).collect();
    assert_eq!(names[..4], ["apiregistration.k8s.io", "apps", "events.k8s.io", "authentication.k8s.io"]);
    assert_eq!(names.last(), Some(&"aaa.io"));
}

#[tokio::test]
async fn the_root_tells_where_to_go() {
    let paths = get(&server(), "/").await.body["paths"].clone();
    for path in ["/api", "/api/v1", "/apis/apps", "/apis/apps/v1", "/openapi/v3", "/version"] {
        let count = paths.as_array().unwrap().iter().filter(|found| **found == path).count();
        assert_eq!(count, 1, "{path} in {paths}");
    }
}

#[tokio::test]
async fn health_and_version() {
    let server = server();
    for path in ["/healthz", "/livez", "/readyz", "/readyz/ping"] {
        assert_eq!(get(&server, path).await.body, "ok");
    }
    assert_eq!(get(&server, "/version").await.body["gitVersion"], "v1.37.0");
    let old = kubemerge_server::ApiServer::builder().kubernetes("1.30").build().unwrap();
    assert_eq!(get(&old, "/version").await.body["minor"], "30");
    assert!(kubemerge_server::ApiServer::builder().kubernetes("1.2").build().is_err());
}

#[tokio::test]
async fn the_document_of_version_2_is_sent_once_for_each_state_of_the_catalog() {
    let server = server();
    let ask = async |accept: &str, known: &str| {
        let request =
            http::Request::get("/openapi/v2").header("accept", accept).header("if-none-match", known);
        let response = server.handle(request.body(bytes::Bytes::new()).unwrap()).await;
        let tag = response.headers()["etag"].to_str().unwrap().to_owned();
        (response.status().as_u16(), tag, response.body().as_bytes().map_or(0, bytes::Bytes::len))
    };
    let protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    for accept in ["application/json", protobuf] {
        let (code, tag, size) = ask(accept, "\"other\"").await;
        assert!(code == 200 && size > 100_000 && tag.len() == 130, "{accept}: {code} {size} {tag}");
        for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".into()] {
            assert_eq!(ask(accept, &known).await, (304, tag.clone(), 0), "{accept}: {known}");
        }
        let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("things.v{}.example.com", accept.len())},
            "spec": {"group": format!("v{}.example.com", accept.len()), "scope": "Cluster",
                "names": {"plural": "things", "kind": "Thing"},
                "versions": [{"name": "v1", "served": true, "storage": true,
                    "schema": {"openAPIV3Schema": {"type": "object"}}}]}});
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        assert_eq!(crate::server::support::ask(&server, "POST", path, definition).await.code, 201);
        assert_eq!(ask(accept, &tag).await.0, 200, "{accept}: it has changed");
    }
}
