//! Custom resources: served at once, pruned, defaulted, validated, versioned, retired.

use kube::{
    Api, CustomResource, CustomResourceExt,
    api::{DynamicObject, Patch, PatchParams, PostParams},
    discovery::ApiResource,
};
use kubemerge_schema::{Dialect, Overlay};
use kubemerge_server::{ApiServer, CustomStrategicMerge, Scope, Validation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::server::support::*;

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "example.io",
    version = "v1",
    kind = "Widget",
    namespaced,
    status = "WidgetStatus",
    shortname = "wd"
)]
#[kube(scale(spec_replicas_path = ".spec.replicas", status_replicas_path = ".status.replicas"))]
struct WidgetSpec {
    #[serde(default = "one")]
    replicas: i32,
    #[serde(default)]
    colour: Option<String>,
}

#[derive(Serialize, Deserialize, Clone, Debug, Default, JsonSchema)]
struct WidgetStatus {
    replicas: i32,
}

fn one() -> i32 {
    1
}

fn definition() -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "gadgets.example.io"},
    "spec": {"group": "example.io", "scope": "Cluster",
        "names": {"plural": "gadgets", "kind": "Gadget", "shortNames": ["gd"], "categories": ["all"]},
        "versions": [
            {"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "selectableFields": [{"jsonPath": ".spec.colour"}],
                "additionalPrinterColumns": [{"name": "Colour", "type": "string", "jsonPath": ".spec.colour"}],
                "schema": {"openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {
                    "spec": {"type": "object", "required": ["size"],
                        "x-kubernetes-validations": [
                            {"rule": "self.size <= self.most", "message": "size must not pass most"},
                        ],
                        "properties": {
                            "size": {"type": "integer", "minimum": 1},
                            "most": {"type": "integer", "default": 10},
                            "colour": {"type": "string", "enum": ["red", "blue"], "default": "red"},
                            "ports": {"type": "array", "x-kubernetes-list-type": "map",
                                "x-kubernetes-list-map-keys": ["port"],
                                "items": {"type": "object", "required": ["port"], "properties": {
                                    "port": {"type": "integer"}, "name": {"type": "string"}}}},
                        }},
                    "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}},
                }}}},
            {"name": "v1beta1", "served": true, "storage": false, "deprecated": true,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}},
        ]}})
}

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const GADGETS: &str = "/apis/example.io/v1/gadgets";

async fn with_gadgets() -> ApiServer {
    let server = server();
    let created = ask(&server, "POST", DEFINITIONS, definition()).await;
    assert_eq!(created.code, 201, "{:?}", created.body);
    server
}

fn gadget(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "example.io/v1", "kind": "Gadget", "metadata": {"name": name}, "spec": spec})
}

#[tokio::test]
async fn typed_custom_resources_work_through_the_client() {
    let server = ApiServer::builder().crds([Widget::crd()]).build().unwrap();
    let widgets: Api<Widget> = Api::default_namespaced(server.client());
    let widget = Widget::new("w", WidgetSpec { replicas: 2, colour: None });
    let created = widgets.create(&PostParams::default(), &widget).await.unwrap();
    assert_eq!(created.metadata.generation, Some(1));
    let status = json!({"status": {"replicas": 2}});
    let patched = widgets.patch_status("w", &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
    assert_eq!((patched.status.unwrap().replicas, patched.metadata.generation), (2, Some(1)));
    let scale = widgets.get_scale("w").await.unwrap();
    assert_eq!((scale.spec.unwrap().replicas, scale.status.unwrap().replicas), (Some(2), 2));
    let strategic = widgets.patch("w", &PatchParams::default(), &Patch::Strategic(json!({}))).await;
    assert_eq!(crate::server::support::status(strategic).code, 415);
}

#[tokio::test]
async fn a_definition_is_established_and_served_at_once() {
    let server = with_gadgets().await;
    let stored = get(&server, &format!("{DEFINITIONS}/gadgets.example.io")).await.body;
    let conditions = stored["status"]["conditions"].as_array().unwrap();
    assert!(conditions.iter().any(|one| one["type"] == "Established" && one["status"] == "True"));
    assert_eq!(stored["status"]["acceptedNames"]["listKind"], "GadgetList");
    assert_eq!(stored["status"]["storedVersions"], json!(["v1"]));
    let resources = get(&server, "/apis/example.io/v1").await.body;
    assert_eq!(resources["resources"][0]["shortNames"], json!(["gd"]));
    assert_eq!(resources["resources"][1]["name"], "gadgets/status");
    assert_eq!(get(&server, "/apis/example.io").await.body["preferredVersion"]["version"], "v1");
    let list = get(&server, GADGETS).await.body;
    assert_eq!((&list["kind"], &list["items"]), (&json!("GadgetList"), &json!([])));
}

#[tokio::test]
async fn objects_are_pruned_and_defaulted() {
    let server = with_gadgets().await;
    let created =
        ask(&server, "POST", GADGETS, gadget("a", json!({"size": 2, "unknown": 1, "colour": null}))).await;
    assert_eq!(created.code, 201, "{:?}", created.body);
    assert_eq!(created.body["spec"], json!({"size": 2, "most": 10, "colour": "red"}));
    assert_eq!(created.warnings(), ["\"unknown field \\\"spec.unknown\\\"\""]);
}

#[tokio::test]
async fn unknown_fields_are_refused_on_demand() {
    let server = with_gadgets().await;
    let strict = ask(
        &server,
        "POST",
        &format!("{GADGETS}?fieldValidation=Strict"),
        gadget("b", json!({"size": 1, "x": 1})),
    )
    .await;
    assert_eq!(
        strict.message(),
        "Gadget in version \"v1\" cannot be handled as a Gadget: strict decoding error: unknown field \"spec.x\""
    );
}

#[tokio::test]
async fn objects_are_validated_by_their_schema() {
    let server = with_gadgets().await;
    for (spec, text) in [
        (
            json!({"size": 0}),
            "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
        ),
        (
            json!({"size": "x"}),
            "spec.size: Invalid value: \"string\": spec.size in body must be of type integer: \"string\"",
        ),
        (json!({}), "spec.size: Required value"),
        (
            json!({"size": 1, "colour": "green"}),
            "spec.colour: Unsupported value: \"green\": supported values: \"red\", \"blue\"",
        ),
        (json!({"size": 11}), "spec: Invalid value: size must not pass most"),
        (
            json!({"size": 1, "ports": [{"port": 1}, {"port": 1}]}),
            "spec.ports[1]: Duplicate value: {\"port\":1}",
        ),
    ] {
        let refused = ask(&server, "POST", GADGETS, gadget("b", spec)).await;
        assert_eq!(refused.code, 422, "{:?}", refused.body);
        let cause = &refused.body["details"]["causes"][0];
        let told = format!("{}: {}", cause["field"].as_str().unwrap(), cause["message"].as_str().unwrap());
        assert_eq!(told, text);
        assert_eq!(refused.body["details"]["kind"], "Gadget");
    }
}

#[tokio::test]
async fn what_was_invalid_before_may_stay() {
    let server = with_gadgets().await;
    server.set(gadget("old", json!({"size": 0, "most": 10, "colour": "red"}))).unwrap();
    let mut object = get(&server, &format!("{GADGETS}/old")).await.body;
    object["metadata"]["labels"] = json!({"a": "b"});
    assert_eq!(ask(&server, "PUT", &format!("{GADGETS}/old"), object.clone()).await.code, 200);
    object = get(&server, &format!("{GADGETS}/old")).await.body;
    object["spec"]["size"] = json!(-1);
    assert_eq!(
        ask(&server, "PUT", &format!("{GADGETS}/old"), object).await.code,
        422,
        "another invalid value"
    );
}

#[tokio::test]
async fn status_is_apart_from_the_rest() {
    let server = with_gadgets().await;
    let mut wanted = gadget("a", json!({"size": 1}));
    wanted["status"] = json!({"ready": true});
    let mut object = ask(&server, "POST", GADGETS, wanted).await.body;
    assert_eq!(object["status"], Value::Null);
    object["status"] = json!({"ready": true});
    object["spec"]["size"] = json!(5);
    object["metadata"]["labels"] = json!({"a": "b"});
    let after = ask(&server, "PUT", &format!("{GADGETS}/a/status"), object.clone()).await.body;
    assert_eq!((&after["status"]["ready"], &after["spec"]["size"]), (&json!(true), &json!(1)));
    assert_eq!(after["metadata"]["labels"], Value::Null);
}

#[tokio::test]
async fn an_update_needs_a_version() {
    let server = with_gadgets().await;
    let mut object = ask(&server, "POST", GADGETS, gadget("a", json!({"size": 1}))).await.body;
    object["metadata"]["resourceVersion"] = Value::Null;
    let blind = ask(&server, "PUT", &format!("{GADGETS}/a"), object).await;
    assert_eq!(blind.code, 422);
    assert!(blind.message().contains("must be specified for an update"));
}

#[tokio::test]
async fn versions_show_the_same_object() {
    let server = with_gadgets().await;
    ask(&server, "POST", GADGETS, gadget("a", json!({"size": 1}))).await;
    let other = get(&server, "/apis/example.io/v1beta1/gadgets/a").await;
    assert_eq!(other.body["apiVersion"], "example.io/v1beta1");
    assert_eq!(other.warnings(), ["\"example.io/v1beta1 Gadget is deprecated\""]);
    let list = get(&server, "/apis/example.io/v1beta1/gadgets").await.body;
    assert_eq!(
        list["items"][0]["apiVersion"], "example.io/v1beta1",
        "items of custom lists carry their type"
    );
    let revision = server.revision();
    let same = ask(&server, "PUT", "/apis/example.io/v1beta1/gadgets/a", other.body).await;
    assert_eq!((same.code, server.revision()), (200, revision), "another version is no change");
}

#[tokio::test]
async fn selectable_fields_and_printer_columns() {
    let server = with_gadgets().await;
    ask(&server, "POST", GADGETS, gadget("a", json!({"size": 1}))).await;
    ask(&server, "POST", GADGETS, gadget("b", json!({"size": 1, "colour": "blue"}))).await;
    let blue = get(&server, &format!("{GADGETS}?fieldSelector=spec.colour%3Dblue")).await.body;
    assert_eq!(
        (blue["items"].as_array().unwrap().len(), &blue["items"][0]["metadata"]["name"]),
        (1, &json!("b"))
    );
    assert_eq!(get(&server, &format!("{GADGETS}?fieldSelector=spec.size%3D1")).await.code, 400);
    let accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    let table = ask_as(&server, "GET", GADGETS, ("accept", accept), Value::Null).await.body;
    assert_eq!(table["rows"][1]["cells"], json!(["b", "blue"]));
}

#[tokio::test]
async fn strategic_merge_is_refused_unless_wanted() {
    let strategic = "application/strategic-merge-patch+json";
    let ports = json!([{"port": 1, "name": "one"}, {"port": 2}]);
    let change = json!({"spec": {"ports": [{"port": 2, "name": "two"}]}});
    let server = with_gadgets().await;
    ask(&server, "POST", GADGETS, gadget("a", json!({"size": 1, "ports": ports}))).await;
    let refused =
        ask_as(&server, "PATCH", &format!("{GADGETS}/a"), ("content-type", strategic), change.clone()).await;
    assert_eq!(refused.code, 415);
    assert_eq!(
        refused.message(),
        "the body of the request was in an unknown format - accepted media types include: \
         application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
    );
    let server = ApiServer::builder()
        .custom_strategic_merge(CustomStrategicMerge::ByListKeys)
        .crds([definition()])
        .build()
        .unwrap();
    ask(&server, "POST", GADGETS, gadget("a", json!({"size": 1, "ports": ports}))).await;
    let merged = ask_as(&server, "PATCH", &format!("{GADGETS}/a"), ("content-type", strategic), change).await;
    assert_eq!(merged.body["spec"]["ports"], json!([{"port": 1, "name": "one"}, {"port": 2, "name": "two"}]));
    // Metadata merges as that of every object, though no definition declares it.
    for (patch, finalizers) in [
        (json!({"metadata": {"finalizers": ["x.io/a"]}}), json!(["x.io/a"])),
        (json!({"metadata": {"finalizers": ["x.io/b"]}}), json!(["x.io/a", "x.io/b"])),
    ] {
        let merged =
            ask_as(&server, "PATCH", &format!("{GADGETS}/a"), ("content-type", strategic), patch).await;
        let mut given: Vec<Value> =
            merged.body["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
        given.sort_by_key(ToString::to_string);
        assert_eq!(json!(given), finalizers, "{:?}", merged.body);
    }
}

#[tokio::test]
async fn custom_resources_merge_by_list_keys_in_spec() {
    let strategic = ("content-type", "application/strategic-merge-patch+json");
    let server = ApiServer::builder().dialect(Dialect::Spec).crds([definition()]).build().unwrap();
    let ports = json!([{"port": 1, "name": "one"}, {"port": 2}]);
    ask(&server, "POST", GADGETS, gadget("a", json!({"size": 1, "ports": ports}))).await;
    let change = json!({"spec": {"ports": [{"port": 2, "name": "two"}]}});
    let merged = ask_as(&server, "PATCH", &format!("{GADGETS}/a"), strategic, change).await;
    assert_eq!(merged.body["spec"]["ports"], json!([{"port": 1, "name": "one"}, {"port": 2, "name": "two"}]));
}

const APPLY: (&str, &str) = ("content-type", "application/apply-patch+yaml");

/// The definition with a union in its spec.
fn definition_with_union() -> Value {
    let mut definition = definition();
    let spec = &mut definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    for field in ["account", "user", "group"] {
        spec["properties"][field] = json!({"type": "string"});
    }
    spec["x-kubernetes-unions"] =
        json!([{"discriminator": "account", "fields-to-discriminateBy": {"user": "User", "group": "Group"}}]);
    definition
}

#[tokio::test]
async fn unions_clear_and_are_checked_in_spec() {
    let strategic = ("content-type", "application/strategic-merge-patch+json");
    let merge = ("content-type", "application/merge-patch+json");
    let server = ApiServer::builder().dialect(Dialect::Spec).crds([definition_with_union()]).build().unwrap();
    let both = json!({"size": 1, "user": "u", "group": "g"});
    assert_eq!(ask(&server, "POST", GADGETS, gadget("b", both)).await.code, 422);
    let user = json!({"size": 1, "account": "User", "user": "u"});
    assert_eq!(ask(&server, "POST", GADGETS, gadget("a", user)).await.code, 201);
    let path = format!("{GADGETS}/a");
    let group = json!({"spec": {"account": "Group", "group": "g"}});
    let patched = ask_as(&server, "PATCH", &path, strategic, group).await;
    assert_eq!((patched.code, &patched.body["spec"]["user"]), (200, &Value::Null), "{}", patched.body);
    // A merge patch names no union; the changed discriminator clears what it does not select.
    let user = json!({"spec": {"account": "User", "user": "u"}});
    let patched = ask_as(&server, "PATCH", &path, merge, user).await;
    assert_eq!((patched.code, &patched.body["spec"]["group"]), (200, &Value::Null), "{}", patched.body);
    let other = ask_as(&server, "PATCH", &path, merge, json!({"spec": {"user": null}})).await;
    assert_eq!(other.code, 422);
    assert_eq!(other.body["details"]["causes"][0]["field"], "spec.account");
    let contrary = json!({"spec": {"account": "Group", "user": "v"}});
    let refused = ask_as(&server, "PATCH", &path, strategic, contrary).await;
    assert_eq!(
        (refused.code, &refused.body["details"]["causes"][0]["reason"]),
        (422, &json!("invalid-union"))
    );
}

#[tokio::test]
async fn an_apply_clears_what_its_member_excludes_in_spec() {
    let server = ApiServer::builder().dialect(Dialect::Spec).crds([definition_with_union()]).build().unwrap();
    let applied = async |options: &str, spec: Value| {
        let path = format!("{GADGETS}/a?{options}");
        ask_as(&server, "PATCH", &path, APPLY, gadget("a", spec)).await
    };
    let created = applied("fieldManager=me", json!({"size": 1, "user": "u"})).await;
    assert_eq!((created.code, &created.body["spec"]["account"]), (201, &json!("User")), "{}", created.body);
    let owned = &created.body["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"];
    assert_eq!(owned["f:account"], json!({}), "who sets the member owns the discriminator");
    let group = json!({"group": "g"});
    let contested = applied("fieldManager=you", group.clone()).await;
    let causes = &contested.body["details"]["causes"];
    assert_eq!((contested.code, &causes[0]["field"]), (409, &json!(".spec.account")), "{}", contested.body);
    let forced = applied("fieldManager=you&force=true", group.clone()).await;
    let wanted = json!({"size": 1, "account": "Group", "group": "g", "most": 10, "colour": "red"});
    assert_eq!((forced.code, &forced.body["spec"]), (200, &wanted), "{}", forced.body);
    let repeated = applied("fieldManager=you", group).await;
    assert_eq!(repeated.body["metadata"]["resourceVersion"], forced.body["metadata"]["resourceVersion"]);
    let both = applied("fieldManager=you&force=true", json!({"user": "u", "group": "g"})).await;
    let cause = &both.body["details"]["causes"][0];
    assert_eq!(
        (both.code, &cause["reason"], &cause["field"]),
        (422, &json!("invalid-union"), &json!(".spec"))
    );
    // A discriminator alone clears nothing, and what is left is checked.
    assert_eq!(applied("fieldManager=you&force=true", json!({"account": "User"})).await.code, 422);
}

#[tokio::test]
async fn unions_are_ignored_upstream() {
    let server = ApiServer::builder().crds([definition_with_union()]).build().unwrap();
    for (manager, spec) in [("me", json!({"size": 1, "user": "u"})), ("you", json!({"group": "g"}))] {
        let path = format!("{GADGETS}/a?fieldManager={manager}");
        assert!(ask_as(&server, "PATCH", &path, APPLY, gadget("a", spec)).await.code < 300);
    }
    let spec = get(&server, &format!("{GADGETS}/a")).await.body["spec"].take();
    assert_eq!((&spec["user"], &spec["group"], &spec["account"]), (&json!("u"), &json!("g"), &Value::Null));
    let both = json!({"size": 1, "user": "u", "group": "g"});
    assert_eq!(ask(&server, "POST", GADGETS, gadget("b", both)).await.code, 201);
}

#[tokio::test]
async fn overlays_give_lists_other_keys_in_spec() {
    let strategic = ("content-type", "application/strategic-merge-patch+json");
    let services = "/api/v1/namespaces/default/services";
    let change = json!({"spec": {"ports": [{"name": "b", "port": 53, "protocol": "TCP"}]}});
    let mut names = Vec::new();
    for overlay in [Overlay::new(), Overlay::design_documents()] {
        let server = ApiServer::builder()
            .dialect(Dialect::Spec)
            .validation(Validation::Off)
            .overlay(overlay)
            .build()
            .unwrap();
        let ports = json!([{"name": "a", "port": 53, "protocol": "TCP"}]);
        let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "dns"},
            "spec": {"ports": ports}});
        assert_eq!(ask(&server, "POST", services, service).await.code, 201);
        let merged = ask_as(&server, "PATCH", &format!("{services}/dns"), strategic, change.clone()).await;
        names.push(merged.body["spec"]["ports"].as_array().unwrap().len());
    }
    // By port and protocol it is the same port; by name and port it is another one.
    assert_eq!(names, [1, 2]);
}

#[test]
fn no_server_merges_as_kustomize_does() {
    let error = ApiServer::builder().dialect(Dialect::Kustomize).build().err().unwrap();
    assert!(error.to_string().contains("the dialect kustomize only applies patches"), "{error}");
}

#[tokio::test]
async fn bad_definitions_are_refused() {
    let server = server();
    let mut misnamed = definition();
    misnamed["metadata"]["name"] = json!("x.example.io");
    let refused = ask(&server, "POST", DEFINITIONS, misnamed).await;
    assert_eq!(refused.code, 422);
    assert!(
        refused.message().contains("must be spec.names.plural+\".\"+spec.group"),
        "{}",
        refused.message()
    );
    let mut unstructured = definition();
    unstructured["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["type"] =
        Value::Null;
    let refused = ask(&server, "POST", DEFINITIONS, unstructured).await;
    assert!(
        refused.message().contains("must not be empty for specified object fields"),
        "{}",
        refused.message()
    );
    let mut taken = definition();
    taken["spec"]["names"] = json!({"plural": "gadgets", "kind": "Gadget"});
    ask(&server, "POST", DEFINITIONS, definition()).await;
    taken["metadata"]["name"] = json!("other.example.io");
    taken["spec"]["names"]["plural"] = json!("other");
    ask(&server, "POST", DEFINITIONS, taken).await;
    let accepted = get(&server, &format!("{DEFINITIONS}/other.example.io")).await.body;
    assert_eq!(accepted["status"]["conditions"][0]["status"], "False", "the kind is taken");
    assert_eq!(get(&server, "/apis/example.io/v1/other").await.code, 404);
}

#[tokio::test]
async fn a_retired_definition_takes_its_objects_along() {
    let server = with_gadgets().await;
    let mut held = gadget("held", json!({"size": 1}));
    held["metadata"]["finalizers"] = json!(["x.io/hold"]);
    ask(&server, "POST", GADGETS, held).await;
    ask(&server, "POST", GADGETS, gadget("free", json!({"size": 1}))).await;
    let answer = ask(&server, "DELETE", &format!("{DEFINITIONS}/gadgets.example.io"), Value::Null).await;
    assert_eq!((answer.code, answer.body["metadata"]["deletionTimestamp"].is_string()), (200, true));
    assert_eq!(get(&server, &format!("{GADGETS}/free")).await.code, 404);
    let mut held = get(&server, &format!("{GADGETS}/held")).await.body;
    held["metadata"]["finalizers"] = json!([]);
    assert_eq!(ask(&server, "PUT", &format!("{GADGETS}/held"), held).await.code, 200);
    assert_eq!(get(&server, &format!("{DEFINITIONS}/gadgets.example.io")).await.code, 404);
    assert_eq!(get(&server, GADGETS).await.code, 404, "not served any more");
}

#[tokio::test]
async fn dynamic_objects_need_no_types() {
    let server = with_gadgets().await;
    let kind = kube::api::GroupVersionKind::gvk("example.io", "v1", "Gadget");
    let resource = ApiResource::from_gvk_with_plural(&kind, "gadgets");
    let gadgets: Api<DynamicObject> = Api::all_with(server.client(), &resource);
    let object = DynamicObject::new("d", &resource).data(json!({"spec": {"size": 3}}));
    let created = gadgets.create(&PostParams::default(), &object).await.unwrap();
    assert_eq!(created.data["spec"]["most"], 10);
    let nowhere =
        ApiResource::from_gvk_with_plural(&kube::api::GroupVersionKind::gvk("none.io", "v1", "No"), "nos");
    let nos: Api<DynamicObject> = Api::all_with(server.client(), &nowhere);
    assert_eq!(status(nos.list(&Default::default()).await).code, 404);
}

#[tokio::test]
async fn a_kind_needs_no_definition() {
    let server = ApiServer::builder().kind("x.io/v1", "Thing", "things", Scope::Cluster).build().unwrap();
    let resource = ApiResource::from_gvk(&kube::core::GroupVersionKind::gvk("x.io", "v1", "Thing"));
    let things: Api<DynamicObject> = Api::all_with(server.client(), &resource);
    let thing = DynamicObject::new("a", &resource).data(json!({"anything": {"goes": [1, "x"]}}));
    let created = things.create(&PostParams::default(), &thing).await.unwrap();
    assert_eq!(created.data, json!({"anything": {"goes": [1, "x"]}}));
    let broken = ApiServer::builder().kind("v1", "Thing", "things", Scope::Cluster).build();
    assert!(broken.is_err(), "the core group takes no more kinds");
}
