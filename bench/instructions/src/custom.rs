//! Custom resources of about 2 KB, whose definition has defaults, keyed lists, sets, formats and CEL rules. No two have the
//! same spec.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use crate::row::Kind;

pub(crate) const KIND: Kind =
    Kind { collection: "/apis/bench.example.com/v1/namespaces/default/pipelines", object, change };

const VERBS: [&str; 10] =
    ["fetch", "clean", "join", "split", "train", "score", "pack", "sign", "upload", "notify"];
const REGIONS: [&str; 6] = ["north", "south", "east", "west", "centre", "islands"];

pub(crate) fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "pipelines.bench.example.com"},
        "spec": {
            "group": "bench.example.com", "scope": "Namespaced",
            "names": {"plural": "pipelines", "singular": "pipeline", "kind": "Pipeline", "listKind": "PipelineList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "additionalPrinterColumns": [{"name": "Steps", "type": "integer", "jsonPath": ".spec.parallelism"}],
                "schema": {"openAPIV3Schema": {
                    "type": "object", "required": ["spec"],
                    "properties": {"spec": spec_schema(), "status": {"type": "object", "properties": {"phase": {"type": "string"}}}},
                }},
            }],
        },
    })
}

fn spec_schema() -> Value {
    json!({
        "type": "object", "required": ["steps"],
        "properties": {
            "parallelism": {"type": "integer", "minimum": 1, "maximum": 100, "default": 1},
            "suspended": {"type": "boolean", "default": false},
            "deadline": {"type": "string", "format": "date-time"},
            "retry": {
                "type": "object", "default": {},
                "properties": {
                    "limit": {"type": "integer", "default": 3, "minimum": 0},
                    "policy": {"type": "string", "enum": ["Never", "OnFailure", "Always"], "default": "OnFailure"},
                },
            },
            "regions": {
                "type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 20},
                "x-kubernetes-list-type": "set",
            },
            "parameters": {
                "type": "object", "maxProperties": 30, "additionalProperties": {"type": "string", "maxLength": 100},
            },
            "steps": {
                "type": "array", "minItems": 1, "maxItems": 20, "items": step_schema(),
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            },
        },
        "x-kubernetes-validations": [
            {"rule": "self.parallelism <= size(self.steps) * 20", "message": "too many at once"},
            {"rule": "self.steps.all(step, !has(step.after) || step.after.all(name, self.steps.exists(other, other.name == name)))",
                "message": "after names steps"},
            {"rule": "!has(self.deadline) || self.deadline > timestamp('2020-01-01T00:00:00Z')"},
            {"rule": "!has(oldSelf.regions) || has(self.regions)", "message": "regions cannot be removed"},
        ],
    })
}

fn step_schema() -> Value {
    json!({
        "type": "object", "required": ["name", "image"],
        "properties": {
            "name": {"type": "string", "maxLength": 63, "pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$"},
            "image": {"type": "string", "maxLength": 200},
            "pullPolicy": {"type": "string", "enum": ["Always", "IfNotPresent", "Never"], "default": "IfNotPresent"},
            "args": {"type": "array", "maxItems": 20, "items": {"type": "string", "maxLength": 200}},
            "after": {"type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 63}, "x-kubernetes-list-type": "atomic"},
            "timeoutSeconds": {"type": "integer", "format": "int32", "default": 600},
            "weight": {"type": "number", "minimum": 0, "maximum": 1},
            "port": {"x-kubernetes-int-or-string": true},
            "limits": {
                "type": "object", "maxProperties": 5,
                "additionalProperties": {"type": "string", "maxLength": 20, "pattern": "^[0-9]+(m|Mi|Gi)?$"},
            },
        },
        "x-kubernetes-validations": [
            {"rule": "self.timeoutSeconds > 0 && self.timeoutSeconds <= 86400", "message": "must be at most a day"},
            {"rule": "!has(self.limits) || !('cpu' in self.limits) || self.limits['cpu'].endsWith('m')", "message": "cpu is in thousandths"},
        ],
    })
}

fn rng(at: usize) -> Rng {
    Rng::with_seed(at as u64)
}

fn verb(rng: &mut Rng) -> &'static str {
    VERBS[rng.usize(..VERBS.len())]
}

fn object(at: usize) -> Value {
    let rng = &mut rng(at);
    let mut parameters = Map::new();
    for number in 0..rng.usize(3..10) {
        parameters.insert(format!("{}-{number}", verb(rng)), format!("{:x}", rng.u64(..)).into());
    }
    let mut regions = REGIONS.to_vec();
    rng.shuffle(&mut regions);
    regions.truncate(rng.usize(1..5));
    let names: Vec<String> = (0..rng.usize(5..11)).map(|number| format!("{}-{number}", verb(rng))).collect();
    let steps: Vec<Value> = (0..names.len()).map(|number| step(rng, number, &names)).collect();
    json!({
        "apiVersion": "bench.example.com/v1", "kind": "Pipeline",
        "metadata": {
            "name": format!("pipeline-{at:04}"), "namespace": "default",
            "labels": {"team": format!("team-{}", rng.u8(..)), verb(rng): "true"},
            "annotations": {"example.com/revision": at.to_string()},
        },
        "spec": {
            "parallelism": rng.u8(1..40), "regions": regions, "parameters": parameters, "steps": steps,
            "deadline": format!("20{}-0{}-1{}T0{}:00:00Z", rng.u8(30..90), rng.u8(1..10), rng.u8(..10), rng.u8(..10)),
        },
    })
}

fn step(rng: &mut Rng, number: usize, names: &[String]) -> Value {
    let mut step = json!({
        "name": names[number], "image": image(rng),
        "args": (0..rng.usize(1..4)).map(|_| format!("--{}={:x}", verb(rng), rng.u32(..))).collect::<Vec<_>>(),
        "limits": {"cpu": format!("{}m", rng.u16(10..4000)), "memory": format!("{}Mi", rng.u16(16..4000))},
    });
    if number > 0 {
        step["after"] = json!([names[rng.usize(..number)]]);
    }
    if rng.bool() {
        step["timeoutSeconds"] = rng.u32(1..86400).into();
        step["weight"] = (f64::from(rng.u8(..100)) / 100.0).into();
    } else {
        step["port"] = if rng.bool() { rng.u16(1..).into() } else { verb(rng).into() };
    }
    step
}

fn image(rng: &mut Rng) -> String {
    format!("images.example.com/{}/{}:{}.{}", verb(rng), verb(rng), rng.u8(..20), rng.u8(..))
}

/// Other values of a few fields and one more step.
fn change(at: usize, pipeline: &mut Value) {
    let rng = &mut rng(at + 1_000_000);
    let spec = &mut pipeline["spec"];
    spec["parallelism"] = rng.u8(1..40).into();
    spec["steps"][1]["image"] = image(rng).into();
    spec["parameters"][verb(rng)] = verb(rng).into();
    if let Some(steps) = spec["steps"].as_array_mut() {
        steps.push(json!({"name": format!("{}-last", verb(rng)), "image": image(rng)}));
    }
    pipeline["metadata"]["annotations"]["example.com/revision"] = (at + 1).to_string().into();
}

pub(crate) fn merge_patch(at: usize) -> Value {
    let rng = &mut rng(at + 2_000_000);
    json!({
        "metadata": {"labels": {"team": null}, "annotations": {"example.com/revision": (at + 1).to_string()}},
        "spec": {
            "parallelism": rng.u8(1..40), "suspended": rng.bool(), "retry": {"limit": rng.u8(..9)},
            "parameters": {verb(rng): format!("{:x}", rng.u64(..))},
        },
    })
}
