//! Custom resource definitions: what loads, what it becomes, and which rules refuse it.

use kubemerge_schema::check::{self, Severity};
use kubemerge_schema::{Dialect, ListStrategy, LoadErrorKind, MapStrategy, Origin, Schema, SchemaBuilder};
use serde_json::{Value, json};

fn definition(schema: Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["w"], "categories": ["all"]},
            "versions": [
                {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}},
                {"name": "v0", "served": false, "storage": false},
            ],
        },
    })
}

/// A definition whose `spec` has one field `f`.
fn with_field(field: Value) -> Value {
    definition(json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"f": field}},
    }}))
}

fn compiled(document: &Value, dialect: Dialect) -> Schema {
    SchemaBuilder::new().custom_resource_definition(document).unwrap().compile(dialect).unwrap()
}

/// The findings below `spec.f`, as `severity path rule`.
fn findings(document: &Value) -> Vec<String> {
    let prefix = "spec.versions[0].schema.openAPIV3Schema";
    let one = |finding: &check::SchemaFinding| {
        let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
        let path = finding.path.strip_prefix(prefix).unwrap_or(&finding.path);
        let path = path.strip_prefix(".properties[spec].properties[f]").unwrap_or(path);
        format!("{severity} {path} {}", finding.rule)
    };
    check::document(document).iter().map(one).collect()
}

#[track_caller]
fn check_root(schema: Value, expected: &[&str]) {
    assert_eq!(findings(&definition(schema.clone())), expected, "{schema}");
}

#[track_caller]
fn check_field(field: Value, expected: &[&str]) {
    assert_eq!(findings(&with_field(field.clone())), expected, "{field}");
}

#[test]
fn every_served_version_becomes_a_type_and_a_resource() {
    let schema = compiled(&with_field(json!({"type": "string"})), Dialect::Upstream);
    let ty = schema.type_of("example.com/v1", "Widget").unwrap();
    assert_eq!(ty.definition_name(), Some("com.example.v1.Widget"));
    assert_eq!(ty.origin(), Some(Origin::CustomResource));
    assert!(ty.is_custom_resource());
    assert!(schema.type_of("example.com/v0", "Widget").is_none(), "v0 is not served");
    let widgets = schema.resource("example.com", "v1", "widgets").unwrap();
    assert_eq!((widgets.kind(), widgets.singular(), widgets.is_namespaced()), ("Widget", "widget", true));
    assert_eq!(widgets.short_names().chain(widgets.categories()).collect::<Vec<_>>(), ["w", "all"]);
    assert_eq!(widgets.list_kind(), "WidgetList");
    assert_eq!(widgets.subresources().count(), 0);
}

#[test]
fn metadata_is_implied() {
    let embedded = json!({
        "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
    });
    for dialect in [Dialect::Upstream, Dialect::Spec] {
        let schema = compiled(&with_field(embedded.clone()), dialect);
        let root = schema.type_of("example.com/v1", "Widget").unwrap();
        let inner = root.map_field("spec").unwrap().value.map_field("f").unwrap().value;
        for ty in [root, inner] {
            let metadata = ty.map_field("metadata").unwrap().value;
            let owners = metadata.list_field("ownerReferences").unwrap().strategy;
            assert!(matches!(owners, ListStrategy::Keyed([key]) if key.name == "uid"));
            assert_eq!(metadata.list_field("finalizers").unwrap().strategy, ListStrategy::Scalars);
            assert!(metadata.map_field("labels").is_ok());
        }
    }
}

#[test]
fn own_metadata_counts_in_spec_only() {
    let item = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "proto": {"type": "string", "default": "TCP"},
    }});
    let list = |mut extensions: Value| {
        extensions["type"] = json!("array");
        extensions["items"] = item.clone();
        with_field(extensions)
    };
    let keyed =
        list(json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "proto"]}));
    let patched =
        list(json!({"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"}));
    let keys = |document: &Value, dialect| {
        let schema = compiled(document, dialect);
        let spec = schema.type_of("example.com/v1", "Widget").unwrap().map_field("spec").unwrap().value;
        match spec.list_field("f").unwrap().strategy {
            ListStrategy::Keyed(keys) => {
                keys.iter().map(|key| key.name.clone()).collect::<Vec<_>>().join(",")
            }
            other => format!("{other:?}"),
        }
    };
    assert_eq!(keys(&keyed, Dialect::Spec), "name,proto");
    assert_eq!(keys(&keyed, Dialect::Upstream), "Atomic");
    assert_eq!(keys(&patched, Dialect::Spec), "name");
    assert_eq!(keys(&patched, Dialect::Upstream), "Atomic", "the API server drops patch metadata");
}

#[test]
fn all_of_restricts_and_never_describes() {
    let field = json!({
        "type": "object", "x-kubernetes-map-type": "atomic",
        "properties": {"a": {"type": "string"}}, "allOf": [{"required": ["a"]}],
    });
    let schema = compiled(&with_field(field), Dialect::Spec);
    let spec = schema.type_of("example.com/v1", "Widget").unwrap().map_field("spec").unwrap().value;
    assert_eq!(spec.map_field("f").unwrap().strategy, MapStrategy::Replace);
    assert!(spec.map_field("f").unwrap().value.field("a").is_some());
}

#[track_caller]
fn refused(document: Value, kind: LoadErrorKind, text: &str) {
    let error = SchemaBuilder::new().document(&document).expect_err("the definition must be refused");
    assert_eq!((error.kind(), error.to_string().as_str()), (kind, text));
}

#[test]
fn broken_definitions_are_refused() {
    let mut without_schema = definition(json!(null));
    without_schema["spec"]["versions"][0]["schema"] = json!({});
    refused(
        without_schema,
        LoadErrorKind::MissingSchema,
        "spec.versions[0].schema.openAPIV3Schema: version v1 has no schema \
         (every served version needs schema.openAPIV3Schema)",
    );
    let mut unserved = definition(json!({"type": "object"}));
    unserved["spec"]["versions"][0]["served"] = json!(false);
    refused(unserved, LoadErrorKind::Malformed, "spec.versions: no version is served");
    let mut old = definition(json!({"type": "object"}));
    old["apiVersion"] = json!("apiextensions.k8s.io/v1beta1");
    let text = "apiVersion: expected apiextensions.k8s.io/v1, found \"apiextensions.k8s.io/v1beta1\"";
    refused(old, LoadErrorKind::Malformed, text);
    let mut nameless = definition(json!({"type": "object"}));
    nameless["spec"]["names"] = json!([]);
    refused(nameless, LoadErrorKind::Malformed, "spec.names.kind: expected a string");
    refused(
        with_field(json!({"type": "array"})),
        LoadErrorKind::BrokenRule,
        "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[f].items: must be specified \
         [array-without-items] (the API server refuses the definition, too)",
    );
}

#[test]
fn rules_about_types() {
    check_field(json!({}), &["error .type type-missing"]);
    check_field(json!({"type": "null"}), &["error .type type-value", "error .type type-value"]);
    check_field(json!({"x-kubernetes-int-or-string": true}), &[]);
    check_field(json!({"x-kubernetes-preserve-unknown-fields": true}), &[]);
    check_field(
        json!({"x-kubernetes-preserve-unknown-fields": false, "type": "object"}),
        &["error .x-kubernetes-preserve-unknown-fields preserve-unknown-fields"],
    );
    check_field(json!({"type": "array", "items": {}}), &["error .items.type type-missing"]);
    check_field(
        json!({"type": "array", "items": [{"type": "string"}]}),
        &["error .items keyword-not-supported"],
    );
    check_field(json!({"type": "string", "$ref": "#/x"}), &["error .$ref keyword-not-supported"]);
    check_field(
        json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true}),
        &["error .uniqueItems unique-items"],
    );
    check_field(
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}}),
        &["error .additionalProperties properties-exclude-additional"],
    );
}

#[test]
fn rules_about_the_root() {
    check_root(json!({}), &["error .type type-missing"]);
    check_root(json!({"type": "string"}), &["error .type structural-root"]);
    check_root(json!({"type": "object", "nullable": true}), &["error .nullable structural-root"]);
    check_root(
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
        &["error .additionalProperties structural-root"],
    );
    check_root(
        json!({"type": "object", "properties": {"kind": {"type": "integer"}}}),
        &["error .properties[kind].type type-value"],
    );
    check_root(
        json!({"type": "object", "properties": {"metadata": {"type": "object", "properties": {
            "name": {"type": "string"}, "labels": {"type": "object"},
        }}}}),
        &["error .properties[metadata] metadata-implied"],
    );
    check_root(
        json!({"type": "object", "properties": {"kind": {"type": "string", "default": "X"}}}),
        &["error .properties[kind].default default-in-metadata"],
    );
    let mut with_status = definition(json!({"type": "object", "anyOf": [{"required": ["a"]}]}));
    assert_eq!(findings(&with_status), [""; 0]);
    with_status["spec"]["versions"][0]["subresources"] = json!({"status": {}});
    assert_eq!(findings(&with_status), ["error .anyOf status-subresource-root"]);
}

#[test]
fn rules_about_embedded_resources_and_int_or_string() {
    check_field(
        json!({"type": "string", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}),
        &["error .type embedded-resource-type"],
    );
    check_field(
        json!({"type": "object", "x-kubernetes-embedded-resource": true}),
        &["error .properties embedded-resource-properties"],
    );
    check_field(
        json!({"x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true}),
        &["error .x-kubernetes-preserve-unknown-fields int-or-string-excludes"],
    );
    let pattern = json!([{"type": "integer"}, {"type": "string"}]);
    check_field(json!({"x-kubernetes-int-or-string": true, "anyOf": pattern}), &[]);
    check_field(
        json!({"x-kubernetes-int-or-string": true, "allOf": [{"anyOf": pattern}, {"pattern": "a"}]}),
        &[],
    );
    check_field(
        json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "string"}, {"type": "integer"}]}),
        &["error .anyOf[0].type not-structural", "error .anyOf[1].type not-structural"],
    );
}

#[test]
fn rules_about_embedded_metadata() {
    let embedded = |metadata: Value| {
        json!({"type": "object", "x-kubernetes-embedded-resource": true, "properties": {
            "metadata": {"type": "object", "properties": {"labels": metadata}},
        }})
    };
    check_field(embedded(json!({"type": "object", "additionalProperties": {"type": "string"}})), &[]);
    check_field(
        embedded(json!({"type": "object", "additionalProperties": {"type": "string", "default": "x"}})),
        &["error .properties[metadata].properties[labels].additionalProperties.default default-in-metadata"],
    );
    let inner = json!({
        "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
    });
    check_field(
        embedded(inner),
        &["error .properties[metadata].properties[labels].x-kubernetes-embedded-resource metadata-implied"],
    );
}

#[test]
fn patterns_must_compile() {
    check_field(json!({"type": "string", "pattern": "^[a-z]\\/(x|y)+$"}), &[]);
    check_field(json!({"type": "string", "pattern": "(unclosed"}), &["error .pattern pattern-invalid"]);
    check_field(json!({"type": "string", "pattern": "(?=ahead)"}), &["error .pattern pattern-invalid"]);
}

#[test]
fn rules_about_restrictions() {
    let declared = |restriction: Value| json!({"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [restriction]});
    check_field(declared(json!({"properties": {"a": {"minLength": 1}}})), &[]);
    check_field(
        declared(json!({"properties": {"a": {"type": "string"}}})),
        &["error .anyOf[0].properties[a].type not-structural"],
    );
    let undeclared = declared(json!({"properties": {"b": {"minLength": 1}}}));
    check_root(undeclared.clone(), &["error .properties[b] not-structural"]);
    // Upstream: only restrictions of the root are about declared fields alone.
    check_field(undeclared, &[]);
    check_field(declared(json!({"not": {"default": 1}})), &["error .anyOf[0].not.default not-structural"]);
    check_field(declared(json!({"nullable": false})), &[]);
    check_field(declared(json!({"nullable": true})), &["error .anyOf[0].nullable not-structural"]);
}

#[test]
fn rules_about_list_and_map_types() {
    check_field(
        json!({"type": "object", "x-kubernetes-list-type": "set"}),
        &["error .type list-type-needs-array"],
    );
    check_field(
        json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "bag"}),
        &["error .x-kubernetes-list-type list-type-value"],
    );
    check_field(
        json!({"type": "string", "x-kubernetes-map-type": "atomic"}),
        &["error .type map-type-needs-object"],
    );
    check_field(
        json!({"type": "object", "x-kubernetes-map-type": "set"}),
        &["error .x-kubernetes-map-type map-type-value"],
    );
    let set = |items: Value| json!({"type": "array", "x-kubernetes-list-type": "set", "items": items});
    check_field(set(json!({"type": "string"})), &[]);
    check_field(set(json!({"type": "object"})), &["error .items.x-kubernetes-map-type set-items-atomic"]);
    check_field(set(json!({"type": "object", "x-kubernetes-map-type": "atomic"})), &[]);
    check_field(set(json!({"type": "string", "nullable": true})), &["error .items.nullable items-nullable"]);
}

#[test]
fn rules_about_keys() {
    let keyed = |keys: Value, items: Value| json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": items});
    let items = |key: Value| json!({"type": "object", "required": ["a"], "properties": {"a": key, "b": {"type": "string"}}});
    let good = items(json!({"type": "string"}));
    check_field(keyed(json!(["a"]), good.clone()), &[]);
    check_field(keyed(json!([]), good.clone()), &["error .x-kubernetes-list-map-keys list-map-keys-missing"]);
    check_field(
        keyed(json!("a"), good.clone()),
        &[
            "error .x-kubernetes-list-map-keys extension-value",
            "error .x-kubernetes-list-map-keys list-map-keys-missing",
        ],
    );
    check_field(
        keyed(json!(["a", "a"]), good.clone()),
        &["error .x-kubernetes-list-map-keys list-map-keys-repeated"],
    );
    check_field(
        keyed(json!(["z"]), good.clone()),
        &["error .x-kubernetes-list-map-keys list-map-key-unknown"],
    );
    check_field(
        keyed(json!(["b"]), good.clone()),
        &["error .items.properties[b].default list-map-key-optional"],
    );
    check_field(
        keyed(json!(["a"]), items(json!({"type": "object"}))),
        &["error .items.properties[a].type list-map-key-scalar"],
    );
    check_field(
        keyed(json!(["a"]), items(json!({"type": "string", "nullable": true}))),
        &["error .items.properties[a].nullable list-map-key-nullable"],
    );
    check_field(
        json!({"type": "array", "items": good, "x-kubernetes-list-map-keys": ["a"]}),
        &["error .x-kubernetes-list-type list-map-keys-need-map"],
    );
}

#[test]
fn patch_metadata_is_a_warning() {
    check_field(
        json!({"type": "object", "x-kubernetes-patch-strategy": "replace"}),
        &["warning .x-kubernetes-patch-strategy patch-metadata-dropped"],
    );
}

#[test]
fn openapi_documents_are_checked_and_still_load() {
    let document = json!({"definitions": {
        "Root": {"type": "object", "properties": {
            "narrow": {
                "type": "array", "items": {"$ref": "#/definitions/Item"},
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"],
                "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "a",
            },
            "words": {"type": "object", "x-kubernetes-patch-strategy": "merge,replace"},
            "lost": {"type": "array", "items": {"$ref": "#/definitions/Item"}, "x-kubernetes-patch-merge-key": "a"},
            "unknown": {
                "type": "array", "items": {"$ref": "#/definitions/Item"},
                "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "z",
            },
            "number": {"type": "object", "x-kubernetes-patch-strategy": 1},
        }},
        "Item": {
            "type": "object", "required": ["a", "b"],
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "x-kubernetes-unions": [{"discriminator": "c", "fields-to-discriminateBy": {"a": "A"}}],
            "x-kubernetes-group-version-kind": [{"group": ""}],
        },
    }, "paths": {"/x": {"get": {"x-kubernetes-action": "steal"}}}});
    let found: Vec<String> = check::document(&document)
        .iter()
        .map(|finding| {
            assert_eq!(finding.severity, Severity::Warning);
            format!("{} {}", finding.path, finding.rule)
        })
        .collect();
    assert_eq!(
        found,
        [
            "definitions[Item].x-kubernetes-group-version-kind[0] extension-value",
            "definitions[Item].x-kubernetes-unions[0] union-field-unknown",
            "definitions[Root].properties[lost].x-kubernetes-patch-merge-key merge-key-needs-merge",
            "definitions[Root].properties[narrow].x-kubernetes-list-type merges-disagree",
            "definitions[Root].properties[number].x-kubernetes-patch-strategy extension-value",
            "definitions[Root].properties[unknown].x-kubernetes-patch-merge-key merge-key-unknown",
            "definitions[Root].properties[words].x-kubernetes-patch-strategy patch-strategy-words",
            "paths[/x].get.x-kubernetes-action action-value",
        ]
    );
    _ = SchemaBuilder::new().document(&document).unwrap();
}

/// The design document of retainKeys writes `merge|retainKeys`, which means something to the dialect spec only.
#[test]
fn a_bar_in_a_strategy_is_told_once() {
    let document = json!({"swagger": "2.0", "definitions": {"A": {"properties": {"list": {
        "type": "array",
        "items": {"type": "object", "properties": {"name": {"type": "string"}}},
        "x-kubernetes-patch-strategy": "merge|retainKeys",
        "x-kubernetes-patch-merge-key": "name",
    }}}}});
    let found: Vec<String> = check::document(&document).iter().map(ToString::to_string).collect();
    let wanted = "definitions[A].properties[list].x-kubernetes-patch-strategy: \"merge|retainKeys\": Kubernetes \
        reads words between commas; only the spec dialect reads a bar [patch-strategy-words]";
    assert_eq!(found, [wanted]);
}

/// The violations of a schema as `path kind detail`.
fn violations(schema: Value) -> Vec<String> {
    let show = |finding: check::SchemaFinding| {
        let violation = finding.violation?;
        let kind = match violation.kind {
            check::ViolationKind::Required => "required".to_owned(),
            check::ViolationKind::Forbidden => "forbidden".to_owned(),
            check::ViolationKind::Invalid(value) => format!("invalid {value}"),
            check::ViolationKind::NotSupported { value, supported } => format!("{value} of {supported:?}"),
        };
        Some(format!("{} {kind} {}", finding.path, violation.detail).trim_end().to_owned())
    };
    let found = [check::structural_schema(&schema, "s"), check::schema_keywords(&schema, "s")];
    let mut shown: Vec<String> = found.into_iter().flatten().filter_map(show).collect();
    shown.sort();
    shown
}

#[test]
fn violations_are_those_of_the_api_server() {
    assert_eq!(
        violations(json!({"type": "object", "properties": {
            "keys": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["z"],
                "items": {"type": "object"}},
            "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object"}},
            "word": {"type": "text", "x-kubernetes-patch-strategy": "merge"},
            "untyped": {"x-kubernetes-map-type": "atomic", "x-kubernetes-preserve-unknown-fields": false},
        }})),
        [
            r#"s.properties[keys].x-kubernetes-list-map-keys invalid ["z"] entries must all be names of item properties"#,
            "s.properties[set].items.x-kubernetes-map-type invalid null must be atomic as item of a list with \
             x-kubernetes-list-type=set",
            "s.properties[untyped].type required must be object if x-kubernetes-map-type is specified",
            "s.properties[untyped].type required must not be empty for specified object fields",
            "s.properties[untyped].x-kubernetes-preserve-unknown-fields invalid false must be true or undefined",
            r#"s.properties[word].type "text" of ["array", "boolean", "integer", "number", "object", "string"]"#,
        ]
    );
}
