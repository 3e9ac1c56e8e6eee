//! The paths of resources: which operations there are, and which options they take.

use kubemerge_schema::Schema;
use serde_json::{Map, Value, json};

use super::{
    endpoint::{Endpoint, PathScope},
    operation::{ALL_MEDIA, Action, content, meta, operation, parameters, reference},
    words::{capital, group_words},
};
use crate::protocol::json::Members;
use crate::{
    catalog::{Resource, Resources, Subresource},
    protocol::verb::Verb,
};

/// The paths of the resources of one version.
pub(super) fn of_resources(schema: &Schema, resources: &Resources) -> Map<String, Value> {
    let mut paths = Map::new();
    for resource in resources.values() {
        add_resource(&mut paths, schema, resource);
        // Discovery of custom resources and the older form of watches are not in their documents.
        if resource.custom().is_none() {
            add_discovery(&mut paths, resource);
            add_watches(&mut paths, schema, resource);
        }
    }
    paths
}

fn add_resource(paths: &mut Map<String, Value>, schema: &Schema, resource: &Resource) {
    let mut add = |place, part, actions: &[Action]| {
        let endpoint = Endpoint { schema, resource, place, part };
        add_path(paths, endpoint.path(""), &endpoint, actions);
    };
    if resource.is_namespaced() {
        add(PathScope::AllNamespaces, None, &allowed(resource, &[(Verb::List, Action::List)]));
    }
    add(PathScope::Collection, None, &allowed(resource, &COLLECTION));
    add(PathScope::Object, None, &allowed(resource, &OBJECT));
    for part in &resource.subresources {
        let actions = part_actions(part);
        add(PathScope::Object, Some(part), &actions);
        if part.name == "proxy" {
            add(PathScope::Beyond, Some(part), &actions);
        }
    }
}

const COLLECTION: [(Verb, Action); 3] = [
    (Verb::List, Action::List),
    (Verb::Create, Action::Post),
    (Verb::DeleteCollection, Action::DeleteCollection),
];
const OBJECT: [(Verb, Action); 4] = [
    (Verb::Get, Action::Get),
    (Verb::Update, Action::Put),
    (Verb::Patch, Action::Patch),
    (Verb::Delete, Action::Delete),
];
const PART: [(Verb, Action); 4] = [
    (Verb::Get, Action::Get),
    (Verb::Create, Action::Post),
    (Verb::Update, Action::Put),
    (Verb::Patch, Action::Patch),
];

fn allowed(resource: &Resource, actions: &[(Verb, Action)]) -> Vec<Action> {
    actions.iter().filter(|(verb, _)| resource.allows(*verb)).map(|(_, action)| *action).collect()
}

fn part_actions(part: &Subresource) -> Vec<Action> {
    let connect = |methods: &[&'static str]| methods.iter().map(|method| Action::Connect(method)).collect();
    match part.name.as_str() {
        "exec" | "attach" | "portforward" => connect(&["get", "post"]),
        "proxy" => connect(&["delete", "get", "head", "options", "patch", "post", "put"]),
        _ => PART.iter().filter(|(verb, _)| part.allows(*verb)).map(|(_, action)| *action).collect(),
    }
}

fn add_watches(paths: &mut Map<String, Value>, schema: &Schema, resource: &Resource) {
    if !resource.allows(Verb::Watch) {
        return;
    }
    let mut add = |place, action| {
        let endpoint = Endpoint { schema, resource, place, part: None };
        add_path(paths, endpoint.path("watch/"), &endpoint, &[action]);
    };
    if resource.is_namespaced() {
        add(PathScope::AllNamespaces, Action::WatchList);
    }
    add(PathScope::Collection, Action::WatchList);
    add(PathScope::Object, Action::Watch);
}

fn add_path(paths: &mut Map<String, Value>, path: String, endpoint: &Endpoint<'_>, actions: &[Action]) {
    if actions.is_empty() {
        return;
    }
    let mut item = Map::new();
    let shared = shared_parameters(endpoint, actions);
    for action in actions {
        let mut operation = operation(endpoint, *action);
        let own: Vec<&str> =
            parameters(endpoint, *action).into_iter().filter(|name| !shared.contains(name)).collect();
        if !own.is_empty() {
            operation.set_member("parameters", written(&[], own));
        }
        item.insert(action.method().into(), operation);
    }
    item.insert("parameters".into(), written(&endpoint.path_parameters(), shared));
    paths.insert(path, Value::Object(item));
}

/// Parameters that all operations of a path take are written once, beside them.
fn shared_parameters(endpoint: &Endpoint<'_>, actions: &[Action]) -> Vec<&'static str> {
    let mut all = actions.iter().map(|action| parameters(endpoint, *action));
    let mut shared = all.next().unwrap_or_default();
    for other in all {
        shared.retain(|name| other.contains(name));
    }
    shared
}

/// Parameters of the path and of the query, sorted by name.
fn written(in_path: &[&str], in_query: Vec<&str>) -> Value {
    let mut all: Vec<(&str, &str)> = in_path.iter().map(|name| (*name, "path")).collect();
    all.extend(in_query.into_iter().map(|name| (name, "query")));
    all.sort_unstable();
    all.into_iter().map(|(name, place)| parameter(name, place)).collect()
}

fn parameter(name: &str, place: &str) -> Value {
    let schema = json!({"type": parameter_type(name), "uniqueItems": true});
    let mut parameter = json!({"name": name, "in": place, "schema": schema});
    if place == "path" {
        parameter.set_member("required", true.into());
    }
    parameter
}

fn parameter_type(name: &str) -> &'static str {
    match name {
        "limit" | "timeoutSeconds" | "gracePeriodSeconds" | "limitBytes" | "sinceSeconds" | "tailLines"
        | "ports" => "integer",
        "allowWatchBookmarks"
        | "watch"
        | "sendInitialEvents"
        | "force"
        | "ignoreStoreReadErrorWithClusterBreakingPotential"
        | "orphanDependents"
        | "stderr"
        | "stdin"
        | "stdout"
        | "tty"
        | "follow"
        | "insecureSkipTLSVerifyBackend"
        | "previous"
        | "timestamps" => "boolean",
        _ => "string",
    }
}

/// The list of the version's resources.
fn add_discovery(paths: &mut Map<String, Value>, resource: &Resource) {
    let Resource { group, version, .. } = resource;
    let path = match group.as_str() {
        "" => format!("/api/{version}/"),
        group => format!("/apis/{group}/{version}/"),
    };
    let words = group_words(group);
    let content = content(&ALL_MEDIA, &reference(&meta("APIResourceList")));
    let get = json!({
        "tags": [format!("{words}_{version}")],
        "operationId": format!("get{}{}APIResources", capital(&words), capital(version)),
        "responses": {"200": {"description": "OK", "content": content},
            "401": {"description": "Unauthorized"}},
    });
    paths.insert(path, json!({"get": get}));
}
