//! The OpenAPI documents of discovery itself: `api`, `apis`, `apis/<group>`, `version`, and those of the issuer
//! of tokens.

use serde_json::{Map, Value, json};

use super::{
    operation::{self, ALL_MEDIA, content},
    words::{capital, group_words},
};
use crate::protocol::json::Members;
use crate::{catalog::Index, protocol::media};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";

const OPENID_CONFIGURATION: &str = ".well-known/openid-configuration";
const OPENID_KEYS: &str = "openid/v1/jwks";

/// The paths of these documents.
pub(super) fn paths(index: &Index) -> Vec<String> {
    let groups = index.groups().filter(|group| !group.name.is_empty());
    let mut paths = ["api", "apis", "version", OPENID_CONFIGURATION, OPENID_KEYS].map(String::from).to_vec();
    paths.extend(groups.map(|group| format!("apis/{}", group.name)));
    paths
}

/// The paths and the schemas of one of these documents.
pub(super) fn document(index: &Index, path: &str) -> Option<(Value, Value)> {
    let (tag, operation, kind) = match path {
        OPENID_CONFIGURATION => {
            let get = get("WellKnown", "getServiceAccountIssuerOpenIDConfiguration", text(&[media::JSON]));
            return Some((json!({format!("/{path}/"): {"get": get}}), json!({})));
        }
        OPENID_KEYS => {
            let get =
                get("openid", "getServiceAccountIssuerOpenIDKeyset", text(&["application/jwk-set+json"]));
            return Some((json!({format!("/{path}/"): {"get": get}}), json!({})));
        }
        "api" => ("core".to_string(), "getCoreAPIVersions".to_string(), "APIVersions"),
        "apis" => ("apis".to_string(), "getAPIVersions".to_string(), "APIGroupList"),
        "version" => ("version".to_string(), "getCodeVersion".to_string(), "Info"),
        _ => {
            let name = path.strip_prefix("apis/").filter(|name| !name.is_empty())?;
            index.group(name).filter(|group| !group.versions.is_empty())?;
            (group_words(name), format!("get{}APIGroup", capital(&group_words(name))), "APIGroup")
        }
    };
    let (definition, media) = match kind {
        "Info" => ("io.k8s.apimachinery.pkg.version.Info".to_string(), &[media::JSON][..]),
        kind => (format!("{META}{kind}"), &ALL_MEDIA[..]),
    };
    let get = get(&tag, &operation, content(media, &operation::reference(&definition)));
    Some((json!({format!("/{path}/"): {"get": get}}), schemas(kind)))
}

fn get(tag: &str, operation: &str, content: Value) -> Value {
    json!({"tags": [tag], "operationId": operation, "responses":
        {"200": {"description": "OK", "content": content}, "401": {"description": "Unauthorized"}}})
}

fn text(types: &[&str]) -> Value {
    content(types, &json!({"type": "string"}))
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
    object.member_mut("properties").set_member("apiVersion", text.clone());
    object.member_mut("properties").set_member("kind", text);
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
        info.member_mut("properties").set_member(name, json!({"type": "string"}));
    }
    info
}
