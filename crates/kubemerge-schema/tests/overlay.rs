//! Overlays: what they change, and what is said about those that cannot work.

use kubemerge_schema::overlay::Presence;
use kubemerge_schema::{Dialect, ListStrategy, LoadErrorKind, Overlay, OverlayRule, Schema, SchemaBuilder};
use serde_json::{Value, json};

fn compile(overlay: Overlay, dialect: Dialect) -> Result<Schema, String> {
    let builder = SchemaBuilder::builtin("1.37").unwrap().overlay(overlay);
    builder.compile(dialect).map_err(|error| {
        assert_eq!(error.kind(), LoadErrorKind::BadOverlay);
        error.to_string()
    })
}

/// The rule of a list field of a definition.
fn list(schema: &Schema, definition: &str, field: &str) -> String {
    let rule = schema.definition(definition).unwrap().list_field(field).unwrap();
    let keys = match rule.strategy {
        ListStrategy::Keyed(keys) => keys
            .iter()
            .map(|key| {
                key.default.as_ref().map_or(key.name.clone(), |default| format!("{}={default}", key.name))
            })
            .collect::<Vec<_>>()
            .join(","),
        other => format!("{other:?}"),
    };
    format!("{keys}{}", if rule.retain_keys { " + retainKeys" } else { "" })
}

#[track_caller]
fn refused(rule: OverlayRule, text: &str) {
    assert_eq!(compile(Overlay::new().rule(rule), Dialect::Spec).unwrap_err(), text);
}

#[test]
fn keys_are_used_as_they_are() {
    let rule = OverlayRule::definition("ServiceSpec", "ports").keys(["name", "port"]);
    let schema = compile(Overlay::new().rule(rule), Dialect::Spec).unwrap();
    assert_eq!(list(&schema, "io.k8s.api.core.v1.ServiceSpec", "ports"), "name,port=0");
    assert_eq!(schema.warnings(), []);
}

#[test]
fn a_rule_changes_no_other_field() {
    let before = Schema::builtin("1.37", Dialect::Spec).unwrap();
    let rule = OverlayRule::kind("v1/Pod", "spec.tolerations").keys(["key"]);
    let after = compile(Overlay::new().rule(rule), Dialect::Spec).unwrap();
    let mut changed = Vec::new();
    for definition in after.definitions() {
        for field in definition.ty().fields().filter(|field| field.ty.items().is_some()) {
            let name = definition.name();
            if list(&before, name, field.name) != list(&after, name, field.name) {
                changed.push(format!("{name}.{}", field.name));
            }
        }
    }
    assert_eq!(changed, ["io.k8s.api.core.v1.PodSpec.tolerations"]);
}

#[test]
fn documents_say_the_same_as_code() {
    let document = json!({"rules": [
        {"definition": "ServiceSpec", "field": "ports", "keys": ["name", "port"], "defaults": {"name": "main"}},
        {"kind": "apps/v1/Deployment", "path": "spec.template.spec.containers[].env", "strategy": "merge,retainKeys"},
        {"definition": "PodSpec", "field": "tolerations", "keys": "key,operator"},
    ]});
    let read = Overlay::read(&document).unwrap();
    let built = Overlay::new()
        .rule(
            OverlayRule::definition("ServiceSpec", "ports")
                .keys(["name", "port"])
                .default("name", json!("main")),
        )
        .rule(
            OverlayRule::kind("apps/v1/Deployment", "spec.template.spec.containers[].env")
                .strategy("merge,retainKeys"),
        )
        .rule(OverlayRule::definition("PodSpec", "tolerations").keys(["key", "operator"]));
    assert_eq!(read, built);
    let schema = compile(read, Dialect::Spec).unwrap();
    assert_eq!(list(&schema, "ServiceSpec", "ports"), "name=\"main\",port=0");
    assert_eq!(list(&schema, "io.k8s.api.core.v1.Container", "env"), "name=\"\" + retainKeys");
    assert_eq!(list(&schema, "io.k8s.api.core.v1.PodSpec", "tolerations"), "key,operator");
}

#[test]
fn defaults_stay_with_their_list() {
    let rule = OverlayRule::definition("ServiceSpec", "ports")
        .keys(["port", "protocol"])
        .default("protocol", json!("UDP"));
    let schema = compile(Overlay::new().rule(rule), Dialect::Spec).unwrap();
    assert_eq!(list(&schema, "ServiceSpec", "ports"), "port=0,protocol=\"UDP\"");
    let port = schema.definition("io.k8s.api.core.v1.ServicePort").unwrap();
    assert_eq!(port.field("protocol").unwrap().ty.default(), Some(json!("TCP")));
}

#[test]
fn forgetting_the_published_key_is_a_warning() {
    let rule = OverlayRule::definition("ServiceSpec", "ports").keys(["name"]);
    let schema = compile(Overlay::new().rule(rule), Dialect::Spec).unwrap();
    let [warning] = schema.warnings() else { panic!("{:?}", schema.warnings()) };
    assert_eq!(
        warning.to_string(),
        "ServiceSpec.ports: the key set name lacks the published key port: clients that know only that one cannot \
         address the items [overlay-forgets-key]"
    );
}

#[test]
fn upstream_ignores_overlays_with_a_warning() {
    let rule = OverlayRule::definition("ServiceSpec", "ports").keys(["name", "port"]);
    let schema = compile(Overlay::new().rule(rule), Dialect::Upstream).unwrap();
    assert_eq!(list(&schema, "ServiceSpec", "ports"), "port");
    assert_eq!(schema.warnings().len(), 1);
    assert_eq!(schema.warnings()[0].rule, "overlay-ignored");
}

#[test]
fn impossible_rules_are_refused() {
    let ports = || OverlayRule::definition("ServiceSpec", "ports");
    refused(ports().keys([""; 0]), "ServiceSpec.ports: the key set is empty");
    refused(ports().keys([""]), "ServiceSpec.ports: \"\" is no field name");
    refused(ports().keys(["a,b"]), "ServiceSpec.ports: \"a,b\" is no field name");
    refused(ports().keys(["port", "port"]), "ServiceSpec.ports: a key occurs twice");
    refused(ports().keys(["nothing"]), "ServiceSpec.ports: the items have no field \"nothing\"");
    refused(ports(), "ServiceSpec.ports: a rule needs keys, a strategy, or both");
    refused(
        ports().strategy("union"),
        "ServiceSpec.ports: \"union\" is no strategy; there are merge, replace and retainKeys",
    );
    refused(
        ports().keys(["port"]).strategy("replace"),
        "ServiceSpec.ports: keys have no effect with the strategy \"replace\"",
    );
    refused(
        OverlayRule::definition("ServiceSpec", "selector").keys(["a"]),
        "ServiceSpec.selector: the field is not a list, so it cannot have keys",
    );
    refused(
        OverlayRule::definition("Nothing", "x").keys(["a"]),
        "Nothing.x: there is no such type in the schema",
    );
    refused(
        OverlayRule::kind("v1/Namespace", "spec.nothing").keys(["a"]),
        "v1/Namespace spec.nothing: there is no field \"nothing\" in spec; it has finalizers",
    );
}

#[test]
fn malformed_documents_are_refused() {
    let refused = |document: Value, text: &str| {
        assert_eq!(Overlay::read(&document).unwrap_err().to_string(), text);
    };
    refused(json!(null), "rules: expected a list of rules");
    refused(json!({"rules": [1]}), "rules[0]: expected a rule");
    refused(
        json!({"rules": [{"definition": "A"}]}),
        "rules[0]: a rule names a definition and a field, or a kind and a path",
    );
    refused(json!({"rules": [{"definition": 1, "field": "b"}]}), "rules[0].definition: expected a string");
    refused(
        json!({"rules": [{"definition": "A", "field": "b", "key": "c"}]}),
        "rules[0].key: unknown; a rule has definition, field, kind, path, keys, strategy, defaults",
    );
    refused(
        json!({"rules": [{"definition": "A", "field": "b", "keys": [1]}]}),
        "rules[0].keys: expected a list of field names",
    );
}

#[test]
fn the_ready_made_overlay_fits_every_version() {
    for release in kubemerge_schema::builtin::releases() {
        let builder = SchemaBuilder::builtin(release.version).unwrap().overlay(Overlay::design_documents());
        let schema = builder.compile(Dialect::Spec).unwrap();
        assert_eq!(list(&schema, "ServiceSpec", "ports"), "name,port=0", "{}", release.version);
        assert_eq!(list(&schema, "io.k8s.api.core.v1.Container", "ports"), "name,containerPort=0");
        let container = schema.definition("io.k8s.api.core.v1.Container").unwrap();
        assert!(container.map_field("livenessProbe").unwrap().retain_keys);
        assert_eq!(schema.warnings(), []);
    }
}

#[test]
fn every_ready_made_rule_still_has_its_field() {
    let mut strict = Overlay::new();
    for rule in Overlay::design_documents().rules() {
        let mut rule = rule.clone();
        rule.presence = Presence::Expected;
        strict = strict.rule(rule);
    }
    assert!(compile(strict, Dialect::Spec).is_ok());
}
