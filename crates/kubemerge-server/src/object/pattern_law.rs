//! The law of patterns: what the quick check accepts, the full check does not change. Held against objects of every
//! built-in kind that were damaged at random; the seed is printed when it fails.

use fastrand::Rng;
use kubemerge_kinds::{
    defaults,
    pattern::{Pattern, TypeMeta, ValidatedText, Verdict},
    unknown_fields::{Survey, survey},
};
use kubemerge_schema::{Dialect, Schema, Shape, Type};
use kubemerge_value::{Canonical, SharedValue};
use serde_json::{Map, Value, json};

use crate::{
    catalog::{Catalog, Resource, served::ServedVersions},
    object::Object,
    protocol::json::canonical,
    store::metadata_field::Field,
};

/// Objects of kinds that differ in what they hold: defaults, bytes, quantities, free maps, types in themselves.
fn objects() -> Vec<(&'static str, &'static str, Value)> {
    let pod = json!({"containers": [
        {"name": "a", "image": "a:1", "resources": {"limits": {"cpu": 1, "memory": "1Gi"}},
            "ports": [{"containerPort": 80, "protocol": "TCP"}], "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File", "env": [{"name": "A", "value": "1"}],
            "livenessProbe": {"httpGet": {"port": "http", "path": "/"}, "initialDelaySeconds": 3}},
        {"name": "b", "command": ["x", "y"], "stdin": true, "resources": {}, "terminationMessagePolicy": "File",
            "terminationMessagePath": "/dev/termination-log"}],
        "nodeSelector": {"disk": "ssd"}, "restartPolicy": "Always", "dnsPolicy": "ClusterFirst",
        "schedulerName": "default-scheduler", "securityContext": {}, "terminationGracePeriodSeconds": 30});
    vec![
        ("", "pods", json!({"spec": pod, "status": {"phase": "Pending", "startTime": null}})),
        (
            "apps",
            "deployments",
            json!({"spec": {"replicas": 1, "selector": {"matchLabels": {"a": "b"}},
            "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": pod}}}),
        ),
        ("", "secrets", json!({"data": {"a": "aGk=", "b": ""}, "stringData": {"c": "d"}, "type": "Opaque"})),
        ("", "configmaps", json!({"data": {"a": "b"}, "binaryData": {"x": "AAEC"}, "immutable": false})),
        (
            "",
            "services",
            json!({"spec": {"ports": [{"port": 80, "targetPort": "http", "protocol": "TCP"}],
            "type": "ClusterIP", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster"}}),
        ),
        (
            "apiextensions.k8s.io",
            "customresourcedefinitions",
            json!({"spec": {"group": "x.io", "versions": [
            {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
                "properties": {"spec": {"type": "object", "default": {"a": [1, null]}, "properties": {
                    "n": {"type": "number", "maximum": 1.5, "enum": [1, "a"]}}}}}}}]}}),
        ),
    ]
}

/// A value that may be wrong anywhere.
fn stray(rng: &mut Rng) -> Value {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(-7),
        json!(2_147_483_648_i64),
        json!(i64::MAX),
        json!(1.5),
        json!(1e300),
        json!(""),
        json!("aGl="),
        json!("a\"<b>"),
        json!([]),
        json!([null]),
        json!({}),
        json!({"name": null, "strange": 1}),
    ];
    values[rng.usize(..values.len())].clone()
}

/// Changes something somewhere in a value.
fn damage(value: &mut Value, rng: &mut Rng) {
    match value {
        // Mostly deeper: near the root nearly every change is noticed.
        Value::Object(map) if !map.is_empty() && rng.u8(..4) > 0 => {
            let at = rng.usize(..map.len());
            if let Some(inner) = map.values_mut().nth(at) {
                damage(inner, rng);
            }
        }
        Value::Array(list) if !list.is_empty() && rng.u8(..4) > 0 => {
            let at = rng.usize(..list.len());
            damage(&mut list[at], rng);
        }
        Value::Object(map) => damage_map(map, rng),
        Value::Array(list) => list.push(stray(rng)),
        scalar => *scalar = stray(rng),
    }
}

fn damage_map(map: &mut Map<String, Value>, rng: &mut Rng) {
    if !map.is_empty() && rng.bool() {
        let name = map.keys().nth(rng.usize(..map.len())).cloned().unwrap_or_default();
        map.remove(&name);
        return;
    }
    // Unknown names, names in other letters, and names that are known elsewhere.
    let names = ["zzz", "", "Name", "name", "a<b", "ports", "env", "resources", "$ref", "status"];
    map.insert(names[rng.usize(..names.len())].to_string(), stray(rng));
}

/// A random value of a type: some fields, few items, not too deep.
fn random_value(ty: Type<'_>, rng: &mut Rng, depth: usize) -> Value {
    match ty.shape() {
        // Rare, because one such value makes the quick check give up on the whole field.
        _ if rng.u8(..24) == 0 => stray(rng),
        Shape::Boolean => json!(rng.bool()),
        Shape::Integer => json!(rng.i32(..1000)),
        Shape::Number => json!(f64::from(rng.i32(..1000)) / 2.0),
        Shape::String if ty.format() == Some("byte") => json!(["", "aGk=", "aGl="][rng.usize(..3)]),
        Shape::String => json!(["", "a", "10m", "<x>"][rng.usize(..4)]),
        Shape::List => {
            let items = ty.items().filter(|_| depth > 0);
            Value::Array(items.map(|items| random_value(items, rng, depth - 1)).into_iter().collect())
        }
        Shape::Object | Shape::Any => random_map(ty, rng, depth),
    }
}

fn random_map(ty: Type<'_>, rng: &mut Rng, depth: usize) -> Value {
    let mut map = Map::new();
    if depth > 0 {
        for field in ty.fields() {
            if rng.u8(..3) == 0 {
                map.insert(field.name.to_string(), random_value(field.ty, rng, depth - 1));
            }
        }
        if let Some(others) = ty.additional_properties() {
            map.insert("k".into(), random_value(others, rng, depth - 1));
        }
    }
    Value::Object(map)
}

/// The fields of a random object of a kind.
fn random_fields(ty: Type<'_>, rng: &mut Rng) -> Value {
    let mut object = random_map(ty, rng, 6);
    // These are no fields of the pattern: the object has them apart.
    for own in ["apiVersion", "kind", "metadata"] {
        object.as_object_mut().unwrap().remove(own);
    }
    object
}

/// A fresh seed, printed so that a failure can be repeated.
fn fresh_seed(law: &str) -> Rng {
    let seed = fastrand::u64(..);
    println!("{law}: seed {seed}");
    Rng::with_seed(seed)
}

fn full_check(schema: &Schema, resource: &Resource, name: &str, text: &SharedValue) -> Option<Survey> {
    let ty = schema.type_of(&resource.api_version, &resource.kind)?;
    Some(survey(text, ty.field(name)?.ty, name))
}

/// Whether a default is missing in a field.
fn lacks_default(resource: &Resource, name: &str, text: &SharedValue) -> bool {
    let default = resource.defaults().and_then(|tree| tree.get(name));
    default.is_some_and(|default| defaults::fill(text, default).is_some())
}

/// Holds the quick check of one field against the full one; answers the verdict.
fn check(schema: &Schema, resource: &Resource, name: &str, value: &Value) -> Verdict {
    let pattern: &Pattern = resource.pattern(schema).unwrap();
    let text = SharedValue::from(canonical(value).unwrap());
    let verdict = pattern.check_field(name, &text);
    // Giving up is always right; only what was accepted has to hold.
    if verdict != Verdict::NeedsFullCheck {
        let found = full_check(schema, resource, name, &text).expect("the field is known");
        assert!(!found.needs_rewrite && found.mismatch.is_none(), "{name}: {value}");
    }
    if verdict == Verdict::Complete {
        assert!(!lacks_default(resource, name, &text), "{name}: a default was missing");
    }
    verdict
}

/// Every built-in resource with its type.
fn kinds(schema: &Schema) -> Vec<(std::sync::Arc<Resource>, Type<'_>)> {
    let index = Catalog::new(schema, ServedVersions::All).index();
    let resources = index.each_preferred().cloned();
    let typed = resources.filter_map(|resource| {
        let ty = schema.type_of(&resource.api_version, &resource.kind)?;
        resource.pattern(schema)?;
        Some((resource, ty))
    });
    typed.collect()
}

#[test]
fn accepted_fields_of_every_kind_need_no_change() {
    let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
    let mut rng = fresh_seed("fields of every kind");
    let kinds = kinds(&schema);
    // Otherwise a mistake in the filter would make the law hold for nothing.
    assert!(kinds.len() > 50, "{} kinds", kinds.len());
    for (resource, ty) in kinds {
        for _ in 0..20 {
            for (name, value) in random_fields(ty, &mut rng).as_object().into_iter().flatten() {
                check(&schema, &resource, name, value);
            }
        }
    }
}

#[test]
fn accepted_fields_of_damaged_objects_need_no_change() {
    let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
    let index = Catalog::new(&schema, ServedVersions::All).index();
    let mut rng = fresh_seed("fields of damaged objects");
    for (group, plural, object) in objects() {
        let resource = index.preferred(group, plural).unwrap();
        let mut accepted = 0;
        for _ in 0..1_000 {
            let mut damaged = object.clone();
            (0..rng.usize(1..4)).for_each(|_| damage(&mut damaged, &mut rng));
            for (name, value) in damaged.as_object().into_iter().flatten() {
                let verdict = check(&schema, resource, name, value);
                accepted += usize::from(verdict != Verdict::NeedsFullCheck);
            }
        }
        assert!(accepted > 10, "{plural}: {accepted} fields were accepted");
    }
}

#[test]
fn valid_fields_are_accepted() {
    let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
    let index = Catalog::new(&schema, ServedVersions::All).index();
    let pod = objects().swap_remove(0).2;
    let pods = index.preferred("", "pods").unwrap();
    assert_eq!(check(&schema, pods, "spec", &pod["spec"]), Verdict::Complete);
    let mut spec = pod["spec"].clone();
    spec["containers"].as_array_mut().unwrap().push(json!({"name": "c"}));
    assert_eq!(check(&schema, pods, "spec", &spec), Verdict::Valid, "a container lacks resources");
    assert_eq!(check(&schema, pods, "status", &json!({"phase": "Pending"})), Verdict::Complete);
    assert_eq!(check(&schema, pods, "status", &pod["status"]), Verdict::NeedsFullCheck, "a null");
    assert_eq!(check(&schema, pods, "strange", &json!(1)), Verdict::NeedsFullCheck);
}

/// A whole object with these fields.
fn whole(resource: &Resource, fields: &Value) -> Value {
    let mut object = json!({"apiVersion": resource.api_version, "kind": resource.kind,
        "metadata": {"name": "a", "namespace": "n", "labels": {"a": "b", "c/d": ""}, "annotations": {"e": "f\"g"},
            "finalizers": ["x/y"], "ownerReferences": [{"apiVersion": "v1", "kind": "K", "name": "o", "uid": "u"}]}});
    object.as_object_mut().unwrap().extend(fields.as_object().cloned().unwrap_or_default());
    object
}

/// Checks that the quick way reads what the full way reads; answers whether it read anything.
fn check_read(schema: &Schema, resource: &Resource, text: &[u8]) -> bool {
    let pattern = resource.pattern(schema).unwrap();
    let wanted = TypeMeta { api_version: &resource.api_version, kind: &resource.kind };
    let index = |name: &[u8]| Field::of_bytes(name).map(|field| field as usize);
    let found: Option<ValidatedText<'_, { Field::COUNT }>> = pattern.read(text, wanted, index);
    let Some(validated) = found else { return false };
    let (quick, mut full) = (Object::validated(&validated, resource), read(text));
    // A type that is left out is filled in.
    for (given, own) in [(&mut full.api_version, &resource.api_version), (&mut full.kind, &resource.kind)] {
        assert!(given.is_empty() || given == own);
        given.clone_from(own);
    }
    assert!(quick == full, "{}", String::from_utf8_lossy(text));
    assert_eq!(full.metadata.unknown().next(), None);
    for name in full.names() {
        let text = full.text(&name).unwrap();
        assert_ne!(
            check(schema, resource, &name, &full.get(&name).unwrap()),
            Verdict::NeedsFullCheck,
            "{name}"
        );
        assert!(
            !validated.is_complete || !lacks_default(resource, &name, text),
            "{name}: a default was missing"
        );
    }
    true
}

fn read(text: &[u8]) -> Object {
    Object::read(&Canonical::from_bytes(text).unwrap().into()).unwrap()
}

#[test]
fn both_ways_read_the_same_objects() {
    let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
    let index = Catalog::new(&schema, ServedVersions::All).index();
    let mut rng = fresh_seed("whole objects");
    for (group, plural, fields) in objects() {
        let resource = index.preferred(group, plural).unwrap();
        let mut accepted = 0;
        for _ in 0..1_000 {
            let mut damaged = whole(resource, &fields);
            damaged.as_object_mut().unwrap().remove("status");
            (0..rng.usize(0..3)).for_each(|_| damage(&mut damaged, &mut rng));
            accepted += usize::from(check_read(&schema, resource, damaged.to_string().as_bytes()));
            // With blanks, which the quick way must read as well.
            check_read(&schema, resource, format!("{damaged:#}").as_bytes());
        }
        // Definitions are rarely accepted: the fraction in the schema needs the full check until it is damaged.
        assert!(accepted > 0, "{plural}: {accepted} objects were accepted");
    }
}

#[test]
fn both_ways_read_the_same_objects_of_every_kind() {
    let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
    let mut rng = fresh_seed("whole objects of every kind");
    for (resource, ty) in kinds(&schema) {
        for _ in 0..20 {
            let object = whole(&resource, &random_fields(ty, &mut rng));
            check_read(&schema, &resource, object.to_string().as_bytes());
        }
    }
}
