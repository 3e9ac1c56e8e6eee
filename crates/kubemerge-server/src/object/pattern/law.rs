//! The law of patterns: what the walk is sure of, the closer look does not change. Held against objects that
//! were damaged at random.

use fastrand::Rng;
use kubemerge_schema::{Dialect, Schema};
use kubemerge_value::{Canonical, Excerpt};
use serde_json::{Map, Value, json};

use super::{Older, Pattern, Verdict};
use crate::{
    catalog::{Catalog, Resource},
    object::{Object, canonical, members::Name, successor::Successor},
    write::{
        defaults,
        fields::{Survey, survey},
    },
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

/// A value that may not belong anywhere.
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
    let names = ["zzz", "", "Name", "name", "a<b", "ports", "env", "resources", "$ref", "status"];
    map.insert(names[rng.usize(..names.len())].to_string(), stray(rng));
}

/// What the closer look says about a field.
fn closer_look(schema: &Schema, resource: &Resource, name: &str, text: &Excerpt) -> Option<Survey> {
    let ty = schema.type_of(&resource.api_version, &resource.kind)?;
    Some(survey(text, ty.field(name)?.ty, name))
}

/// Checks one field; answers the verdict.
fn check(schema: &Schema, resource: &Resource, (name, value): (&str, &Value)) -> Verdict {
    let pattern: &Pattern = resource.pattern(schema).unwrap();
    let text = Excerpt::from(canonical(value).unwrap());
    let verdict = pattern.judge(name, &text, None);
    if verdict != Verdict::Unsure {
        let found = closer_look(schema, resource, name, &text).expect("the field is known");
        assert!(!found.surprises && found.mismatch.is_none(), "{name}: {value}");
    }
    let mut object = Object::from_value(&json!({name: value})).unwrap();
    defaults::fill(resource, &mut object);
    if verdict == Verdict::Complete {
        assert_eq!(object.text(name), Some(&text), "{name}: a default was missing");
    }
    verdict
}

/// Checks that a look at what changed finds what a look at the whole finds.
fn check_change(pattern: &Pattern, name: &str, old: &Value, new: &Value) {
    let [old, new] = [old, new].map(|value| Excerpt::from(canonical(value).unwrap()));
    if pattern.accepts(name, &old) {
        assert_eq!(
            pattern.judge(name, &new, Some(Older::than(&new, &old))),
            pattern.judge(name, &new, None),
            "{old:?} {new:?}"
        );
    }
}

#[test]
fn what_the_walk_is_sure_of_stays() {
    let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
    let index = Catalog::new(&schema).index();
    for (group, plural, object) in objects() {
        let resource = index.preferred(group, plural).unwrap();
        let mut rng = Rng::with_seed(7);
        let mut sure = 0;
        for _ in 0..1_500 {
            let mut damaged = object.clone();
            (0..rng.usize(1..4)).for_each(|_| damage(&mut damaged, &mut rng));
            for field in damaged.as_object().into_iter().flatten() {
                let verdict = check(&schema, resource, (field.0, field.1));
                sure += usize::from(verdict != Verdict::Unsure);
                check_change(resource.pattern(&schema).unwrap(), field.0, &object[field.0], field.1);
            }
        }
        assert!(sure > 10, "{plural}: the walk was sure of {sure} fields");
    }
}

#[test]
fn the_walk_is_sure_of_sound_objects() {
    let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
    let index = Catalog::new(&schema).index();
    let pod = objects().swap_remove(0).2;
    let pods = index.preferred("", "pods").unwrap();
    assert_eq!(check(&schema, pods, ("spec", &pod["spec"])), Verdict::Complete);
    let mut spec = pod["spec"].clone();
    spec["containers"].as_array_mut().unwrap().push(json!({"name": "c"}));
    assert_eq!(check(&schema, pods, ("spec", &spec)), Verdict::Settled, "a container lacks resources");
    assert_eq!(check(&schema, pods, ("status", &json!({"phase": "Pending"}))), Verdict::Complete);
    assert_eq!(check(&schema, pods, ("status", &pod["status"])), Verdict::Unsure, "a null");
    assert_eq!(check(&schema, pods, ("strange", &json!(1))), Verdict::Unsure);
}

/// A whole object with these fields.
fn whole(resource: &Resource, fields: &Value) -> Value {
    let mut object = json!({"apiVersion": resource.api_version, "kind": resource.kind,
        "metadata": {"name": "a", "namespace": "n", "labels": {"a": "b", "c/d": ""}, "annotations": {"e": "f\"g"},
            "finalizers": ["x/y"], "ownerReferences": [{"apiVersion": "v1", "kind": "K", "name": "o", "uid": "u"}]}});
    object.as_object_mut().unwrap().extend(fields.as_object().cloned().unwrap_or_default());
    object
}

/// Checks that the short way in reads what the long way reads; answers whether it read anything.
fn check_intake(schema: &Schema, resource: &Resource, text: &[u8]) -> bool {
    let pattern = resource.pattern(schema).unwrap();
    let Some(sound) = pattern.read(text, &resource.api_version, &resource.kind) else { return false };
    let (short, mut long) = (Object::sound(sound, resource, pattern), read(text));
    // A type that is left out is filled in.
    for (given, own) in [(&mut long.api_version, &resource.api_version), (&mut long.kind, &resource.kind)] {
        assert!(given.is_empty() || given == own);
        given.clone_from(own);
    }
    assert!(short == long, "{}", String::from_utf8_lossy(text));
    assert_eq!(long.metadata.unknown().next(), None);
    for name in long.names() {
        check(schema, resource, (&name, &long.get(&name).unwrap()));
        assert_ne!(pattern.judge(&name, long.text(&name).unwrap(), None), Verdict::Unsure, "{name}");
        let mut filled = long.clone();
        defaults::fill(resource, &mut filled);
        assert!(!short.is_complete(&name) || filled == long, "{name}: a default was missing");
    }
    true
}

fn read(text: &[u8]) -> Object {
    Object::read(&Canonical::from_bytes(text).unwrap().into()).unwrap()
}

#[test]
fn both_ways_in_read_the_same() {
    let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
    let index = Catalog::new(&schema).index();
    for (group, plural, fields) in objects() {
        let resource = index.preferred(group, plural).unwrap();
        let mut rng = Rng::with_seed(11);
        let mut sound = 0;
        for _ in 0..1_500 {
            let mut damaged = whole(resource, &fields);
            damaged.as_object_mut().unwrap().remove("status");
            (0..rng.usize(0..3)).for_each(|_| damage(&mut damaged, &mut rng));
            sound += usize::from(check_intake(&schema, resource, damaged.to_string().as_bytes()));
            check_intake(&schema, resource, format!("{damaged:#}").as_bytes());
        }
        assert!(sound > 20, "{plural}: the short way read {sound} objects");
    }
}

#[test]
fn a_successor_is_what_its_text_says() {
    let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
    let index = Catalog::new(&schema).index();
    for (group, plural, fields) in objects() {
        let resource = index.preferred(group, plural).unwrap();
        let pattern = resource.pattern(&schema).unwrap();
        let mut object = whole(resource, &fields);
        object.as_object_mut().unwrap().remove("status");
        let text = object.to_string();
        // A definition with a fraction in its schema is not read the short way.
        let Some(sound) = pattern.read(text.as_bytes(), &resource.api_version, &resource.kind) else {
            assert_eq!(plural, "customresourcedefinitions");
            continue;
        };
        let mut old = Object::sound(sound, resource, pattern);
        defaults::fill(resource, &mut old);
        let record = old.record();
        let mut rng = Rng::with_seed(13);
        let mut succeeded = 0;
        for _ in 0..1_500 {
            let mut damaged = old.to_value();
            (0..rng.usize(1..3)).for_each(|_| damage(&mut damaged, &mut rng));
            let text = Excerpt::from(canonical(&damaged).unwrap());
            let Some(new) = Successor::read(&text, &record, &Object::of_record(&record), pattern) else {
                continue;
            };
            let long = read(text.as_bytes());
            assert!(new == long, "{damaged}");
            let unsure = |name: &Name| pattern.judge(name, long.text(name).unwrap(), None) == Verdict::Unsure;
            assert!(!long.names().iter().any(unsure), "{damaged}");
            if long.names().iter().all(|name| pattern.accepts(name, long.text(name).unwrap())) {
                assert_eq!(new.record().canonical(), long.record().canonical());
            }
            succeeded += 1;
        }
        assert!(succeeded > 20, "{plural}: {succeeded} successors");
    }
}
