//! How fields are looked up and which rules they get, in every column and dialect.

use kubemerge_schema::{
    Dialect, ItemStrategy, ListRule, ListStrategy, LookupError, MapRule, MapStrategy, Schema, SchemaBuilder,
    Type,
};
use serde_json::{Value, json};

/// The types of these tests, as the `components.schemas` or `definitions` of a document.
fn definitions(prefix: &str) -> Value {
    let item = json!({"$ref": format!("{prefix}Item")});
    json!({
        "example.Root": {"type": "object", "properties": {
            "name": {"type": "string"},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "items": {
                "type": "array", "items": item,
                "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name",
            },
            "ports": {
                "type": "array", "items": item,
                "x-kubernetes-patch-strategy": "merge,retainKeys", "x-kubernetes-patch-merge-key": "port",
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"],
            },
            "comma": {
                "type": "array", "items": item,
                "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name,port",
            },
            "scalars": {"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": "merge"},
            "atomic": {"type": "array", "items": item, "x-kubernetes-list-type": "atomic"},
            "keyed": {
                "type": "array", "items": item,
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            },
            "set": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            "frozenItems": {
                "type": "array", "items": {"$ref": format!("{prefix}Frozen")},
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            },
            "replaced": {"$ref": format!("{prefix}Item"), "x-kubernetes-patch-strategy": "replace"},
            "retained": {"$ref": format!("{prefix}Item"), "x-kubernetes-patch-strategy": "retainKeys"},
            "frozen": {"$ref": format!("{prefix}Frozen")},
            "odd": {"type": "object", "x-kubernetes-patch-strategy": "merge,replace"},
            "inline": {"type": "object", "properties": {"name": {"type": "string"}}},
            "free": {"x-kubernetes-preserve-unknown-fields": true},
            "raw": {"type": "object"},
            "self": {"$ref": format!("{prefix}example.Root")},
        }},
        "Item": {"type": "object", "properties": {
            "name": {"type": "string"},
            "port": {"type": "integer"},
            "protocol": {"type": "string", "default": "TCP"},
            "deep": {"type": "object", "properties": {"x": {"type": "string"}}},
        }},
        "Frozen": {
            "type": "object", "x-kubernetes-map-type": "atomic", "properties": {"name": {"type": "string"}},
        },
    })
}

fn v2(dialect: Dialect) -> Schema {
    let document = json!({"swagger": "2.0", "definitions": definitions("#/definitions/")});
    SchemaBuilder::new().openapi_v2(&document).unwrap().compile(dialect).unwrap()
}

fn v3(dialect: Dialect) -> Schema {
    let mut schemas = definitions("#/components/schemas/");
    wrap_references(&mut schemas);
    let document = json!({"openapi": "3.0.0", "components": {"schemas": schemas}});
    SchemaBuilder::new().openapi_v3(&document).unwrap().compile(dialect).unwrap()
}

/// Writes references that have siblings as v3 documents do.
fn wrap_references(schemas: &mut Value) {
    let properties = schemas["example.Root"]["properties"].as_object_mut().unwrap();
    for property in properties.values_mut().filter_map(Value::as_object_mut) {
        if let Some(reference) = property.remove("$ref") {
            property.insert("allOf".into(), json!([{"$ref": reference}]));
        }
    }
}

/// The rule of a field as text; a path goes through maps, `[]` goes through a list.
fn map_rule(schema: &Schema, path: &str) -> String {
    let (parent, field) = walk(schema, path);
    parent.and_then(|ty| ty.map_field(field)).map_or_else(|error| failure(&error), |rule| describe_map(&rule))
}

fn list_rule(schema: &Schema, path: &str) -> String {
    let (parent, field) = walk(schema, path);
    parent
        .and_then(|ty| ty.list_field(field))
        .map_or_else(|error| failure(&error), |rule| describe_list(&rule))
}

fn walk<'s, 'p>(schema: &'s Schema, path: &'p str) -> (Result<Type<'s>, LookupError>, &'p str) {
    let (parents, field) = path.rsplit_once('.').unwrap_or(("", path));
    let mut ty = Ok(schema.definition("example.Root").unwrap());
    for step in parents.split('.').filter(|step| !step.is_empty()) {
        ty = ty.and_then(|ty| match step.strip_suffix("[]") {
            Some(list) => ty.list_field(list).map(|rule| rule.item),
            None => ty.map_field(step).map(|rule| rule.value),
        });
    }
    (ty, field)
}

fn failure(error: &LookupError) -> String {
    format!("{}: {}", error.kind.name(), error.message)
}

fn describe_map(rule: &MapRule<'_>) -> String {
    let strategy = if rule.strategy == MapStrategy::Merge { "merge" } else { "replace" };
    format!("{strategy}{}", retained(rule.retain_keys))
}

fn describe_list(rule: &ListRule<'_>) -> String {
    let strategy = match rule.strategy {
        ListStrategy::Atomic => "atomic".to_owned(),
        ListStrategy::Scalars => "scalars".to_owned(),
        ListStrategy::Set => "set".to_owned(),
        ListStrategy::Keyed(keys) => {
            let names = keys.iter().map(|key| match &key.default {
                Some(default) => format!("{}={default}", key.name),
                None => key.name.clone(),
            });
            format!("keyed {}", names.collect::<Vec<_>>().join(" "))
        }
    };
    let items = if rule.items == ItemStrategy::Replace { ", items replaced" } else { "" };
    format!("{strategy}{}{items}", retained(rule.retain_keys))
}

fn retained(retain_keys: bool) -> &'static str {
    if retain_keys { " + retainKeys" } else { "" }
}

#[track_caller]
fn check_list(schema: &Schema, expected: &[(&str, &str)]) {
    for (path, rule) in expected {
        assert_eq!(list_rule(schema, path), *rule, "list at {path}");
    }
}

#[track_caller]
fn check_map(schema: &Schema, expected: &[(&str, &str)]) {
    for (path, rule) in expected {
        assert_eq!(map_rule(schema, path), *rule, "map at {path}");
    }
}

#[test]
fn upstream_reads_patch_metadata_only() {
    for schema in [v2(Dialect::Upstream), v3(Dialect::Upstream)] {
        check_list(
            &schema,
            &[
                ("items", "keyed name"),
                ("ports", "keyed port + retainKeys"),
                ("comma", "keyed name,port"),
                ("scalars", "scalars"),
                ("atomic", "atomic"),
                ("keyed", "atomic"),
                ("set", "atomic"),
                ("frozenItems", "atomic"),
                ("self.self.items", "keyed name"),
            ],
        );
        check_map(
            &schema,
            &[
                ("labels", "merge"),
                ("replaced", "replace"),
                ("retained", "merge + retainKeys"),
                ("frozen", "merge"),
                ("items[].deep", "merge"),
                ("odd", "invalid-patch-strategy: unexpected patch strategy: [merge replace]"),
            ],
        );
    }
}

#[test]
fn spec_reads_everything() {
    for schema in [v2(Dialect::Spec), v3(Dialect::Spec)] {
        check_list(
            &schema,
            &[
                ("items", "keyed name"),
                ("ports", "keyed port protocol=\"TCP\" + retainKeys"),
                ("comma", "keyed name port"),
                ("scalars", "scalars"),
                ("atomic", "atomic"),
                ("keyed", "keyed name"),
                ("set", "set"),
                ("frozenItems", "keyed name, items replaced"),
                ("free.any", "atomic"),
                ("raw.any", "atomic"),
                ("name", "atomic"),
                ("nothing", "unknown-field: unable to find api field \"nothing\""),
                ("name.x", "unknown-field: unable to find api field \"x\""),
                ("labels.x", "atomic"),
            ],
        );
        check_map(
            &schema,
            &[
                ("labels", "merge"),
                ("labels.x", "merge"),
                ("replaced", "replace"),
                ("retained", "merge + retainKeys"),
                ("frozen", "replace"),
                ("free.any.deeper", "merge"),
                ("odd", "invalid-patch-strategy: unexpected patch strategy: [merge replace]"),
            ],
        );
    }
}

#[test]
fn v2_fails_as_kubernetes_does() {
    let schema = v2(Dialect::Upstream);
    check_map(
        &schema,
        &[
            ("nothing", "unknown-field: unable to find api field \"nothing\" in example.Root"),
            ("inline.nothing", "unknown-field: unable to find api field \"nothing\" in example.Root.inline"),
            ("labels.x", "schema-mismatch: expected kind, but got map"),
            ("name.x", "schema-mismatch: expected kind, but got primitive"),
            ("items.x", "schema-mismatch: expected kind, but got slice"),
            ("free.any.deeper", "merge"),
            ("raw.any", "schema-mismatch: expected kind, but got map"),
        ],
    );
    check_list(
        &schema,
        &[
            ("NAME", "unknown-field: unable to find api field \"NAME\" in example.Root"),
            ("name", "schema-mismatch: expected slice, but got primitive"),
            ("labels", "schema-mismatch: expected slice, but got map"),
            ("labels.x", "schema-mismatch: expected slice, but got map"),
            ("replaced", "atomic"),
            ("free", "atomic"),
            ("free.any.deeper", "atomic"),
            ("inline", "unknown-field: unable to find api field \"inline\" in example.Root.inline"),
        ],
    );
}

#[test]
fn v3_fails_as_kubernetes_does() {
    let schema = v3(Dialect::Upstream);
    check_map(
        &schema,
        &[
            ("nothing", "unknown-field: unable to find api field \"nothing\""),
            ("labels.x", "unknown-field: unable to find api field \"x\""),
            ("name.x", "unknown-field: unable to find api field \"x\""),
            ("items.x", "unknown-field: unable to find api field \"x\""),
            ("free.any", "unknown-field: unable to find api field \"any\""),
        ],
    );
    check_list(
        &schema,
        &[("name", "atomic"), ("labels", "atomic"), ("replaced", "atomic"), ("replaced[].name", "atomic")],
    );
}

#[test]
fn messages_name_types_as_kubernetes_does() {
    let names = |schema: &Schema| {
        let root = schema.definition("example.Root").unwrap();
        ["scalars", "items"].map(|field| root.list_field(field).unwrap().item.name().into_owned())
    };
    assert_eq!(names(&v2(Dialect::Upstream)), ["string", "Reference to \"Item\""]);
    assert_eq!(names(&v3(Dialect::Upstream)), ["string", "object"]);
}

#[test]
fn plain_types_have_no_rule_below() {
    let check = |dialect, name: &str, expected: bool| {
        let schema = Schema::builtin("1.37", dialect).unwrap();
        assert_eq!(schema.definition(name).unwrap().is_plain(), expected, "{name} in {dialect:?}");
    };
    check(Dialect::Upstream, "io.k8s.api.core.v1.HTTPGetAction", true);
    check(Dialect::Upstream, "io.k8s.api.core.v1.Container", false);
    // Far below: the pod in the template of its template.
    check(Dialect::Upstream, "io.k8s.api.batch.v1.CronJob", false);
    // A type that holds itself, and validations that merge.
    let props = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
    check(Dialect::Upstream, props, false);
    // A set in one dialect, any list in the other.
    check(Dialect::Upstream, "io.k8s.api.core.v1.ResourceRequirements", true);
    check(Dialect::Spec, "io.k8s.api.core.v1.ResourceRequirements", false);
    assert!(Schema::builtin("1.37", Dialect::Upstream).unwrap().untyped().is_plain());
}

#[test]
fn a_strategy_with_a_bar_is_read_in_spec() {
    let document = json!({"components": {"schemas": {"Root": {"type": "object", "properties": {
        "items": {
            "type": "array", "items": {"type": "object"},
            "x-kubernetes-patch-strategy": "merge|retainKeys", "x-kubernetes-patch-merge-key": "name",
        },
    }}}}});
    let builder = SchemaBuilder::new().openapi_v3(&document).unwrap();
    let rule = |dialect: Dialect| {
        let schema = builder.compile(dialect).unwrap();
        let rule = schema.definition("Root").unwrap().list_field("items").unwrap();
        (matches!(rule.strategy, ListStrategy::Keyed(_)), rule.retain_keys)
    };
    assert_eq!(rule(Dialect::Spec), (true, true));
    // Kubernetes splits at commas only, so that the list is replaced.
    assert_eq!(rule(Dialect::Upstream), (false, false));
}
