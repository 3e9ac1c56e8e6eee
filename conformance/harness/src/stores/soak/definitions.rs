//! A client that defines kinds, uses them and removes them again: nothing of them may stay in memory.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};

use super::session::{Session, Soak};

const PAUSE: Duration = Duration::from_millis(100);
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const OBJECTS: &str = "/apis/soak.example.com/v1/namespaces/default";

/// Defines kinds until the time is over.
pub(super) async fn run(soak: Arc<Soak>) {
    let mut session = Session::new(soak.clone(), PAUSE);
    let mut number = 0_u64;
    while !soak.is_over() {
        number += 1;
        cycle(&mut session, number).await;
    }
}

async fn cycle(session: &mut Session, number: u64) {
    let (kind, plural) = (format!("Kiosk{number}"), format!("kiosk{number}s"));
    session.expect(201, "POST", DEFINITIONS, &definition(&kind, &plural)).await;
    let objects = format!("{OBJECTS}/{plural}");
    for name in ["a", "b"] {
        let object = json!({"apiVersion": "soak.example.com/v1", "kind": kind, "metadata": {"name": name},
            "spec": {"size": 1, "counters": [{"name": "x", "clerk": "Ada"}]}});
        session.expect(201, "POST", &objects, &object).await;
    }
    let applied = json!({"apiVersion": "soak.example.com/v1", "kind": kind, "metadata": {"name": "a"},
        "spec": {"counters": [{"name": "y", "clerk": "Grace"}]}});
    let merged = session.expect_apply(&format!("{objects}/a"), &applied).await;
    if merged["spec"]["counters"].as_array().map(Vec::len) != Some(2) {
        session.complain(format!("{kind}: two counters should be there: {merged}"));
    }
    session.expect(422, "POST", &objects, &wrong(&kind)).await;
    session.expect(200, "DELETE", &format!("{DEFINITIONS}/{plural}.soak.example.com"), &Value::Null).await;
    session.expect(404, "GET", &format!("{objects}/a"), &Value::Null).await;
}

/// An object that the schema does not allow.
fn wrong(kind: &str) -> Value {
    json!({"apiVersion": "soak.example.com/v1", "kind": kind, "metadata": {"name": "c"}, "spec": {"size": 11}})
}

fn definition(kind: &str, plural: &str) -> Value {
    let counter = json!({"type": "object", "required": ["name"],
        "properties": {"name": {"type": "string"}, "clerk": {"type": "string"}}});
    let spec = json!({"type": "object", "properties": {
        "size": {"type": "integer", "maximum": 10},
        "counters": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "items": counter}},
        "x-kubernetes-validations": [{"rule": "!has(self.size) || self.size != 7"}]});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.soak.example.com")},
        "spec": {"group": "soak.example.com", "scope": "Namespaced",
            "names": {"plural": plural, "singular": kind.to_lowercase(), "kind": kind},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}})
}
