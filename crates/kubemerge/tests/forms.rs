//! Documents in any form on every side of a verb, and patches as values: kept, written, read, converted.

use kubemerge::{
    Applier, Canonical, Dialect, KubectlApplied, OnConflict, Patch, PatchType, RuleSource, Schema,
    SchemaBuilder, ServerSideApply, Target, Time, Typed, Versions, Yaml, admit, admit_update, apply,
    apply_in_place, diff, json_three_way, kubectl_apply, owners_of, three_way,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    api_version: String,
    kind: String,
    metadata: Value,
    data: Value,
}

fn config(data: Value) -> Config {
    let [api_version, kind] = ["v1", "ConfigMap"].map(str::to_owned);
    Config { api_version, kind, metadata: json!({"name": "c", "namespace": "default"}), data }
}

fn value(data: Value) -> Value {
    serde_json::to_value(config(data)).unwrap()
}

fn schema() -> Schema {
    Schema::latest(Dialect::Upstream)
}

/// A definition of Widgets.
fn definition() -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "properties": {
                    "size": {"type": "integer", "minimum": 1}, "color": {"type": "string", "default": "red"}}}}}}}]}})
}

#[test]
fn the_sides_of_a_verb_have_forms_of_their_own() {
    let (schema, wanted) = (schema(), config(json!({"a": "2"})));
    let live = value(json!({"a": "1"}));
    let patch = diff(&schema, &live, &Typed(&wanted), Target::Strategic).unwrap();
    assert_eq!(patch.to_string(), r#"{"data":{"a":"2"}}"#);
    let text = live.to_string();
    let versions = Versions { original: text.as_str(), modified: &Typed(&wanted), current: &live };
    assert_eq!(three_way(&schema, &versions, OnConflict::Fail).unwrap().to_bytes(), patch.to_bytes());
    assert_eq!(json_three_way(&versions, &[]).unwrap().to_bytes(), patch.to_bytes());
    let applied = kubectl_apply(&schema, &Typed(&wanted), Some(&live), OnConflict::Overwrite).unwrap();
    let KubectlApplied::Configured { result, .. } = applied else { panic!("{applied:?}") };
    assert_eq!(result["data"], json!({"a": "2"}), "the form of the live object");
    let stored = admit_update(&schema, &Typed(&wanted), &live).unwrap();
    assert_eq!(stored["data"], live["data"]);
}

#[test]
fn server_side_apply_takes_any_form() {
    let server_side = ServerSideApply::new(&schema());
    let wanted = config(json!({"a": "1"}));
    let applied = server_side.apply(None::<&Value>, &Typed(&wanted), &Applier::new("me")).unwrap();
    assert_eq!(&*owners_of(&applied.object, ".data.a").unwrap()[0].manager, "me");
    let yaml = Yaml("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {b: '1'}\n");
    let both = server_side.apply(Some(&applied.object), &yaml, &Applier::new("you")).unwrap().object;
    assert_eq!(both["data"], json!({"a": "1", "b": "1"}));
    let canonical = Canonical::from_bytes(both.to_string().as_bytes()).unwrap();
    assert_eq!(&*owners_of(&canonical, ".data.b").unwrap()[0].manager, "you");
}

#[test]
fn entries_have_a_time_only_if_one_is_given() {
    let server_side = ServerSideApply::new(&schema());
    let config = value(json!({"a": "1"}));
    let entry = |applier: &Applier<'_>| {
        server_side.apply(None::<&Value>, &config, applier).unwrap().object["metadata"]["managedFields"][0]
            .clone()
    };
    assert_eq!(entry(&Applier::new("me")).get("time"), None);
    let time = Time::parse("2026-01-02T03:04:05Z").unwrap();
    assert_eq!(entry(&Applier::new("me").at(time))["time"], "2026-01-02T03:04:05Z");
}

#[test]
fn a_patch_keeps_what_it_is_given_by_value() {
    let made: Vec<Patch<'static>> = vec![
        Patch::strategic(json!({"data": {"a": "2"}})).unwrap(),
        Patch::merge(r#"{"data":{"a":"2"}}"#.to_owned()).unwrap(),
        Patch::json(br#"[{"op":"replace","path":"/data/a","value":"2"}]"#.to_vec()).unwrap(),
        Patch::strategic(Yaml("data: {a: '2'}")).unwrap(),
        Patch::apply(value(json!({"a": "2"})), Applier::new("me".to_owned()).forced()).unwrap(),
    ];
    let borrowed = "{\"data\": {\"a\": \"2\"}}".to_owned();
    let owned = Patch::merge(&borrowed).unwrap().into_owned().unwrap();
    drop(borrowed);
    for patch in made.iter().chain([&owned]) {
        let mut live = value(json!({"a": "1"}));
        apply_in_place(&schema(), &mut live, patch).unwrap();
        assert_eq!(live["data"], json!({"a": "2"}), "{patch:?}");
    }
}

#[test]
fn an_object_that_cannot_be_patched_stays_as_it_is() {
    let mut live = value(json!({"a": "1"}));
    let before = live.clone();
    let patch =
        Patch::json(json!([{"op": "remove", "path": "/data/a"}, {"op": "remove", "path": "/data/b"}]))
            .unwrap();
    apply_in_place(RuleSource::None, &mut live, &patch).unwrap_err();
    assert_eq!(live, before);
}

#[test]
fn patches_are_written_and_read_by_serde() {
    let configuration = value(json!({}));
    for (patch, written) in [
        (Patch::merge(json!({"a": null})).unwrap(), json!({"type": "merge", "patch": {"a": null}})),
        (Patch::strategic(json!({})).unwrap(), json!({"type": "strategic", "patch": {}})),
        (Patch::json(json!([])).unwrap(), json!({"type": "json", "patch": []})),
        (
            Patch::apply(&configuration, Applier::new("me").forced()).unwrap(),
            json!({"type": "apply", "patch": configuration, "fieldManager": "me", "force": true}),
        ),
    ] {
        assert_eq!(serde_json::to_value(&patch).unwrap(), written);
        let read: Patch<'static> = serde_json::from_value(written).unwrap();
        assert_eq!((read.patch_type(), read.to_bytes()), (patch.patch_type(), patch.to_bytes()));
        let manager =
            |patch: &Patch<'_>| patch.applier().map(|one| (one.manager().to_owned(), one.is_forced()));
        assert_eq!(manager(&read), manager(&patch));
    }
    for wrong in
        [json!({"type": "merge", "patch": []}), json!({"type": "other", "patch": {}}), json!({"patch": {}})]
    {
        assert!(serde_json::from_value::<Patch<'_>>(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn patches_are_converted_from_and_to_those_of_json_patch() {
    let operations: json_patch::Patch =
        serde_json::from_value(json!([{"op": "test", "path": "/a", "value": 1}])).unwrap();
    let patch = Patch::try_from(&operations).unwrap();
    assert_eq!(patch.patch_type(), PatchType::Json);
    assert_eq!(json_patch::Patch::try_from(&patch).unwrap(), operations);
    let merge = Patch::merge(json!({})).unwrap();
    assert_eq!(json_patch::Patch::try_from(&merge).unwrap_err().kind().name(), "not-convertible");
    let wrong = Patch::json(json!([{"op": "fly"}])).unwrap();
    assert_eq!(json_patch::Patch::try_from(&wrong).unwrap_err().kind().name(), "invalid-json-patch");
}

#[test]
fn patches_are_converted_from_and_to_those_of_kube() {
    use kube_core::params::Patch as KubePatch;
    let operations = serde_json::from_value(json!([{"op": "remove", "path": "/a"}])).unwrap();
    for (given, patch_type) in [
        (KubePatch::Strategic(json!({"a": 1})), PatchType::Strategic),
        (KubePatch::Merge(json!({"a": 1})), PatchType::Merge),
        (KubePatch::Json(operations), PatchType::Json),
        (KubePatch::Apply(value(json!({}))), PatchType::Apply),
    ] {
        let patch = Patch::try_from(&given).unwrap();
        assert_eq!(patch.patch_type(), patch_type);
        assert_eq!(KubePatch::try_from(&patch).unwrap(), given);
    }
}

#[test]
fn custom_resources_are_admitted_and_take_no_strategic_patch() {
    let builder = SchemaBuilder::builtin("1.37").unwrap().document(&definition()).unwrap();
    let schema = builder.compile(Dialect::Upstream).unwrap();
    let widget = |spec: Value| json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": spec});
    assert_eq!(admit(&schema, &widget(json!({}))).unwrap()["spec"]["color"], "red");
    let refusal = admit(&schema, &widget(json!({"size": 0}))).unwrap_err();
    assert_eq!(refusal.field_errors()[0].field, "spec.size");
    let patch = Patch::strategic(json!({"spec": {"size": 2}})).unwrap();
    let error = apply(&schema, &widget(json!({})), &patch).unwrap_err();
    assert_eq!((error.kind().name(), error.http_status()), ("unsupported-type", 415));
    let unknown =
        apply(&schema, &json!({"apiVersion": "example.com/v1", "kind": "Gadget"}), &patch).unwrap_err();
    assert_eq!(unknown.http_status(), 400, "a type that the schema lacks may well take such patches");
}

#[test]
fn a_type_can_be_named() {
    let schema = schema();
    let rules = RuleSource::Kind { schema: &schema, api_version: "v1", kind: "Pod" };
    let live = json!({"spec": {"containers": [{"name": "a"}, {"name": "b"}]}});
    let patch = Patch::strategic(json!({"spec": {"containers": [{"name": "b", "image": "i"}]}})).unwrap();
    let patched = apply(rules, &live, &patch).unwrap();
    assert_eq!(patched["spec"]["containers"].as_array().unwrap().len(), 2);
}

#[test]
fn yaml_is_one_document() {
    let patch = Patch::merge(json!({})).unwrap();
    let error = |text: &str| apply(RuleSource::None, &Yaml(text), &patch).unwrap_err().to_string();
    assert!(error("a: 1\n---\nb: 2\n").contains("2 documents"), "{}", error("a: 1\n---\nb: 2\n"));
    assert!(error("a: [").contains("line 1"), "{}", error("a: ["));
    assert_eq!(apply(RuleSource::None, &Yaml("# nothing\n"), &patch).unwrap(), "{}\n");
}
