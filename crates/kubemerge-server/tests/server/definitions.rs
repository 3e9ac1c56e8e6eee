//! Definitions of custom resources: which are accepted, what may change about them, and how they end.

use kubemerge_server::ApiServer;
use serde_json::{Value, json};

use crate::server::support::*;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

fn definition(plural: &str, kind: &str, schema: Value) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.x.io")},
        "spec": {"group": "x.io", "scope": "Namespaced", "names": {"plural": plural, "kind": kind},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}})
}

/// A schema with one field.
fn with(field: Value) -> Value {
    json!({"type": "object", "properties": {"f": field}})
}

async fn complaint(server: &ApiServer, schema: Value) -> String {
    let answer =
        ask(server, "POST", &format!("{DEFINITIONS}?dryRun=All"), definition("things", "Thing", schema))
            .await;
    let causes = answer.body["details"]["causes"].as_array().cloned().unwrap_or_default();
    let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_string();
    let texts = causes.iter().map(|cause| format!("{}: {}", text(cause, "field"), text(cause, "message")));
    texts.collect::<Vec<_>>().join("; ").replace("spec.validation.openAPIV3Schema.", "")
}

#[tokio::test]
async fn schemas_are_structural() {
    let server = server();
    for (schema, text) in [
        (
            with(json!({"type": "foo"})),
            "properties[f].type: Unsupported value: \"foo\": supported values: \"array\", \"boolean\", \"integer\", \"number\", \"object\", \"string\"",
        ),
        (
            with(json!({"type": "array", "items": [{"type": "string"}]})),
            "properties[f].items: Forbidden: items must be a schema object and not an array",
        ),
        (
            with(json!({"type": "string", "anyOf": [{"type": "string"}]})),
            "properties[f].anyOf[0].type: Forbidden: must be empty to be structural",
        ),
        (
            json!({"type": "object", "oneOf": [{"properties": {"a": {"minimum": 1}}}]}),
            "properties[a]: Required value: because it is defined in oneOf[0].properties[a]",
        ),
        (
            with(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": false})),
            "properties[f].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined",
        ),
        (
            with(json!({"type": "object", "x-kubernetes-embedded-resource": true})),
            "properties[f].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
        ),
        (
            with(json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object"}})),
            "properties[f].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
        ),
        (
            json!({"type": "object", "properties": {"metadata": {"type": "object", "properties": {"labels": {"type": "object"}}}}}),
            "properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
        ),
        (
            with(json!({"type": "integer", "default": "x"})),
            "properties[f].default: Invalid value: \"string\":  in body must be of type integer: \"string\"",
        ),
        (
            with(json!({"type": "object", "properties": {}, "default": {"a": 1}})),
            "properties[f].default: Invalid value: {\"a\":1}: must not have unknown fields",
        ),
        (
            with(json!({"type": "string", "enum": ["a"], "default": "b"})),
            "properties[f].default: Unsupported value: \"b\": supported values: \"a\"",
        ),
    ] {
        assert_eq!(complaint(&server, schema.clone()).await, text, "{schema}");
    }
    let broken = with(json!({"type": "string", "x-kubernetes-validations": [{"rule": "self =="}]}));
    let text = complaint(&server, broken).await;
    assert!(
        text.starts_with(
            "properties[f].x-kubernetes-validations[0].rule: Invalid value: {\"Rule\":\"self ==\",\"Message\":\"\","
        ),
        "{text}"
    );
    let good = json!({"type": "object", "properties": {
        "metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 10}}},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": true, "default": "50%"},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object", "x-kubernetes-map-type": "atomic"}},
        "spec": {"type": "object", "default": {}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}, {"not": {"required": ["c"]}}]},
    }});
    assert_eq!(complaint(&server, good).await, "");
}

#[tokio::test]
async fn paths_of_a_scale_are_checked() {
    let server = server();
    for (scale, texts) in [
        (
            paths(".metadata.generation", ".apiVersion", ".kind"),
            vec![
                "specReplicasPath: Invalid value: \".metadata.generation\": should be a json path under .spec",
                "statusReplicasPath: Invalid value: \".apiVersion\": should be a json path under .status",
                "labelSelectorPath: Invalid value: \".kind\": should be a json path under either .spec or .status",
            ],
        ),
        (
            paths("spec.n", ".status.n", ""),
            vec!["specReplicasPath: Invalid value: \"spec.n\": must be a simple json path starting with ."],
        ),
        (json!({}), vec!["specReplicasPath: Required value", "statusReplicasPath: Required value"]),
    ] {
        let answer = ask(&server, "POST", DEFINITIONS, scaled(scale)).await;
        assert_eq!(answer.code, 422);
        for text in &texts {
            let text = format!("spec.subresources.scale.{text}");
            assert!(answer.message().contains(&text), "{} lacks {text}", answer.message());
        }
        assert_eq!(answer.body["details"]["causes"].as_array().map(Vec::len), Some(texts.len()));
    }
}

fn paths(spec: &str, status: &str, selector: &str) -> Value {
    json!({"specReplicasPath": spec, "statusReplicasPath": status, "labelSelectorPath": selector})
}

fn scaled(scale: Value) -> Value {
    let mut definition = definition(
        "things",
        "Thing",
        json!({"type": "object", "properties": {"spec": {"type": "object",
        "properties": {"n[0]": {"type": "integer"}, "selector": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}),
    );
    definition["spec"]["versions"][0]["subresources"] = json!({"scale": scale});
    definition
}

#[tokio::test]
async fn a_scale_stays_in_its_part_of_the_object() {
    let server = server();
    let answer = ask(&server, "POST", DEFINITIONS, scaled(paths(".spec.n[0]", ".status.n", ""))).await;
    assert_eq!(answer.code, 201, "{answer:?}");
    let things = "/apis/x.io/v1/namespaces/default/things";
    let thing = json!({"apiVersion": "x.io/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"n[0]": 1, "selector": {"a": "b"}}});
    assert_eq!(ask(&server, "POST", things, thing).await.code, 201);
    let wanted = json!({"metadata": {"name": "a"}, "spec": {"replicas": 3}});
    let answer = ask(&server, "PUT", &format!("{things}/a/scale"), wanted).await;
    assert_eq!((answer.code, &answer.body["spec"]["replicas"]), (200, &json!(3)));
    assert_eq!(answer.body["status"], json!({"replicas": 0}), "no path leads to a selector");
    assert_eq!(get(&server, &format!("{things}/a")).await.body["spec"]["n[0]"], 3, "names are no lists");
}

#[tokio::test]
async fn what_objects_are_stored_by_stays() {
    let server = server();
    ask(&server, "POST", DEFINITIONS, definition("things", "Thing", with(json!({"type": "string"})))).await;
    let path = format!("{DEFINITIONS}/things.x.io");
    for (patch, field) in [
        (json!({"spec": {"names": {"kind": "Other"}}}), "spec.names.kind"),
        (json!({"spec": {"scope": "Cluster"}}), "spec.scope"),
        (
            json!({"spec": {"versions": [{"name": "v2", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}}}]}}),
            "status.storedVersions[0]",
        ),
    ] {
        let header = ("content-type", "application/merge-patch+json");
        let answer = ask_as(&server, "PATCH", &path, header, patch).await;
        assert_eq!((answer.code, &answer.body["details"]["causes"][0]["field"]), (422, &json!(field)));
    }
}

#[tokio::test]
async fn names_are_given_once_in_a_group() {
    let server = server();
    let schema = || with(json!({"type": "string"}));
    let mut first = definition("things", "Thing", schema());
    first["spec"]["names"]["shortNames"] = json!(["th"]);
    ask(&server, "POST", DEFINITIONS, first).await;
    let mut second = definition("others", "Other", schema());
    second["spec"]["names"]["shortNames"] = json!(["th"]);
    ask(&server, "POST", DEFINITIONS, second).await;
    let answer = get(&server, &format!("{DEFINITIONS}/others.x.io")).await;
    let condition = &answer.body["status"]["conditions"][0];
    assert_eq!(
        (&condition["reason"], &condition["message"]),
        (&json!("ShortNamesConflict"), &json!("\"th\" is already in use"))
    );
    assert_eq!(answer.body["status"]["acceptedNames"]["plural"], "others");
    assert_eq!(
        get(&server, "/apis/x.io/v1/others").await.code,
        404,
        "not served before all names are accepted"
    );
    ask(&server, "POST", DEFINITIONS, definition("thingz", "Thing", schema())).await;
    let answer = get(&server, &format!("{DEFINITIONS}/thingz.x.io")).await;
    assert_eq!(answer.body["status"]["conditions"][0]["reason"], "ListKindConflict");
}

#[tokio::test]
async fn nothing_is_created_while_a_definition_goes() {
    let server = server();
    ask(&server, "POST", DEFINITIONS, definition("things", "Thing", with(json!({"type": "string"})))).await;
    let things = "/apis/x.io/v1/namespaces/default/things";
    let thing = |name: &str, finalizers: Value| json!({"apiVersion": "x.io/v1", "kind": "Thing", "metadata": {"name": name, "finalizers": finalizers}});
    assert_eq!(ask(&server, "POST", things, thing("a", json!(["x.io/wait"]))).await.code, 201);
    ask(&server, "DELETE", &format!("{DEFINITIONS}/things.x.io"), Value::Null).await;
    let answer = ask(&server, "POST", things, thing("b", json!([]))).await;
    let text =
        "things.x.io \"b\" is forbidden: create not allowed while custom resource definition is terminating";
    assert_eq!((answer.code, answer.message()), (403, text));
    assert_eq!(
        ask(&server, "PUT", &format!("{things}/a"), {
            let mut thing = get(&server, &format!("{things}/a")).await.body;
            thing["metadata"]["finalizers"] = json!([]);
            thing
        })
        .await
        .code,
        200
    );
    assert_eq!(get(&server, things).await.code, 404, "the API went with its last object");
}

/// A definition with a default in its spec and its status.
fn with_defaults() -> Value {
    let mut definition = definition(
        "things",
        "Thing",
        json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": {"a": {"type": "string"}, "size": {"type": "integer", "default": 3}}},
            "status": {"type": "object", "properties": {"phase": {"type": "string", "default": "New"}}}}}),
    );
    definition["spec"]["versions"][0]["subresources"] = json!({"status": {}});
    definition
}

const THINGS: &str = "/apis/x.io/v1/namespaces/default/things";

#[tokio::test]
async fn leaving_out_what_defaults_fill_in_is_no_change() {
    let server = server();
    ask(&server, "POST", DEFINITIONS, with_defaults()).await;
    let thing =
        json!({"apiVersion": "x.io/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": {"a": "x"}});
    let mut stored = ask(&server, "POST", THINGS, thing).await.body;
    assert_eq!(stored["spec"], json!({"a": "x", "size": 3}));
    let before = stored["metadata"].clone();
    stored["spec"] = json!({"a": "x"});
    let path = format!("{THINGS}/t");
    let answer = ask(&server, "PUT", &path, stored.clone()).await;
    assert_eq!((answer.code, &answer.body["metadata"]), (200, &before), "nothing was written");
    stored["metadata"]["labels"] = json!({"l": "1"});
    let answer = ask(&server, "PUT", &path, stored).await;
    assert_eq!(
        (&answer.body["metadata"]["generation"], &answer.body["spec"]["size"]),
        (&json!(1), &json!(3))
    );
    let merge = ("content-type", "application/merge-patch+json");
    let answer = ask_as(&server, "PATCH", &path, merge, json!({"spec": {"size": null}})).await;
    assert_eq!(
        (&answer.body["metadata"]["generation"], &answer.body["spec"]["size"]),
        (&json!(1), &json!(3))
    );
    let status = json!({"status": {}, "spec": {"size": 9}});
    let answer = ask_as(&server, "PATCH", &format!("{path}/status"), merge, status).await;
    assert_eq!((&answer.body["status"], &answer.body["spec"]["size"]), (&json!({"phase": "New"}), &json!(3)));
}

#[tokio::test]
async fn objects_are_shown_as_the_schema_of_today_has_them() {
    let server = server();
    let first = with(json!({"type": "string"}));
    ask(&server, "POST", DEFINITIONS, definition("things", "Thing", first)).await;
    let thing = json!({"apiVersion": "x.io/v1", "kind": "Thing", "metadata": {"name": "t"}, "f": "old"});
    ask(&server, "POST", THINGS, thing).await;
    let revision = server.revision();
    let watch = format!("{THINGS}?watch=true&resourceVersion={revision}");
    let mut watch = Watch::open(&server, &watch).await;
    let schema = json!({"type": "object", "properties": {"g": {"type": "string", "default": "new"}}});
    let merge = ("content-type", "application/merge-patch+json");
    let change = json!({"spec": {"versions": definition("things", "Thing", schema)["spec"]["versions"]}});
    ask_as(&server, "PATCH", &format!("{DEFINITIONS}/things.x.io"), merge, change).await;
    let shown = get(&server, &format!("{THINGS}/t")).await.body;
    assert_eq!((&shown["f"], &shown["g"]), (&Value::Null, &json!("new")));
    assert_eq!(shown["metadata"]["resourceVersion"], json!(revision.to_string()), "no client has written it");
    assert_eq!(get(&server, THINGS).await.body["items"][0], shown);
    let labels = json!({"metadata": {"labels": {"l": "1"}}});
    let patched = ask_as(&server, "PATCH", &format!("{THINGS}/t"), merge, labels).await.body;
    assert_eq!((&patched["f"], &patched["g"]), (&Value::Null, &json!("new")));
    assert_eq!(patched["metadata"]["generation"], 1);
    assert_eq!(watch.next().await.unwrap()["object"], patched, "watches follow the definition too");
    ask(&server, "DELETE", &format!("{DEFINITIONS}/things.x.io"), Value::Null).await;
    assert_eq!(watch.line().await, "DELETED t", "before the watch ends");
    assert_eq!(watch.next().await, None);
}

#[tokio::test]
async fn custom_objects_say_what_they_are() {
    let server = server();
    ask(&server, "POST", DEFINITIONS, with_defaults()).await;
    for (body, member) in
        [(json!({"apiVersion": "x.io/v1"}), "Kind"), (json!({"kind": "Thing"}), "apiVersion")]
    {
        let answer = ask(&server, "POST", THINGS, body.clone()).await;
        let text = format!(
            "Thing in version \"v1\" cannot be handled as a Thing: Object '{member}' is missing in '{body}'"
        );
        assert_eq!((answer.code, answer.message()), (400, text.as_str()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watches_end_with_their_definition_whoever_is_faster() {
    let server = server();
    for _ in 0..50 {
        ask(&server, "POST", DEFINITIONS, with_defaults()).await;
        let path = format!("{THINGS}?watch=true&resourceVersion={}", server.revision());
        let mut watch = Watch::open(&server, &path).await;
        let watching = tokio::spawn(async move { watch.next().await });
        ask(&server, "DELETE", &format!("{DEFINITIONS}/things.x.io"), Value::Null).await;
        let end = tokio::time::timeout(std::time::Duration::from_mins(1), watching).await;
        assert_eq!(end.expect("the watch ends").unwrap(), None);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn definitions_that_come_at_once_are_all_served() {
    for _ in 0..20 {
        let server = server();
        let plurals: Vec<String> = (0..8).map(|at| format!("things{at}")).collect();
        let creating = plurals.iter().map(|plural| {
            let server = server.clone();
            let kind = plural.replace("things", "Thing");
            let body = definition(plural, &kind, json!({"type": "object"}));
            tokio::spawn(async move { ask(&server, "POST", DEFINITIONS, body).await.code })
        });
        for code in futures_util::future::join_all(creating).await {
            assert_eq!(code.unwrap(), 201);
        }
        for plural in &plurals {
            assert_eq!(get(&server, &format!("/apis/x.io/v1/{plural}")).await.code, 200, "{plural}");
        }
    }
}

#[tokio::test]
async fn formats_that_mean_nothing_and_sets_of_objects_get_a_warning() {
    let server = server();
    let fields = json!({
        "a": {"type": "string", "format": "color"},
        "b": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object",
            "x-kubernetes-map-type": "atomic", "properties": {"c": {"type": "integer", "format": "int32"}}}},
        "d": {"type": "integer", "format": "uint8"},
        "e": {"type": "string", "format": "date-time"},
        "f": {"type": "object", "format": "color"},
    });
    let created = definition("things", "Thing", json!({"type": "object", "properties": fields}));
    let answer = ask(&server, "POST", DEFINITIONS, created).await;
    assert_eq!(
        answer.warnings(),
        [
            "\"unrecognized format \\\"color\\\"\"",
            "\"unrecognized format \\\"uint8\\\"\"",
            "\"x-kubernetes-list-type: set for items of type \\\"object\\\" is not supported by server-side apply \
             or CEL validation rules\"",
        ]
    );
    let path = format!("{DEFINITIONS}/things.x.io");
    let stored = get(&server, &path).await.body;
    let again = ask(&server, "PUT", &path, stored).await;
    assert!(again.code == 200 && again.warnings().is_empty(), "{again:?}");
}
