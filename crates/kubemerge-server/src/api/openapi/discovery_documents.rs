//! The OpenAPI documents of discovery itself: `api`, `apis`, `apis/<group>` and `version`.

use serde_json::{Map, Value, json};

use crate::catalog::Index;

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const JSON_ONLY: &[&str] = &["application/json"];
const ALL_MEDIA: &[&str] = &["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"];

/// The paths of these documents.
pub(super) fn paths(index: &Index) -> Vec<String> {
    let groups = index.groups().filter(|group| !group.name.is_empty());
    let mut paths = vec!["api".to_string(), "apis".to_string(), "version".to_string()];
    paths.extend(groups.map(|group| format!("apis/{}", group.name)));
    paths
}

/// The paths and the schemas of one of these documents.
pub(super) fn document(index: &Index, path: &str) -> Option<(Value, Value)> {
    let (tag, operation, kind) = match path {
        "api" => ("core".to_string(), "getCoreAPIVersions".to_string(), "APIVersions"),
        "apis" => ("apis".to_string(), "getAPIVersions".to_string(), "APIGroupList"),
        "version" => ("version".to_string(), "getCodeVersion".to_string(), "Info"),
        _ => {
            let name = path.strip_prefix("apis/").filter(|name| !name.is_empty())?;
            // A group whose definitions are all gone has no document.
            index.group(name).filter(|group| !group.versions.is_empty())?;
            (group_words(name), format!("get{}APIGroup", capital(&group_words(name))), "APIGroup")
        }
    };
    let (definition, media) = match kind {
        "Info" => ("io.k8s.apimachinery.pkg.version.Info".to_string(), JSON_ONLY),
        kind => (format!("{META}{kind}"), ALL_MEDIA),
    };
    let schema = json!({"schema": {"$ref": format!("#/components/schemas/{definition}")}});
    let content: Map<String, Value> =
        media.iter().map(|media| ((*media).to_string(), schema.clone())).collect();
    let get = json!({"tags": [tag], "operationId": operation, "responses":
        {"200": {"description": "OK", "content": content}, "401": {"description": "Unauthorized"}}});
    Some((json!({format!("/{path}/"): {"get": get}}), schemas(kind)))
}

/// A group without its domain, its parts in one word: `rbacAuthorization`.
fn group_words(group: &str) -> String {
    // kube-openapi leaves out the domain of built-in groups in names of operations.
    let name = group.strip_suffix(".k8s.io").unwrap_or(group);
    let mut parts = name.split('.');
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |words, part| words + &capital(part))
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

fn schemas(kind: &str) -> Value {
    let mut schemas = Map::new();
    let mut add = |name: &str, schema: Value| schemas.insert(format!("{META}{name}"), schema);
    match kind {
        "Info" => {
            return json!({"io.k8s.apimachinery.pkg.version.Info": version_info()});
        }
        "APIVersions" => {
            add("APIVersions", api_versions());
        }
        _ => {
            add("APIGroup", api_group());
            add("GroupVersionForDiscovery", texts(&["groupVersion", "version"]));
            if kind == "APIGroupList" {
                add("APIGroupList", api_group_list());
            }
        }
    }
    add("ServerAddressByClientCIDR", texts(&["clientCIDR", "serverAddress"]));
    Value::Object(schemas)
}

/// An object whose fields are texts, all of them required.
fn texts(names: &[&str]) -> Value {
    let text = json!({"type": "string", "default": ""});
    let fields: Map<String, Value> = names.iter().map(|name| ((*name).to_string(), text.clone())).collect();
    json!({"type": "object", "required": names, "properties": fields})
}

fn list_of(item: Value) -> Value {
    json!({"type": "array", "items": item, "x-kubernetes-list-type": "atomic"})
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{META}{name}")})
}

fn kind_of(name: &str, required: &[&str], fields: Value) -> Value {
    let text = json!({"type": "string"});
    let mut object = json!({"type": "object", "required": required, "properties": fields,
        "x-kubernetes-group-version-kind": [{"group": "", "kind": name, "version": "v1"}]});
    object["properties"]["apiVersion"] = text.clone();
    object["properties"]["kind"] = text;
    object
}

fn api_versions() -> Value {
    let fields = json!({"serverAddressByClientCIDRs": list_of(reference("ServerAddressByClientCIDR")),
        "versions": list_of(json!({"type": "string"}))});
    kind_of("APIVersions", &["versions", "serverAddressByClientCIDRs"], fields)
}

fn api_group() -> Value {
    let version = reference("GroupVersionForDiscovery");
    let fields = json!({"name": {"type": "string", "default": ""},
        "preferredVersion": {"default": {}, "allOf": [version]},
        "serverAddressByClientCIDRs": list_of(reference("ServerAddressByClientCIDR")),
        "versions": list_of(version)});
    kind_of("APIGroup", &["name", "versions"], fields)
}

fn api_group_list() -> Value {
    kind_of("APIGroupList", &["groups"], json!({"groups": list_of(reference("APIGroup"))}))
}

fn version_info() -> Value {
    let mut info = texts(&[
        "major",
        "minor",
        "gitVersion",
        "gitCommit",
        "gitTreeState",
        "buildDate",
        "goVersion",
        "compiler",
        "platform",
    ]);
    for name in ["emulationMajor", "emulationMinor", "minCompatibilityMajor", "minCompatibilityMinor"] {
        info["properties"][name] = json!({"type": "string"});
    }
    info
}
