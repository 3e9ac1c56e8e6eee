//! Small print: what the API server says about names, versions and types that are slightly wrong.

use kubemerge_server::{ApiServer, Validation};
use serde_json::{Value, json};

use crate::server::support::*;

async fn patch(server: &kubemerge_server::ApiServer, path: &str, kind: &str, body: Value) -> Answer {
    let header = format!("application/{kind}-patch+json");
    ask_as(server, "PATCH", path, ("content-type", &header), body).await
}

#[tokio::test]
async fn a_resource_version_of_zero_is_none() {
    let server = server();
    let mut map = config_map("a");
    map["metadata"]["resourceVersion"] = json!("0");
    assert_eq!(ask(&server, "POST", CONFIG_MAPS, map.clone()).await.code, 201);
    map["data"] = json!({"a": "2"});
    assert_eq!(ask(&server, "PUT", &format!("{CONFIG_MAPS}/a"), map).await.code, 200);
}

#[tokio::test]
async fn a_replacement_says_its_name() {
    let server = server();
    ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    let path = format!("{CONFIG_MAPS}/a");
    let answer = ask(&server, "PUT", &path, json!({"metadata": {}})).await;
    let text = "the name of the object (a based on URL) was undeterminable: name must be provided";
    assert_eq!((answer.code, answer.message()), (400, text));
    let answer = ask(&server, "PUT", &path, json!({"metadata": {"name": "a", "namespace": "x"}})).await;
    let text = "the namespace of the provided object does not match the namespace sent on the request";
    assert_eq!((answer.code, answer.message()), (400, text));
    let answer = patch(&server, &path, "merge", json!({"metadata": {"namespace": "x"}})).await;
    assert_eq!((answer.code, answer.message()), (400, text), "nor can a patch move an object");
    let answer = patch(&server, &path, "merge", json!({"metadata": {"name": "b"}})).await;
    let text = "the name of the object (b) does not match the name on the URL (a)";
    assert_eq!((answer.code, answer.message()), (400, text));
}

#[tokio::test]
async fn keys_with_too_many_slashes_are_told_so() {
    let map = json!({"metadata": {"name": "a", "annotations": {"a/b/c": "1"}}});
    let answer = ask(&server(), "POST", CONFIG_MAPS, map).await;
    let end = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    assert!(answer.code == 422 && answer.message().ends_with(end), "{answer:?}");
}

#[tokio::test]
async fn names_in_paths_are_checked() {
    let server = server();
    for (path, text) in [
        ("configmaps/a%2Fb", r#"Name parameter invalid: "a/b": may not contain '/'"#),
        ("configmaps/%2e%2e", r#"Name parameter invalid: "..": may not be '..'"#),
        ("configmaps/a%25b", r#"Name parameter invalid: "a%b": may not contain '%'"#),
    ] {
        let answer = get(&server, &format!("/api/v1/namespaces/default/{path}")).await;
        assert_eq!((answer.code, answer.message()), (400, text));
    }
    let answer = ask(&server, "POST", "/api/v1/namespaces/a%2Fb/configmaps", config_map("a")).await;
    assert_eq!(answer.message(), r#"Namespace parameter invalid: "a/b": may not contain '/'"#);
}

#[tokio::test]
async fn owners_are_checked() {
    let server = server();
    let owned = |owners: Value| {
        let mut map = config_map("a");
        map["metadata"]["ownerReferences"] = owners;
        map
    };
    let owner =
        |kind: &str| json!({"apiVersion": "v1", "kind": kind, "name": kind, "uid": kind, "controller": true});
    for (owners, complaint) in [
        (
            json!([{"kind": "Pod", "name": "p", "uid": "u"}]),
            "[0].apiVersion: Required value: must not be empty",
        ),
        (
            json!([{"apiVersion": "a/b/c", "kind": "Pod", "name": "p", "uid": "u"}]),
            "[0].apiVersion: Invalid value: \"a/b/c\": must be <group>/<version> or <version>",
        ),
        (json!([owner("Event")]), "/v1, Kind=Event is disallowed from being an owner"),
        (json!([owner("Pod"), owner("Node")]), "Found \"true\" in references for Pod/Pod and Node/Node"),
    ] {
        let answer = ask(&server, "POST", CONFIG_MAPS, owned(owners)).await;
        assert_eq!(answer.code, 422);
        assert!(answer.message().contains(complaint), "{}", answer.message());
    }
}

#[tokio::test]
async fn generated_names_are_checked() {
    let server = server();
    let named = |base: &str| json!({"metadata": {"generateName": base}});
    assert_eq!(ask(&server, "POST", CONFIG_MAPS, named("good-")).await.code, 201);
    let answer = ask(&server, "POST", CONFIG_MAPS, named("Bad-")).await;
    assert_eq!(answer.body["details"]["causes"][0]["field"], "metadata.generateName");
}

#[tokio::test]
async fn wrong_types_name_the_kind() {
    let server = server();
    let body = json!({"metadata": {"name": "a", "labels": {"a": 1}}});
    let answer = ask(&server, "POST", CONFIG_MAPS, body).await;
    let start = "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot unmarshal";
    assert!(answer.code == 400 && answer.message().starts_with(start), "{answer:?}");
    let secret = json!({"metadata": {"name": "s"}, "data": {"k": "***"}});
    let answer = ask(&server, "POST", "/api/v1/namespaces/default/secrets", secret).await;
    assert!(
        answer.code == 400 && answer.message().ends_with("illegal base64 data at input byte 0"),
        "{answer:?}"
    );
    let mut web = deployment("web");
    web["spec"]["replicas"] = json!(1_i64 << 32);
    let answer = ask(&server, "POST", DEPLOYMENTS, web).await;
    let end = "json: cannot unmarshal number 4294967296 into Go struct field DeploymentSpec.spec.replicas of type int32";
    assert!(answer.code == 400 && answer.message().ends_with(end), "{answer:?}");
}

#[tokio::test]
async fn bytes_are_stored_as_go_writes_them() {
    let server = server();
    let secret =
        json!({"metadata": {"name": "s"}, "data": {"lines": "aG\r\nk=\n", "bits": "aGl=", "none": ""}});
    let answer = ask(&server, "POST", "/api/v1/namespaces/default/secrets", secret).await;
    assert_eq!(
        (answer.code, &answer.body["data"]),
        (201, &json!({"lines": "aGk=", "bits": "aGk=", "none": ""}))
    );
}

#[tokio::test]
async fn a_patch_cannot_change_the_kind() {
    let server = server();
    ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    let path = format!("{CONFIG_MAPS}/a");
    let answer = patch(&server, &path, "merge", json!({"kind": "Secret"})).await;
    assert_eq!((answer.code, &answer.body["details"]["causes"][0]["field"]), (422, &json!("patch")));
    let answer = patch(&server, &path, "strategic-merge", json!({"kind": "Secret"})).await;
    assert_eq!((answer.code, &answer.body["kind"]), (200, &json!("ConfigMap")));
    let answer = patch(&server, &path, "merge", json!({"metadata": {"labels": 5}})).await;
    assert_eq!((answer.code, &answer.body["details"]["causes"][0]["field"]), (422, &json!("patch")));
}

#[tokio::test]
async fn repeated_fields_of_a_patch_are_reported() {
    let server = server();
    ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    let send_patch = async |query: &str, kind: &str, body: &'static str| {
        let request = http::Request::patch(format!("{CONFIG_MAPS}/a?fieldValidation={query}"))
            .header("content-type", format!("application/{kind}-patch+json"))
            .body(bytes::Bytes::from_static(body.as_bytes()));
        send(&server, request.unwrap()).await
    };
    let twice = r#"{"data": {"k": "1", "k": "2"}}"#;
    for kind in ["merge", "strategic-merge"] {
        let answer = send_patch("Strict", kind, twice).await;
        assert_eq!(answer.code, 422);
        assert!(
            answer.message().ends_with(r#"strict decoding error: duplicate field "data.k""#),
            "{answer:?}"
        );
        assert_eq!(send_patch("Warn", kind, twice).await.warnings(), [r#""duplicate field \"data.k\"""#]);
        assert_eq!(send_patch("Ignore", kind, twice).await.warnings(), [""; 0]);
    }
    let operation = r#"[{"op": "add", "op": "add", "path": "/data/j", "value": "1"}]"#;
    let answer = send_patch("Warn", "json", operation).await;
    assert_eq!(answer.warnings(), [r#""json patch duplicate field \"[0].op\"""#]);
}

#[tokio::test]
async fn all_complaints_come_at_once() {
    let server = server();
    let body = r#"{"metadata": {"name": "a"}, "data": {"k": "1", "k": "2"}, "foo": 1}"#;
    let request = http::Request::post(format!("{CONFIG_MAPS}?fieldValidation=Strict"))
        .body(bytes::Bytes::from_static(body.as_bytes()));
    let answer = send(&server, request.unwrap()).await;
    let end = r#"strict decoding error: duplicate field "data.k", unknown field "foo""#;
    assert!(answer.code == 400 && answer.message().ends_with(end), "{answer:?}");
}

#[tokio::test]
async fn many_unknown_fields_are_reported_within_limits() {
    let server = server();
    let mut map = config_map("a");
    for at in 0..50_000 {
        map[format!("unknown{at}")] = json!(1);
    }
    let answer = ask(&server, "POST", &format!("{CONFIG_MAPS}?fieldValidation=Strict"), map.clone()).await;
    assert_eq!(answer.message().matches("unknown field").count(), 100);
    let answer = ask(&server, "POST", CONFIG_MAPS, map).await;
    assert!(answer.code == 201 && (1..=100).contains(&answer.warnings().len()));
}

#[tokio::test]
async fn delete_options_of_the_wrong_type_delete_nothing() {
    let server = server();
    ask(&server, "POST", CONFIG_MAPS, config_map("a")).await;
    let unmarshal = |found: &str, field: &str, wanted: &str| {
        format!("json: cannot unmarshal {found} into Go struct field {field} of type {wanted}")
    };
    for (options, message) in [
        (json!({"dryRun": "All"}), unmarshal("string", "DeleteOptions.dryRun", "[]string")),
        (json!({"dryRun": [5]}), unmarshal("number", "DeleteOptions.dryRun", "string")),
        (json!({"gracePeriodSeconds": "0"}), unmarshal("string", "DeleteOptions.gracePeriodSeconds", "int64")),
        (
            json!({"gracePeriodSeconds": 1.5}),
            unmarshal("number 1.5", "DeleteOptions.gracePeriodSeconds", "int64"),
        ),
        (
            json!({"preconditions": {"uid": 5}}),
            unmarshal("number", "Preconditions.preconditions.uid", "types.UID"),
        ),
        (json!({"orphanDependents": "yes"}), unmarshal("string", "DeleteOptions.orphanDependents", "bool")),
        (
            json!({"kind": "ConfigMap"}),
            "no kind \"ConfigMap\" is registered for version \"meta.k8s.io/v1\" in scheme \
             \"pkg/runtime/scheme.go:111\""
                .to_owned(),
        ),
        (
            json!({"apiVersion": 5}),
            format!(
                "couldn't get version/kind; json parse error: {}",
                unmarshal("number", ".apiVersion", "string")
            ),
        ),
        (
            json!([]),
            "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { \
             APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }"
                .to_owned(),
        ),
    ] {
        let answer = ask(&server, "DELETE", &format!("{CONFIG_MAPS}/a"), options).await;
        assert_eq!((answer.code, &answer.body["reason"]), (400, &json!("BadRequest")));
        assert_eq!(answer.message(), message);
    }
    assert_eq!(
        ask(&server, "DELETE", &format!("{CONFIG_MAPS}/a?gracePeriodSeconds=x"), Value::Null).await.code,
        400
    );
    assert_eq!(get(&server, &format!("{CONFIG_MAPS}/a")).await.code, 200);
}

#[tokio::test]
async fn a_scale_is_checked() {
    let server = server();
    ask(&server, "POST", DEPLOYMENTS, deployment("web")).await;
    let path = format!("{DEPLOYMENTS}/web/scale");
    let scale = |kind: &str, name: &str, replicas: i64| json!({"apiVersion": "autoscaling/v1", "kind": kind, "metadata": {"name": name}, "spec": {"replicas": replicas}});
    for (body, code) in [
        (scale("Deployment", "web", 2), 400),
        (scale("Scale", "other", 2), 400),
        (scale("Scale", "web", -1), 422),
        (scale("Scale", "web", 1 << 31), 400),
        (scale("Scale", "web", 2), 200),
    ] {
        assert_eq!(ask(&server, "PUT", &path, body.clone()).await.code, code, "{body}");
    }
}

#[tokio::test]
async fn a_namespace_keeps_its_label() {
    let server = server();
    let path = "/api/v1/namespaces/default";
    let answer = patch(&server, path, "merge", json!({"metadata": {"labels": null}})).await;
    assert_eq!(answer.body["metadata"]["labels"], json!({"kubernetes.io/metadata.name": "default"}));
}

#[tokio::test]
async fn times_stay_readable() {
    let server = server();
    let mut pod = pod("p");
    pod["spec"]["nodeName"] = json!("n");
    ask(&server, "POST", PODS, pod).await;
    let answer = ask(&server, "DELETE", &format!("{PODS}/p"), json!({"gracePeriodSeconds": i64::MAX})).await;
    assert_eq!(answer.body["metadata"]["deletionTimestamp"], "9999-12-31T23:59:59Z");
    let path = format!("{PODS}?watch=true&resourceVersion=1&timeoutSeconds={}", i64::MAX);
    let request = http::Request::get(path).body(bytes::Bytes::new()).unwrap();
    assert_eq!(server.handle(request).await.status(), 200, "a watch may be asked to last for ever");
}

#[tokio::test]
async fn a_uid_says_which_object_is_meant() {
    let server = server();
    let created = ask(&server, "POST", CONFIG_MAPS, config_map("a")).await.body;
    let path = format!("{CONFIG_MAPS}/a");
    ask(&server, "DELETE", &path, Value::Null).await;
    let text = |own: &str| {
        let given = created["metadata"]["uid"].as_str().unwrap();
        format!(
            "Operation cannot be fulfilled on configmaps \"a\": StorageError: invalid object, Code: 4, Key: \
             /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in \
             precondition: {given}, UID in object meta: {own}"
        )
    };
    let gone = ask(&server, "PUT", &path, created.clone()).await;
    assert_eq!((gone.code, gone.message()), (404, "configmaps \"a\" not found"));
    let again = ask(&server, "POST", CONFIG_MAPS, config_map("a")).await.body;
    let other = ask(&server, "PUT", &path, created.clone()).await;
    assert_eq!(other.message(), text(again["metadata"]["uid"].as_str().unwrap()), "whatever its version");
    let service = json!({"metadata": {"name": "s", "uid": "u"}, "spec": {"ports": [{"port": 80}]}});
    assert_eq!(ask(&server, "PUT", "/api/v1/namespaces/default/services/s", service).await.code, 409);
}

#[tokio::test]
async fn nulls_are_read_as_go_reads_them() {
    let server = server();
    let map = json!({"metadata": {"name": "a", "labels": {"l": null, "m": "1"}, "annotations": {"a": null}},
        "data": {"k": null, "j": "1"}});
    let stored = ask(&server, "POST", CONFIG_MAPS, map).await.body;
    assert_eq!(stored["data"], json!({"k": "", "j": "1"}));
    assert_eq!(stored["metadata"]["labels"], json!({"l": "", "m": "1"}));
    assert_eq!(stored["metadata"]["annotations"], json!({"a": ""}));
    // A port without a number is refused, once it is read.
    let server = ApiServer::builder().validation(Validation::Off).build().unwrap();
    let mut pod = pod("p");
    pod["spec"]["containers"][0]["args"] = json!([null, "x"]);
    pod["spec"]["containers"][0]["ports"] = json!([null]);
    pod["spec"]["containers"][0]["env"] = Value::Null;
    let stored = ask(&server, "POST", PODS, pod).await.body;
    let container = &stored["spec"]["containers"][0];
    assert_eq!(
        (&container["args"], &container["ports"]),
        (&json!(["", "x"]), &json!([{"containerPort": 0, "protocol": "TCP"}]))
    );
    assert_eq!(container.get("env"), None);
}
