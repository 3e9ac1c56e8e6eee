//! Rules about the extensions of operations: `x-kubernetes-action` and `-group-version-kind`.

use serde_json::Value;

use super::collect::Check;
use super::extension;
use crate::document::DocumentPath;

const ACTIONS: [&str; 11] = [
    "connect",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "post",
    "proxy",
    "put",
    "watch",
    "watchlist",
];

pub(super) fn check(check: &mut Check<'_>, document: &Value) {
    let paths = document.get("paths").and_then(Value::as_object);
    let root = DocumentPath::root("paths");
    for (route, operations) in paths.into_iter().flatten() {
        for (method, operation) in operations.as_object().into_iter().flatten() {
            let path = root.key(route);
            let path = path.keyword(method);
            action(check, operation, &path);
            extension::kinds(check, operation, &path);
        }
    }
}

fn action(check: &mut Check<'_>, operation: &Value, path: &DocumentPath<'_>) {
    let Some(value) = operation.get("x-kubernetes-action") else { return };
    if !value.as_str().is_some_and(|word| ACTIONS.contains(&word)) {
        let message = format!("Unsupported value: {value}: supported values: {}", ACTIONS.join(", "));
        check.broken("action-value", &path.keyword("x-kubernetes-action"), message);
    }
}
