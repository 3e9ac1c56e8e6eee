//! The paths of resources: which operations there are, and which options they take.

use serde_json::{Map, Value, json};

use super::Syntax;
use crate::{
    catalog::{Resource, Resources},
    protocol::{media, verb::Verb},
};

/// The paths of the resources of one version.
pub(super) fn of_resources(resources: &Resources, syntax: Syntax) -> Map<String, Value> {
    let mut paths = Map::new();
    for resource in resources.values() {
        let collection = collection_path(resource);
        paths.insert(collection.clone(), collection_operations(resource, syntax));
        paths.insert(format!("{collection}/{{name}}"), object_operations(resource, syntax));
    }
    paths
}

fn collection_path(resource: &Resource) -> String {
    let root = match resource.group.as_str() {
        "" => format!("/api/{}", resource.version),
        group => format!("/apis/{group}/{}", resource.version),
    };
    let namespace = if resource.is_namespaced() { "/namespaces/{namespace}" } else { "" };
    format!("{root}{namespace}/{}", resource.plural)
}

fn collection_operations(resource: &Resource, syntax: Syntax) -> Value {
    let mut item = Map::new();
    for (method, verb, action) in [
        ("get", Verb::List, "list"),
        ("post", Verb::Create, "post"),
        ("delete", Verb::DeleteCollection, "deletecollection"),
    ] {
        if resource.allows(verb) {
            item.insert(method.into(), operation(resource, action, syntax));
        }
    }
    item.insert("parameters".into(), path_parameters(resource, &[], syntax));
    Value::Object(item)
}

fn object_operations(resource: &Resource, syntax: Syntax) -> Value {
    let mut item = Map::new();
    for (method, verb, action) in [
        ("get", Verb::Get, "get"),
        ("put", Verb::Update, "put"),
        ("patch", Verb::Patch, "patch"),
        ("delete", Verb::Delete, "delete"),
    ] {
        if resource.allows(verb) {
            item.insert(method.into(), operation(resource, action, syntax));
        }
    }
    item.insert("parameters".into(), path_parameters(resource, &["name"], syntax));
    Value::Object(item)
}

fn operation(resource: &Resource, action: &str, syntax: Syntax) -> Value {
    let written = matches!(action, "post" | "put" | "patch");
    let mut parameters = Vec::new();
    let options: &[&str] = match action {
        "patch" => &["dryRun", "fieldManager", "fieldValidation", "force"],
        "post" | "put" => &["dryRun", "fieldManager", "fieldValidation"],
        "delete" => &["dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"],
        _ => &[
            "allowWatchBookmarks",
            "continue",
            "fieldSelector",
            "labelSelector",
            "limit",
            "resourceVersion",
            "watch",
        ],
    };
    parameters.extend(options.iter().map(|name| parameter(name, "query", syntax)));
    let mut operation = json!({
        "operationId": format!("{action}{}{}", capital(&resource.version), resource.kind),
        "parameters": parameters,
        "responses": {"200": {"description": "OK"}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind":
            {"group": resource.group, "version": resource.version, "kind": resource.kind},
    });
    if written {
        add_body(&mut operation, &content_types(resource, action), syntax);
    }
    operation
}

fn content_types(resource: &Resource, action: &str) -> Vec<&'static str> {
    match (action, resource.custom()) {
        ("patch", None) => vec![media::JSON_PATCH, media::MERGE_PATCH, media::STRATEGIC_MERGE_PATCH],
        // kubectl decides by this list whether it may send a strategic merge patch.
        ("patch", Some(_)) => vec![media::JSON_PATCH, media::MERGE_PATCH],
        _ => vec![media::JSON, media::YAML],
    }
}

fn add_body(operation: &mut Value, types: &[&str], syntax: Syntax) {
    match syntax {
        Syntax::V2 => operation["consumes"] = json!(types),
        Syntax::V3 => {
            let content: Map<String, Value> =
                types.iter().map(|name| (name.to_string(), json!({"schema": {"type": "object"}}))).collect();
            operation["requestBody"] = json!({"required": true, "content": content});
        }
    }
}

fn path_parameters(resource: &Resource, names: &[&str], syntax: Syntax) -> Value {
    let namespace = resource.is_namespaced().then_some("namespace");
    let all = namespace.into_iter().chain(names.iter().copied());
    Value::Array(all.map(|name| parameter(name, "path", syntax)).collect())
}

fn parameter(name: &str, place: &str, syntax: Syntax) -> Value {
    let mut parameter = json!({"name": name, "in": place});
    if place == "path" {
        parameter["required"] = true.into();
    }
    match syntax {
        Syntax::V2 => parameter["type"] = "string".into(),
        Syntax::V3 => parameter["schema"] = json!({"type": "string"}),
    }
    parameter
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
