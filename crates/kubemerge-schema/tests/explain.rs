//! What people are told: types by name, rules in words, changes between versions, exported documents.

use kubemerge_schema::{
    Dialect, ListStrategy, Merge, Overlay, OverlayRule, RuleChange, Schema, SchemaBuilder, changes,
};
use serde_json::{Value, json};

fn newest(dialect: Dialect) -> Schema {
    Schema::builtin("1.37", dialect).unwrap()
}

/// The sentence and the reasons for a field, one line each.
fn explained(schema: &Schema, kind: &str, path: &str) -> String {
    let ty = schema.find(kind).unwrap_or_else(|error| panic!("{error}"));
    match ty.explain(path) {
        Ok(explanation) => {
            let mut lines = vec![explanation.sentence()];
            lines.extend(explanation.because);
            lines.join("\n")
        }
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn check(dialect: Dialect, kind: &str, path: &str, expected: &[&str]) {
    assert_eq!(explained(&newest(dialect), kind, path), expected.join("\n"), "{kind} {path}");
}

#[test]
fn service_ports_are_explained_in_both_dialects() {
    check(
        Dialect::Upstream,
        "v1/Service",
        "spec.ports",
        &[
            "the list merges by port",
            "x-kubernetes-patch-strategy: merge",
            "x-kubernetes-patch-merge-key: port",
            "ignored: x-kubernetes-list-map-keys: port,protocol",
        ],
    );
    check(
        Dialect::Spec,
        "v1/Service",
        "spec.ports",
        &[
            "the list merges by port,protocol (protocol defaults to TCP)",
            "x-kubernetes-patch-strategy: merge",
            "x-kubernetes-patch-merge-key: port",
            "x-kubernetes-list-map-keys: port,protocol (they hold the merge key, so all of them count)",
        ],
    );
}

#[test]
fn every_kind_of_rule_has_words() {
    let none = "no x-kubernetes-patch-strategy";
    check(
        Dialect::Upstream,
        "Pod",
        "",
        &["the map merges field by field", "the root of an object always merges"],
    );
    check(Dialect::Upstream, "Pod", "spec.nodeName", &["the value is replaced", "scalars have no rule"]);
    check(Dialect::Upstream, "Pod", "spec.tolerations", &["the list is replaced as a whole", none]);
    check(
        Dialect::Upstream,
        "Pod",
        "metadata.labels",
        &["the map merges field by field", "no metadata says otherwise"],
    );
    check(
        Dialect::Upstream,
        "Pod",
        "metadata.finalizers",
        &["the list merges by value", "x-kubernetes-patch-strategy: merge"],
    );
    check(
        Dialect::Upstream,
        "Pod",
        "spec.volumes",
        &[
            "the list merges by name; generated patches name the fields to keep ($retainKeys)",
            "x-kubernetes-patch-strategy: merge,retainKeys",
            "x-kubernetes-patch-merge-key: name",
        ],
    );
    check(
        Dialect::Upstream,
        "PodDisruptionBudget",
        "spec.selector",
        &["the map is replaced as a whole", "x-kubernetes-patch-strategy: replace"],
    );
    check(
        Dialect::Spec,
        "Deployment",
        "spec.selector",
        &["the map is replaced as a whole", "x-kubernetes-map-type: atomic"],
    );
    check(
        Dialect::Upstream,
        "Deployment",
        "spec.selector",
        &["the map merges field by field", none, "ignored: x-kubernetes-map-type: atomic"],
    );
    check(
        Dialect::Spec,
        "CSIDriver",
        "spec.volumeLifecycleModes",
        &["the list merges as a set", "x-kubernetes-list-type: set"],
    );
    check(
        Dialect::Upstream,
        "CSIDriver",
        "spec.volumeLifecycleModes",
        &["the list is replaced as a whole", none, "ignored: x-kubernetes-list-type: set"],
    );
}

#[test]
fn explanations_are_data_too() {
    let schema = newest(Dialect::Spec);
    let explanation =
        schema.find("Deployment").unwrap().explain("spec.template.spec.containers[0].ports").unwrap();
    assert_eq!(explanation.definition, Some("io.k8s.api.core.v1.Container"));
    assert_eq!(explanation.field, "ports");
    assert_eq!(explanation.value, "list of io.k8s.api.core.v1.ContainerPort");
    let Merge::List { strategy: ListStrategy::Keyed(keys), optional, .. } = explanation.merge else {
        panic!("{explanation:?}")
    };
    assert_eq!(keys.iter().map(|key| key.name.as_str()).collect::<Vec<_>>(), ["containerPort", "protocol"]);
    assert_eq!(optional.iter().map(|key| key.name.as_str()).collect::<Vec<_>>(), ["protocol"]);
}

#[test]
fn wrong_paths_say_what_there_is() {
    assert_eq!(
        explained(&newest(Dialect::Spec), "v1/Namespace", "spec.finalisers"),
        "there is no field \"finalisers\" in spec; it has finalizers"
    );
    assert_eq!(
        explained(&newest(Dialect::Spec), "v1/Namespace", "spec.finalizers.x"),
        "there is no field \"x\" in spec.finalizers, which declares no fields"
    );
}

#[test]
fn overlays_are_given_as_the_reason() {
    let overlay = Overlay::new().rule(OverlayRule::definition("ServiceSpec", "ports").keys(["name", "port"]));
    let schema = SchemaBuilder::builtin("1.37").unwrap().overlay(overlay).compile(Dialect::Spec).unwrap();
    assert_eq!(
        explained(&schema, "svc", "spec.ports"),
        "the list merges by name,port\nx-kubernetes-patch-strategy: merge\noverlay keys: name,port"
    );
}

#[test]
fn types_have_many_names() {
    let schema = newest(Dialect::Upstream);
    let name = |asked: &str| match schema.find(asked) {
        Ok(ty) => ty.definition_name().unwrap().to_owned(),
        Err(error) => error.to_string(),
    };
    for asked in [
        "apps/v1/Deployment",
        "Deployment",
        "deployment",
        "deployments",
        "deploy",
        "io.k8s.api.apps.v1.Deployment",
    ] {
        assert_eq!(name(asked), "io.k8s.api.apps.v1.Deployment", "{asked}");
    }
    assert_eq!(name("HorizontalPodAutoscaler"), "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler");
    assert_eq!(name("hpa"), "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler");
    assert_eq!(name("PodSpec"), "io.k8s.api.core.v1.PodSpec");
    assert_eq!(name("Event"), "\"Event\" may be v1/Event or events.k8s.io/v1/Event (name one of them)");
    assert_eq!(
        name("Nothing"),
        "no kind, resource or definition is called \"Nothing\" (`schema kinds` lists the kinds)"
    );
}

#[test]
fn changes_name_fields_whose_rules_differ() {
    let document = |field: Value, extra: Value| {
        let schemas = json!({"A": {"type": "object", "properties": {
            "changed": field, "same": {"type": "array", "items": {"type": "string"}}, "extra": extra,
        }}});
        let document = json!({"components": {"schemas": schemas}});
        SchemaBuilder::new().openapi_v3(&document).unwrap().compile(Dialect::Upstream).unwrap()
    };
    let list = |strategy: &str| json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": strategy});
    let before = document(list("replace"), json!({"type": "string"}));
    let after = document(list("merge"), list("merge"));
    let change = |field: &str, before: &str| RuleChange {
        definition: "A".into(),
        field: field.into(),
        before: Some(before.into()),
        after: Some("the list merges by value".into()),
    };
    assert_eq!(
        changes(&before, &after),
        [change("changed", "the list is replaced as a whole"), change("extra", "the value is replaced")]
    );
    assert_eq!(changes(&after, &after), []);
}

#[test]
fn changes_between_versions_are_few() {
    let [old, new] = ["1.31", "1.32"].map(|version| Schema::builtin(version, Dialect::Upstream).unwrap());
    let changed = changes(&old, &new);
    assert!(changed.len() < 20, "{}", changed.len());
    let both = changed.iter().filter(|change| change.before.is_some() && change.after.is_some());
    assert_eq!(both.map(|change| change.field.as_str()).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn exported_documents_keep_the_rules() {
    for dialect in [Dialect::Upstream, Dialect::Spec] {
        let schema = newest(dialect);
        let document = schema.export();
        let ports = &document["definitions"]["io.k8s.api.core.v1.ServiceSpec"]["properties"]["ports"];
        let keys = if dialect == Dialect::Spec { json!(["port", "protocol"]) } else { json!(["port"]) };
        assert_eq!(ports["x-kubernetes-list-map-keys"], keys);
        assert_eq!(ports["x-kubernetes-patch-strategy"], "merge");
        let again = SchemaBuilder::new().openapi_v2(&document).unwrap().compile(dialect).unwrap();
        let differences: Vec<RuleChange> =
            changes(&schema, &again).into_iter().filter(|change| !is_lost_in_export(change)).collect();
        assert_eq!(differences, [], "{dialect:?}");
        assert_eq!(again.kinds().len(), schema.kinds().len());
    }
}

/// Version 2 has no defaults, sets of `spec` are written as merge strategies, and a strategy on the list
/// hides that its items are atomic.
fn is_lost_in_export(change: &RuleChange) -> bool {
    let before = change.before.as_deref().unwrap_or_default();
    before.contains("defaults to") || before.contains("as a set") || before.contains("an item on both sides")
}

#[test]
fn exported_documents_tell_the_scope() {
    let document = newest(Dialect::Upstream).export();
    assert!(document["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"]["get"].is_object());
    assert!(document["paths"]["/api/v1/nodes/{name}"]["get"].is_object());
}
