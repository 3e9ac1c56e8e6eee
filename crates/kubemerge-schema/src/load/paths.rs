//! Reads the paths of an OpenAPI document: the resources it serves, with the verbs that `x-kubernetes-action` names.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value};

use crate::model::{
    Flags, KindEntry, Model, Name, NodeId, Origin, ResourceEntry, StrategicPatch, SubresourceEntry, UNTYPED,
};

const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// Adds the resources that the model does not have: those of the built-in tables stay as they are.
pub(crate) fn load(model: &mut Model, document: &Value) {
    let mut found: BTreeMap<Address<'_>, ResourcePaths<'_>> = BTreeMap::new();
    for (path, item) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
        let (Some(parsed), Some(item)) = (ResourcePath::parse(path), item.as_object()) else { continue };
        found.entry(parsed.address).or_default().add(&parsed, item);
    }
    let names =
        |one: &ResourceEntry| [one.group, one.version, one.plural].map(|name| model.text(name).to_string());
    let known: HashSet<[String; 3]> = model.resources.iter().map(names).collect();
    for (address, resource) in found {
        if !known.contains(&address.map(str::to_string)) {
            add(model, address, &resource);
        }
    }
}

/// Group, version and plural name.
type Address<'d> = [&'d str; 3];

/// A path of a resource, taken apart.
struct ResourcePath<'d> {
    address: Address<'d>,
    in_namespace: bool,
    /// The part of an object, such as `status`.
    part: Option<&'d str>,
}

impl<'d> ResourcePath<'d> {
    /// None for paths that lead to no resource, such as `/version`.
    fn parse(path: &'d str) -> Option<ResourcePath<'d>> {
        let steps: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (group, version, rest) = match steps.as_slice() {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return None,
        };
        // The old way to watch repeats the path of what is watched.
        let rest = rest.strip_prefix(&["watch"]).unwrap_or(rest);
        let (in_namespace, rest) = match rest {
            ["namespaces", "{namespace}", rest @ ..] if !rest.is_empty() => (true, rest),
            rest => (false, rest),
        };
        let (plural, part) = match rest {
            [plural] | [plural, "{name}"] => (*plural, None),
            [plural, "{name}", part] => (*plural, Some(*part)),
            _ => return None,
        };
        let is_plain = !plural.is_empty() && !plural.starts_with('{');
        is_plain.then_some(ResourcePath { address: [group, version, plural], in_namespace, part })
    }
}

/// What the paths of one resource say.
#[derive(Default)]
struct ResourcePaths<'d> {
    namespaced: bool,
    kind: Option<&'d str>,
    /// In the order in which discovery lists them.
    verbs: BTreeSet<&'static str>,
    patch_types: Option<Vec<&'d str>>,
    parts: BTreeMap<&'d str, FoundPart<'d>>,
}

/// What the paths of a part say.
struct FoundPart<'d> {
    kind: [&'d str; 3],
    verbs: BTreeSet<&'static str>,
}

impl<'d> ResourcePaths<'d> {
    fn add(&mut self, path: &ResourcePath<'d>, item: &'d Map<String, Value>) {
        self.namespaced |= path.in_namespace;
        for operation in item.values() {
            let (Some(verb), Some(kind)) = (verb(operation), kind(operation)) else { continue };
            let verbs = if let Some(part) = path.part {
                &mut self.parts.entry(part).or_insert(FoundPart { kind, verbs: BTreeSet::new() }).verbs
            } else {
                self.kind = Some(kind[2]);
                &mut self.verbs
            };
            verbs.insert(verb);
            if verb == "list" && has_watch_parameter(operation) {
                verbs.insert("watch");
            }
            if verb == "patch" && path.part.is_none() {
                self.patch_types = content_types(operation);
            }
        }
    }
}

/// The verb of an operation, as discovery names it.
fn verb(operation: &Value) -> Option<&'static str> {
    Some(match operation.get("x-kubernetes-action")?.as_str()? {
        "get" => "get",
        "list" => "list",
        "post" => "create",
        "put" => "update",
        "patch" => "patch",
        "delete" => "delete",
        "deletecollection" => "deletecollection",
        "watch" | "watchlist" => "watch",
        _ => return None,
    })
}

/// Group, version and kind of what an operation takes or gives.
fn kind(operation: &Value) -> Option<[&str; 3]> {
    let given = operation.get("x-kubernetes-group-version-kind")?;
    let text = |name: &str| given.get(name).and_then(Value::as_str);
    Some([text("group").unwrap_or_default(), text("version")?, text("kind")?])
}

fn has_watch_parameter(operation: &Value) -> bool {
    let mut given = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
    given.any(|parameter| {
        let text = |name: &str| parameter.get(name).and_then(Value::as_str).unwrap_or_default();
        // Newer documents refer to a shared parameter, whose name ends with a hash.
        text("name") == "watch" || text("$ref").starts_with("#/parameters/watch-")
    })
}

/// The content types that an operation takes: `consumes` in version 2, the request body in version 3.
fn content_types(operation: &Value) -> Option<Vec<&str>> {
    if let Some(listed) = operation.get("consumes").and_then(Value::as_array) {
        return Some(listed.iter().filter_map(Value::as_str).collect());
    }
    let content = operation.pointer("/requestBody/content")?.as_object()?;
    Some(content.keys().map(String::as_str).collect())
}

fn add(model: &mut Model, [group, version, plural]: Address<'_>, found: &ResourcePaths<'_>) {
    let Some(kind) = found.kind.filter(|_| !found.verbs.is_empty()) else { return };
    let mut name = |text: &str| model.intern(text);
    let part = |(part, FoundPart { kind: [group, version, kind], verbs }): (&&str, &FoundPart<'_>)| {
        SubresourceEntry {
            name: name(part),
            group: name(group),
            version: name(version),
            kind: name(kind),
            verbs: verbs.iter().map(|verb| name(verb)).collect(),
        }
    };
    let subresources = found.parts.iter().map(part).collect();
    let takes_strategic = found.patch_types.as_ref().is_none_or(|types| types.contains(&STRATEGIC));
    let entry = ResourceEntry {
        group: name(group),
        version: name(version),
        kind: name(kind),
        list_kind: Name::NONE,
        plural: name(plural),
        singular: name(&kind.to_lowercase()),
        namespaced: found.namespaced,
        verbs: found.verbs.iter().map(|verb| name(verb)).collect(),
        short_names: Vec::new(),
        categories: Vec::new(),
        subresources,
        strategic_patch: if takes_strategic { StrategicPatch::Accepted } else { StrategicPatch::Refused },
    };
    if !takes_strategic {
        refuse_strategic(model, &entry);
    }
    model.resources.push(entry);
}

/// Notes in the type of a resource what its paths say, for merges without a server.
fn refuse_strategic(model: &mut Model, resource: &ResourceEntry) {
    let names = [resource.group, resource.version, resource.kind];
    let is_own = |kind: &&KindEntry| [kind.group, kind.version, kind.kind] == names;
    let described = model.kinds.iter().filter(is_own).map(|kind| model.definition(kind.definition));
    let given = described.filter(|definition| definition.origin == Origin::OpenApi);
    let roots: Vec<NodeId> =
        given.map(|definition| definition.node).filter(|node| *node != UNTYPED).collect();
    roots.into_iter().for_each(|root| model.node_mut(root).flags.set(Flags::NO_STRATEGIC_PATCH));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Dialect, SchemaBuilder, StrategicPatch};

    #[test]
    fn paths_with_actions_are_resources() {
        let kind = json!({"group": "g.io", "version": "v1", "kind": "Shape"});
        let operation =
            |action: &str| json!({"x-kubernetes-action": action, "x-kubernetes-group-version-kind": kind});
        let mut patch = operation("patch");
        patch["consumes"] = json!(["application/merge-patch+json"]);
        let document = json!({
            "paths": {
                "/apis/g.io/v1/namespaces/{namespace}/shapes": {"post": operation("post"), "get": operation("list")},
                "/apis/g.io/v1/namespaces/{namespace}/shapes/{name}": {"patch": patch},
                "/apis/g.io/v1/namespaces/{namespace}/shapes/{name}/status": {"get": operation("get")},
                "/apis/g.io/v1/watch/shapes": {"get": operation("watchlist")},
                "/version": {"get": operation("get")},
            },
            "definitions": {"Shape": {"type": "object", "x-kubernetes-group-version-kind": [kind]}},
        });
        let schema = SchemaBuilder::new().openapi_v2(&document).unwrap().compile(Dialect::Upstream).unwrap();
        let all: Vec<_> = schema.resources().collect();
        assert_eq!(all.len(), 1);
        let shapes = all[0];
        assert_eq!(
            (shapes.group(), shapes.version(), shapes.plural(), shapes.kind()),
            ("g.io", "v1", "shapes", "Shape")
        );
        assert!(shapes.is_namespaced());
        assert_eq!(shapes.verbs().collect::<Vec<_>>(), ["create", "list", "patch", "watch"]);
        assert_eq!(shapes.strategic_patch(), StrategicPatch::Refused);
        assert_eq!(schema.type_of("g.io/v1", "Shape").unwrap().strategic_patch(), StrategicPatch::Refused);
        let parts: Vec<_> = shapes.subresources().map(|part| (part.name(), part.kind())).collect();
        assert_eq!(parts, [("status", "Shape")]);
    }
}
