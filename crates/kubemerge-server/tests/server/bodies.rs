//! What requests may send and ask for: unknown and repeated fields, encodings, sizes, paths and tokens.

use k8s_openapi::api::core::v1::Secret;
use kube::{Api, api::PostParams};
use serde_json::{Value, json};

use crate::server::support::*;

#[tokio::test]
async fn unknown_fields_are_dropped_with_a_warning() {
    let server = server();
    let warned = ask(&server, "POST", &format!("{DEPLOYMENTS}?dryRun=All"), with_unknown_fields()).await;
    assert_eq!(
        warned.warnings(),
        [
            "\"unknown field \\\"metadata.baz\\\"\"",
            "\"unknown field \\\"spec.foo\\\"\"",
            "\"unknown field \\\"spec.template.spec.containers[0].bar\\\"\"",
        ]
    );
    assert!(warned.body["spec"]["foo"].is_null() && warned.body["spec"]["replicas"] == 1);
}

fn with_unknown_fields() -> Value {
    let mut wanted = deployment("web");
    wanted["spec"]["foo"] = json!(1);
    wanted["spec"]["template"]["spec"]["containers"][0]["bar"] = json!(1);
    wanted["metadata"]["baz"] = json!(1);
    wanted
}

#[tokio::test]
async fn unknown_fields_are_ignored_on_demand() {
    let path = format!("{DEPLOYMENTS}?dryRun=All&fieldValidation=Ignore");
    let ignored = ask(&server(), "POST", &path, with_unknown_fields()).await;
    assert!(ignored.warnings().is_empty());
}

#[tokio::test]
async fn unknown_fields_are_refused_on_demand() {
    let path = format!("{DEPLOYMENTS}?fieldValidation=Strict");
    let strict = ask(&server(), "POST", &path, with_unknown_fields()).await;
    assert_eq!(strict.code, 400);
    assert_eq!(
        strict.message(),
        "Deployment in version \"v1\" cannot be handled as a Deployment: strict decoding error: unknown field \
         \"metadata.baz\", unknown field \"spec.foo\", unknown field \"spec.template.spec.containers[0].bar\""
    );
}

#[tokio::test]
async fn unknown_metadata_is_reported_whatever_its_value() {
    let server = server();
    for value in [json!("x"), json!(""), json!([]), json!({}), json!(0), Value::Null] {
        let mut wanted = config_map("a");
        wanted["metadata"]["foo"] = value;
        wanted["metadata"]["generateName"] = json!("");
        let strict =
            ask(&server, "POST", &format!("{CONFIG_MAPS}?fieldValidation=Strict"), wanted.clone()).await;
        assert_eq!(strict.code, 400, "{wanted}");
        assert!(strict.message().ends_with("strict decoding error: unknown field \"metadata.foo\""));
        let warned = ask(&server, "POST", &format!("{CONFIG_MAPS}?dryRun=All"), wanted).await;
        assert_eq!(warned.warnings(), ["\"unknown field \\\"metadata.foo\\\"\""]);
        assert!(warned.body["metadata"].get("foo").is_none());
    }
}

#[tokio::test]
async fn repeated_fields_are_reported() {
    let server = server();
    let send_text = |query: &str| {
        http::Request::builder()
            .method("POST")
            .uri(format!("{CONFIG_MAPS}{query}"))
            .body(bytes::Bytes::from(r#"{"metadata":{"name":"a"},"data":{"k":"1","k":"2"}}"#))
            .unwrap()
    };
    let warned = send(&server, send_text("?dryRun=All")).await;
    assert_eq!(warned.warnings(), ["\"duplicate field \\\"data.k\\\"\""]);
    assert_eq!(warned.body["data"]["k"], "2");
    let strict = send(&server, send_text("?fieldValidation=Strict")).await;
    assert!(strict.message().ends_with("strict decoding error: duplicate field \"data.k\""), "{strict:?}");
}

/// kube-apiserver's words, which has them from its reader of YAML.
#[tokio::test]
async fn repeated_keys_of_yaml_are_reported() {
    let server = server();
    let send_text = |method: &str, path: &str, query: &str| {
        let body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nfoo: 1\ndata:\n  k: a\n  'k': b\n";
        http::Request::builder()
            .method(method)
            .uri(format!("{path}{query}"))
            .header("content-type", "application/yaml")
            .body(bytes::Bytes::from(body))
            .unwrap()
    };
    let warned = send(&server, send_text("POST", CONFIG_MAPS, "")).await;
    let complaints = ["\"line 8: key \\\"k\\\" already set in map\"", "\"unknown field \\\"foo\\\"\""];
    assert_eq!(warned.warnings(), complaints);
    assert_eq!(warned.body["data"]["k"], "b");
    for (method, path) in [("POST", CONFIG_MAPS.to_owned()), ("PUT", format!("{CONFIG_MAPS}/a"))] {
        let strict = send(&server, send_text(method, &path, "?fieldValidation=Strict")).await;
        assert_eq!(
            strict.message(),
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal \
             errors:\n  line 8: key \"k\" already set in map, unknown field \"foo\""
        );
        assert_eq!(strict.code, 400);
    }
    let ignored =
        send(&server, send_text("PUT", &format!("{CONFIG_MAPS}/a"), "?fieldValidation=Ignore")).await;
    assert!(ignored.warnings().is_empty() && ignored.code == 200);
}

#[tokio::test]
async fn nulls_are_absent() {
    let server = server();
    let mut wanted = deployment("web");
    wanted["metadata"]["creationTimestamp"] = Value::Null;
    wanted["spec"]["minReadySeconds"] = Value::Null;
    let created = ask(&server, "POST", DEPLOYMENTS, wanted).await;
    assert_eq!(created.code, 201);
    assert!(created.warnings().is_empty());
    assert!(!created.body["spec"].as_object().unwrap().contains_key("minReadySeconds"));
}

#[tokio::test]
async fn secrets_fold_their_string_data() {
    let server = server();
    let secrets: Api<Secret> = Api::default_namespaced(server.client());
    let wanted: Secret =
        serde_json::from_value(json!({"metadata": {"name": "s"}, "stringData": {"k": "v"}})).unwrap();
    let created = secrets.create(&PostParams::default(), &wanted).await.unwrap();
    assert_eq!(created.data.unwrap()["k"].0, b"v");
    assert_eq!((created.string_data, created.type_.as_deref()), (None, Some("Opaque")));
}

#[tokio::test]
async fn yaml_bodies_are_read() {
    let server = server();
    let text = "metadata:\n  name: text\ndata:\n  on: \"yes\"\n";
    let request = http::Request::builder()
        .method("POST")
        .uri(CONFIG_MAPS)
        .header("content-type", "application/yaml")
        .body(bytes::Bytes::from(text))
        .unwrap();
    let created = send(&server, request).await;
    assert_eq!((created.code, &created.body["data"]), (201, &json!({"true": "yes"})), "{created:?}");
}

#[tokio::test]
async fn unknown_paths_are_not_found() {
    let server = server();
    for path in ["/api/v2/pods", "/api/v1/nodes/x/y/z", "/api/v1/namespaces/d/nodes"] {
        let answer = get(&server, path).await;
        assert_eq!((answer.code, answer.body["kind"].as_str()), (404, Some("Status")), "{path}");
    }
    for path in ["/nope", "/apis/none/v1/things"] {
        let answer = get(&server, path).await;
        assert_eq!((answer.code, answer.body.as_str()), (404, Some("404 page not found\n")), "{path}");
    }
}

#[tokio::test]
async fn methods_that_do_not_fit_the_path_are_not_allowed() {
    let method = ask(&server(), "POST", &format!("{CONFIG_MAPS}/a"), config_map("a")).await;
    assert_eq!((method.code, method.body["reason"].as_str()), (405, Some("MethodNotAllowed")));
}

#[tokio::test]
async fn bodies_of_unknown_types_are_refused() {
    let cbor = ("content-type", "application/cbor");
    let media = ask_as(&server(), "POST", CONFIG_MAPS, cbor, config_map("a")).await;
    assert_eq!(media.code, 415);
    assert_eq!(
        media.message(),
        "the body of the request was in an unknown format - accepted media types include: application/json, \
         application/yaml, application/vnd.kubernetes.protobuf"
    );
}

#[tokio::test]
async fn answers_of_unknown_types_are_refused() {
    let accept = ask_as(&server(), "GET", CONFIG_MAPS, ("accept", "application/cbor"), Value::Null).await;
    assert_eq!((accept.code, accept.body["reason"].as_str()), (406, Some("NotAcceptable")));
}

#[tokio::test]
async fn large_bodies_are_refused() {
    let large = ask(&server(), "POST", CONFIG_MAPS, json!({"data": {"k": "x".repeat(3 << 20)}})).await;
    assert_eq!((large.code, large.message()), (413, "Request entity too large: limit is 3145728"));
}

#[tokio::test]
async fn a_token_keeps_others_out() {
    let server = kubemerge_server::ApiServer::builder().token("secret").build().unwrap();
    assert_eq!(get(&server, CONFIG_MAPS).await.code, 401);
    for (given, code) in
        [("Bearer secret", 200), ("bearer secret", 200), ("Bearer secre", 401), ("Basic secret", 401)]
    {
        assert_eq!(
            ask_as(&server, "GET", CONFIG_MAPS, ("authorization", given), Value::Null).await.code,
            code
        );
    }
}

#[tokio::test]
async fn deep_nesting_is_refused_not_fatal() {
    let server = server();
    let text =
        format!("{{\"metadata\":{{\"name\":\"d\"}},\"data\":{}1{}}}", "[".repeat(9000), "]".repeat(9000));
    let request =
        http::Request::builder().method("POST").uri(CONFIG_MAPS).body(bytes::Bytes::from(text)).unwrap();
    assert_eq!(send(&server, request).await.code, 400);
}
