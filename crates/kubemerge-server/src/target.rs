//! What a request's path names: an API object or collection, or one of the server's own documents.
//!
//! Paths are read by segments, never by suffix: an object may be called `status`.

use crate::query::percent_decoded;

/// Where a request goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// `/`: every path there is.
    Root,
    /// `/api`: the versions of the core group.
    CoreVersions,
    /// `/apis`: all other groups.
    Groups,
    /// `/apis/<group>`.
    Group(String),
    /// `/api/v1` or `/apis/<group>/<version>`: its resources.
    Resources { group: String, version: String },
    /// Objects.
    Objects(Address),
    /// `/openapi/v2`.
    OpenApiV2,
    /// `/openapi/v3`.
    OpenApiV3Index,
    /// `/openapi/v3/<group version>`, such as `apis/apps/v1`.
    OpenApiV3(String),
    /// `/version`.
    Version,
    /// `/healthz`, `/livez`, `/readyz` and what is below them.
    Health,
    /// Nothing that is served.
    Nowhere,
}

/// The objects a path names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// The API group; empty for the core group.
    pub group: String,
    /// The version in the path.
    pub version: String,
    /// The namespace in the path, if any.
    pub namespace: Option<String>,
    /// The plural name of the resource.
    pub resource: String,
    /// The object, unless the path names the collection.
    pub name: Option<String>,
    /// The subresource, if any.
    pub subresource: Option<String>,
}

/// Subresources of a Namespace, which look like resources inside of one.
const NAMESPACE_SUBRESOURCES: [&str; 2] = ["status", "finalize"];

impl Target {
    pub(crate) fn of(path: &str) -> Target {
        let segments = segments(path);
        if !path.contains('%') {
            return Target::at(&segments);
        }
        let decoded: Vec<String> = segments.into_iter().map(percent_decoded).collect();
        Target::at(&decoded.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn at(segments: &[&str]) -> Target {
        match segments {
            [] => Target::Root,
            ["api"] => Target::CoreVersions,
            ["apis"] => Target::Groups,
            ["apis", group] => Target::Group((*group).to_string()),
            ["api", version] => Target::Resources { group: String::new(), version: (*version).to_string() },
            ["apis", group, version] => {
                Target::Resources { group: (*group).to_string(), version: (*version).to_string() }
            }
            ["api", version, rest @ ..] => objects("", version, rest),
            ["apis", group, version, rest @ ..] => objects(group, version, rest),
            ["openapi", "v2"] => Target::OpenApiV2,
            ["openapi", "v3"] => Target::OpenApiV3Index,
            ["openapi", "v3", rest @ ..] => Target::OpenApiV3(rest.join("/")),
            ["version"] => Target::Version,
            ["healthz" | "livez" | "readyz", ..] => Target::Health,
            _ => Target::Nowhere,
        }
    }
}

/// What stands between the slashes. Every request passes here, so that each byte is looked at only once.
fn segments(path: &str) -> Vec<&str> {
    let mut segments = Vec::with_capacity(8);
    let mut start = 0;
    let slashes = path.bytes().enumerate().filter(|(_, byte)| *byte == b'/').map(|(at, _)| at);
    for end in slashes.chain([path.len()]) {
        if start < end {
            segments.push(&path[start..end]);
        }
        start = end + 1;
    }
    segments
}

fn objects(group: &str, version: &str, rest: &[&str]) -> Target {
    let (namespace, rest) = match rest {
        ["namespaces", _] => (None, rest),
        ["namespaces", _, sub] if group.is_empty() && NAMESPACE_SUBRESOURCES.contains(sub) => (None, rest),
        ["namespaces", namespace, rest @ ..] => (Some(*namespace), rest),
        rest => (None, rest),
    };
    let (resource, name, subresource) = match rest {
        [resource] => (*resource, None, None),
        [resource, name] => (*resource, Some(*name), None),
        [resource, name, subresource] => (*resource, Some(*name), Some(*subresource)),
        _ => return Target::Nowhere,
    };
    Target::Objects(Address {
        group: group.to_string(),
        version: version.to_string(),
        namespace: namespace.map(str::to_string),
        resource: resource.to_string(),
        name: name.map(str::to_string),
        subresource: subresource.map(str::to_string),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(path: &str) -> [String; 6] {
        let Target::Objects(found) = Target::of(path) else { panic!("{path} names no objects") };
        let or_dash = |part: Option<String>| part.unwrap_or("-".into());
        let Address { group, version, namespace, resource, name, subresource } = found;
        [group, version, or_dash(namespace), resource, or_dash(name), or_dash(subresource)]
    }

    #[test]
    fn paths_are_read_by_segments() {
        assert_eq!(address("/api/v1/pods"), ["", "v1", "-", "pods", "-", "-"]);
        assert_eq!(address("/api/v1/namespaces/d/pods/status"), ["", "v1", "d", "pods", "status", "-"]);
        assert_eq!(address("/api/v1/namespaces/d/pods/p/status"), ["", "v1", "d", "pods", "p", "status"]);
        assert_eq!(
            address("/apis/apps/v1/namespaces/d/deployments/w/scale"),
            ["apps", "v1", "d", "deployments", "w", "scale"]
        );
        assert_eq!(address("/apis/x.io/v1/things/a%2Fb"), ["x.io", "v1", "-", "things", "a/b", "-"]);
        assert_eq!(address("api//v1/é/p/"), ["", "v1", "-", "é", "p", "-"]);
    }

    #[test]
    fn a_namespace_has_subresources_of_its_own() {
        assert_eq!(address("/api/v1/namespaces"), ["", "v1", "-", "namespaces", "-", "-"]);
        assert_eq!(address("/api/v1/namespaces/n"), ["", "v1", "-", "namespaces", "n", "-"]);
        assert_eq!(address("/api/v1/namespaces/n/status"), ["", "v1", "-", "namespaces", "n", "status"]);
        assert_eq!(address("/api/v1/namespaces/n/finalize"), ["", "v1", "-", "namespaces", "n", "finalize"]);
    }

    #[test]
    fn documents_have_their_own_targets() {
        assert_eq!(Target::of("/openapi/v3/apis/apps/v1"), Target::OpenApiV3("apis/apps/v1".into()));
        assert_eq!(Target::of("/"), Target::Root);
        assert_eq!(Target::of("/readyz/ping"), Target::Health);
        assert_eq!(Target::of("/nope"), Target::Nowhere);
        assert_eq!(Target::of("/api/v1/a/b/c/d"), Target::Nowhere);
    }
}
