//! One operation of a path: its name, its parameters, its body and its answers.

use serde_json::{Map, Value, json};

use super::{endpoint::Endpoint, syntax::Syntax, words::capital};
use crate::protocol::json::Members;
use crate::protocol::media;

/// What a request does; the words are those of `x-kubernetes-action`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    List,
    Post,
    DeleteCollection,
    Get,
    Put,
    Patch,
    Delete,
    WatchList,
    Watch,
    /// A connection to a pod, a service or a node, opened with this method.
    Connect(&'static str),
}

/// What selects objects, in lists and watches.
const LIST: &[&str] = &[
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "shardSelector",
    "timeoutSeconds",
];
const WATCH: &[&str] = &["allowWatchBookmarks", "watch"];
const WRITE: &[&str] = &["dryRun", "fieldManager", "fieldValidation"];
const DELETE: &[&str] = &[
    "dryRun",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "orphanDependents",
    "propagationPolicy",
];
const LOG: &[&str] = &[
    "container",
    "follow",
    "insecureSkipTLSVerifyBackend",
    "limitBytes",
    "previous",
    "sinceSeconds",
    "stream",
    "tailLines",
    "timestamps",
];
const ATTACH: &[&str] = &["container", "stderr", "stdin", "stdout", "tty"];

/// The name of the definition in `apimachinery`.
pub(super) fn meta(name: &str) -> String {
    format!("io.k8s.apimachinery.pkg.apis.meta.v1.{name}")
}

impl Action {
    pub(super) fn method(self) -> &'static str {
        match self {
            Action::List | Action::Get | Action::Watch | Action::WatchList => "get",
            Action::Post => "post",
            Action::Put => "put",
            Action::Patch => "patch",
            Action::Delete | Action::DeleteCollection => "delete",
            Action::Connect(method) => method,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Action::List => "list",
            Action::DeleteCollection => "deletecollection",
            Action::WatchList => "watchlist",
            Action::Watch => "watch",
            Action::Connect(_) => "connect",
            other => other.method(),
        }
    }

    /// The first word of the operation's name.
    fn verb(self) -> &'static str {
        match self {
            Action::Get => "read",
            Action::Post => "create",
            Action::Put => "replace",
            Action::DeleteCollection => "delete",
            Action::WatchList => "watch",
            other => other.word(),
        }
    }
}

/// The operation without the parameters that its path has for all operations.
pub(super) fn operation(endpoint: &Endpoint<'_>, action: Action) -> Value {
    let [group, version, kind] = endpoint.kind();
    let mut operation = json!({
        "tags": [endpoint.tag()],
        "operationId": operation_id(endpoint, action),
        "responses": responses(endpoint, action),
        "x-kubernetes-action": action.word(),
        "x-kubernetes-group-version-kind": {"group": group, "version": version, "kind": kind},
    });
    if let Some(body) = request_body(endpoint, action) {
        operation.set_member("requestBody", body);
    }
    operation
}

/// `deleteBatchV1CollectionNamespacedJob`, `connectCoreV1GetNamespacedPodExec`.
fn operation_id(endpoint: &Endpoint<'_>, action: Action) -> String {
    let infix = match action {
        Action::DeleteCollection => "Collection".to_string(),
        Action::Connect(method) => capital(method),
        _ => String::new(),
    };
    let list = if action == Action::WatchList { "List" } else { "" };
    format!(
        "{}{}{infix}{}{list}{}",
        action.verb(),
        endpoint.version_words(),
        endpoint.subject(),
        endpoint.suffix()
    )
}

/// The names of the query parameters.
pub(super) fn parameters(endpoint: &Endpoint<'_>, action: Action) -> Vec<&'static str> {
    let names: &[&[&str]] = match action {
        Action::Connect(_) => return connect_parameters(endpoint),
        Action::List | Action::WatchList | Action::Watch => &[LIST, WATCH],
        // The document of a custom resource says so, although the server reads other options.
        Action::DeleteCollection if endpoint.is_custom() => &[LIST, WATCH],
        Action::DeleteCollection => &[LIST, DELETE],
        Action::Delete => &[DELETE],
        Action::Post | Action::Put => &[WRITE],
        Action::Patch => &[WRITE, &["force"]],
        Action::Get if endpoint.subresource() == "log" => &[LOG],
        Action::Get if endpoint.is_custom() => &[&["resourceVersion"]],
        Action::Get => &[],
    };
    let mut names = names.concat();
    names.push("pretty");
    names
}

fn connect_parameters(endpoint: &Endpoint<'_>) -> Vec<&'static str> {
    match endpoint.subresource() {
        "exec" => [ATTACH, &["command"]].concat(),
        "attach" => ATTACH.to_vec(),
        "portforward" => vec!["ports"],
        _ => vec!["path"],
    }
}

fn responses(endpoint: &Endpoint<'_>, action: Action) -> Value {
    let codes: &[(&str, &str)] = match action {
        Action::Post => &[("200", "OK"), ("201", "Created"), ("202", "Accepted")],
        Action::Patch if endpoint.is_custom() => &[("200", "OK")],
        Action::Put | Action::Patch => &[("200", "OK"), ("201", "Created")],
        Action::Delete => &[("200", "OK"), ("202", "Accepted")],
        _ => &[("200", "OK")],
    };
    let content = response_content(endpoint, action);
    let mut responses = Map::new();
    for (code, text) in codes {
        responses.insert((*code).to_string(), json!({"description": text, "content": content}));
    }
    responses.insert("401".into(), json!({"description": "Unauthorized"}));
    Value::Object(responses)
}

fn response_content(endpoint: &Endpoint<'_>, action: Action) -> Value {
    let text = json!({"type": "string"});
    if let Action::Connect(_) = action {
        return content(&["*/*"], &text);
    }
    let mut types = if endpoint.is_custom() { vec![media::JSON, media::YAML] } else { ALL_MEDIA.to_vec() };
    if endpoint.subresource() == "log" {
        types.push("text/plain");
        return content(&types, &text);
    }
    let is_stream = matches!(action, Action::List | Action::WatchList | Action::Watch);
    if is_stream && !endpoint.is_custom() {
        types.extend(STREAMS);
    }
    let definition = match action {
        Action::List => format!("{}List", endpoint.definition()),
        Action::WatchList | Action::Watch => meta("WatchEvent"),
        Action::DeleteCollection => meta("Status"),
        Action::Delete if !endpoint.returns_deleted() => meta("Status"),
        _ => endpoint.definition(),
    };
    content(&types, &reference(&definition))
}

/// In what built-in kinds are read and written.
pub(super) const ALL_MEDIA: [&str; 3] = [media::JSON, media::PROTOBUF, media::YAML];
const STREAMS: [&str; 2] =
    ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

fn request_body(endpoint: &Endpoint<'_>, action: Action) -> Option<Value> {
    let any: &[&str] = if endpoint.is_custom() { &[media::JSON, media::YAML] } else { &["*/*"] };
    let (types, definition) = match action {
        Action::Post | Action::Put => (any.to_vec(), endpoint.definition()),
        Action::Patch => (endpoint.patch_types(), meta("Patch")),
        Action::DeleteCollection if endpoint.is_custom() => return None,
        Action::Delete | Action::DeleteCollection => (any.to_vec(), meta("DeleteOptions")),
        _ => return None,
    };
    let mut body = json!({"content": content(&types, &reference(&definition))});
    // Options of a deletion may be left out.
    if !matches!(action, Action::Delete | Action::DeleteCollection) {
        body.set_member("required", true.into());
    }
    Some(body)
}

pub(super) fn reference(definition: &str) -> Value {
    json!({"$ref": Syntax::V3.reference(definition)})
}

/// The same schema in several media types.
pub(super) fn content(types: &[&str], schema: &Value) -> Value {
    types.iter().map(|name| ((*name).to_string(), json!({"schema": schema}))).collect::<Map<_, _>>().into()
}
