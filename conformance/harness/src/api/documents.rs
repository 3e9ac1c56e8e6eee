//! Discovery and OpenAPI: every document of the real server, once.

use std::{thread, time::Duration};

use http::Method;
use serde_json::{Value, json};

use super::{
    exchange::{Call, Identities, Pair},
    kinds::{fetch, group_versions},
    stored::delete,
    trial::Trial,
};

/// Groups of definitions end so; those of other runs on the same server are not compared.
const CUSTOM_DOMAIN: &str = "example.com";

/// How often the real server is asked for the document of a definition, which it publishes a moment later.
const MAX_POLLS: usize = 100;
const POLL_INTERVAL: Duration = Duration::from_millis(100);

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Discovery in both forms.
pub(crate) fn discovery(pair: &mut Pair) -> Result<Vec<Trial>, String> {
    let mut trials = vec![
        trial("discovery", Call::get("/api")),
        trial("discovery", Call::get("/apis")),
        trial("discovery", Call::get("/api").accepting(AGGREGATED)),
        trial("discovery", Call::get("/apis").accepting(AGGREGATED)),
    ];
    for version in group_versions(&mut pair.real)?.into_iter().filter(|one| !one.contains(CUSTOM_DOMAIN)) {
        let root = if version.contains('/') { "/apis" } else { "/api" };
        trials.push(trial("discovery", Call::get(format!("{root}/{version}"))));
        if let Some((group, _)) = version.split_once('/') {
            trials.push(trial("discovery", Call::get(format!("/apis/{group}"))));
        }
    }
    Ok(trials)
}

/// OpenAPI v2, and every path of v3.
pub(crate) fn openapi(pair: &mut Pair) -> Result<Vec<Trial>, String> {
    let mut trials =
        vec![trial("openapi", Call::get("/openapi/v2")), trial("openapi", Call::get("/openapi/v3"))];
    let index = fetch(&mut pair.real, "/openapi/v3")?;
    let paths = index["paths"].as_object().into_iter().flat_map(|paths| paths.keys());
    for path in paths.filter(|path| !path.contains(CUSTOM_DOMAIN)) {
        trials.push(trial("openapi", Call::get(format!("/openapi/v3/{path}"))));
    }
    Ok(trials)
}

/// The document of a custom resource, as a trial to run before [`undefine`].
pub(crate) fn custom_openapi(pair: &mut Pair, run: &str) -> Result<Trial, String> {
    let group = custom_group(run);
    let call = Call::new(Method::POST, DEFINITIONS, &definition(&group));
    pair.ask(&call, &Identities::default())?;
    let path = format!("apis/{group}/v1");
    for _ in 0..MAX_POLLS {
        if fetch(&mut pair.real, "/openapi/v3")?["paths"].get(&path).is_some() {
            break;
        }
        thread::sleep(POLL_INTERVAL);
    }
    let mut trial = trial("openapi", Call::get(format!("/openapi/v3/{path}")));
    trial.kind = "/openapi/v3 of a custom resource".to_string();
    Ok(trial)
}

/// Deletes the definition of [`custom_openapi`].
pub(crate) fn undefine(pair: &mut Pair, run: &str) -> Result<(), String> {
    delete(pair, &format!("{DEFINITIONS}/things.{}", custom_group(run)))
}

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

fn custom_group(run: &str) -> String {
    format!("r{run}.{CUSTOM_DOMAIN}")
}

/// A definition with what OpenAPI documents show in a form of their own.
fn definition(group: &str) -> Value {
    let spec = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "maxLength": 9, "enum": ["a", "b"]},
        "replicas": {"type": "integer", "format": "int32", "default": 1, "minimum": 0},
        "size": {"x-kubernetes-int-or-string": true},
        "template": {"type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true},
        "anything": {"x-kubernetes-preserve-unknown-fields": true},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}, "nullable": true},
        "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"],
            "items": {"type": "object", "required": ["port"], "properties": {"port": {"type": "integer"}}}},
    }, "x-kubernetes-validations": [{"rule": "self.replicas < 9", "message": "too many"}]});
    let status = json!({"type": "object", "properties": {"replicas": {"type": "integer"}}});
    let schema = json!({"type": "object", "properties": {"spec": spec, "status": status}});
    let scale = json!({"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("things.{group}")},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "subresources": {"status": {}, "scale": scale},
                "selectableFields": [{"jsonPath": ".spec.name"}],
                "schema": {"openAPIV3Schema": schema}}],
        },
    })
}

fn trial(area: &'static str, call: Call) -> Trial {
    let kind = call.path.clone();
    Trial { area, kind, call, identities: Identities::default() }
}
