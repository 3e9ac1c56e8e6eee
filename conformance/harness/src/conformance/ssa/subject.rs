//! What scenarios are about: a generated kind, or a built-in one.

use std::collections::BTreeSet;

use kubemerge_kinds::BuiltinKind;
use kubemerge_kinds::tree::Arena;
use kubemerge_schema::{
    Dialect, Schema, SchemaBuilder,
    builtin::{NEWEST, NEWEST_RELEASE},
};
use serde_json::{Map, Value, json};

use super::schema;
use crate::rng::Rng;

/// A kind, its schema for the reference program and its types for our engine.
pub(crate) struct Subject {
    pub(crate) form: &'static str,
    pub(crate) kind: String,
    pub(crate) versions: Vec<String>,
    /// The OpenAPI v3 document, and the name of the kind's definition in it.
    pub(crate) document: Value,
    pub(crate) root: String,
    pub(crate) schema: Schema,
    /// How many of a hundred optional fields an object has.
    pub(crate) density: usize,
}

pub(crate) const FORMS: [&str; 5] = ["map", "custom-resource", "deduced", "typed", "typed"];

const KINDS: [(&str, &str); 20] = [
    ("v1", "Pod"),
    ("v1", "Service"),
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("v1", "ServiceAccount"),
    ("v1", "Node"),
    ("v1", "Namespace"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "PersistentVolume"),
    ("v1", "Endpoints"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("batch/v1", "Job"),
    ("batch/v1", "CronJob"),
    ("networking.k8s.io/v1", "Ingress"),
    ("rbac.authorization.k8s.io/v1", "Role"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("policy/v1", "PodDisruptionBudget"),
    ("discovery.k8s.io/v1", "EndpointSlice"),
];

impl Subject {
    /// A subject of a form; built-in kinds are picked at random.
    pub(crate) fn new(rng: &mut Rng, form: &'static str) -> Result<Subject, String> {
        if form == "typed" {
            let (version, kind) = rng.pick(&KINDS);
            return Subject::builtin(version, kind);
        }
        let is_custom = form == "custom-resource";
        let document = if is_custom { schema::custom_resource(rng) } else { schema::document(rng) };
        let builder = match document.get("definition") {
            Some(definition) => SchemaBuilder::new().custom_resource_definition(definition),
            None => SchemaBuilder::new().openapi_v3(&document),
        };
        let builder = builder.map_err(|error| error.to_string())?;
        let schema = builder.compile(Dialect::Upstream).map_err(|error| error.to_string())?;
        let versions =
            schema::VERSIONS.iter().map(|version| format!("{}/{version}", schema::GROUP)).collect();
        Ok(Subject {
            form,
            kind: schema::KIND.to_owned(),
            versions,
            document,
            root: schema::KIND.to_owned(),
            schema,
            // Made schemas have few fields; built-in types have hundreds, of which few are set.
            density: 45,
        })
    }

    /// A built-in kind, as typed Go objects hold it.
    pub(crate) fn builtin(version: &str, kind: &str) -> Result<Subject, String> {
        let schema = Schema::builtin(NEWEST, Dialect::Upstream).map_err(|error| error.to_string())?;
        let (document, root) = published(version, kind)?;
        Ok(Subject {
            form: "typed",
            kind: kind.to_owned(),
            versions: vec![version.to_owned()],
            document,
            root,
            schema,
            density: 12,
        })
    }

    /// The typed form of an object of a built-in kind.
    pub(crate) fn typed(&self, object: &Value) -> Value {
        if !self.is_typed() {
            return object.clone();
        }
        let arena = Arena::new();
        let text = object.to_string();
        let kind =
            BuiltinKind::find(&self.schema, &self.versions[0], &self.kind).expect("the tables have the kind");
        let typed = kind.decode(&arena, &text).map(|decoded| decoded.object.to_text());
        // What cannot be decoded stays, so that both sides get to refuse it.
        typed.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_else(|| object.clone())
    }

    pub(crate) fn is_typed(&self) -> bool {
        self.form == "typed"
    }

    pub(crate) fn schema(&self) -> &Value {
        if let Some(definition) = self.document.get("definition") {
            return &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        }
        &self.document["components"]["schemas"][&self.root]
    }
}

/// The definitions of a kind from the documents that Kubernetes publishes.
pub(crate) fn published(version: &str, kind: &str) -> Result<(Value, String), String> {
    let folder = kubemerge_test_support::go_module::download(&format!("k8s.io/kubernetes@v{NEWEST_RELEASE}"))
        .map_err(|error| error.to_string())?;
    let file = match version {
        "v1" => "api__v1_openapi.json".to_owned(),
        other => format!("apis__{}_openapi.json", other.replace('/', "__")),
    };
    let path = folder.join("api/openapi-spec/v3").join(file);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let document: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let schemas = document["components"]["schemas"].as_object().ok_or("the document has no schemas")?;
    let is_it = |schema: &Value| {
        schema["x-kubernetes-group-version-kind"].as_array().into_iter().flatten().any(|known| {
            let group = known["group"].as_str().unwrap_or_default();
            let separator = if group.is_empty() { "" } else { "/" };
            let known_version = known["version"].as_str().unwrap_or_default();
            known["kind"] == kind && format!("{group}{separator}{known_version}") == version
        })
    };
    let root = schemas.iter().find(|(_, schema)| is_it(schema)).map(|(name, _)| name.clone());
    let root = root.ok_or_else(|| format!("the documents lack {kind}"))?;
    Ok((reachable(schemas, &root), root))
}

/// A document with the definitions that one refers to.
fn reachable(schemas: &Map<String, Value>, root: &str) -> Value {
    let mut names = BTreeSet::from([root.to_owned()]);
    let mut open = vec![root.to_owned()];
    while let Some(name) = open.pop() {
        let text = schemas[&name].to_string();
        // By text: definitions nest, and only the names matter.
        for part in text.split("\"$ref\":\"#/components/schemas/").skip(1) {
            let target = part.split('"').next().unwrap_or_default();
            if schemas.contains_key(target) && names.insert(target.to_owned()) {
                open.push(target.to_owned());
            }
        }
    }
    let kept: Map<String, Value> = names.iter().map(|name| (name.clone(), schemas[name].clone())).collect();
    json!({"components": {"schemas": kept}})
}
