//! The law of patterns: what the walk is sure of, the closer look does not change. Held against objects that
//! were damaged at random.

use fastrand::Rng;
use kubemerge_schema::{Dialect, Schema};
use kubemerge_value::Excerpt;
use serde_json::{Map, Value, json};

use super::{Pattern, Verdict};
use crate::{
    catalog::{Catalog, Resource},
    defaults,
    fields::{Survey, survey},
    object::{Object, canonical},
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
        assert_eq!(pattern.judge(name, &new, Some(&old)), pattern.judge(name, &new, None), "{old:?} {new:?}");
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
