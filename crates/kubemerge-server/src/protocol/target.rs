//! What a request's path names: an API object or collection, or one of the server's own documents.
//!
//! Paths are read by segments, never by suffix: an object may be called `status`.

use kubemerge_value::part::text_of;
use std::borrow::Cow;

use smallvec::SmallVec;

use crate::protocol::query::percent_decoded;

/// Where a request goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target<'p> {
    /// `/`: every path there is.
    Root,
    /// `/api`: the versions of the core group.
    CoreVersions,
    /// `/apis`: all other groups.
    Groups,
    /// `/apis/<group>`.
    Group(Cow<'p, str>),
    /// `/api/v1` or `/apis/<group>/<version>`: its resources.
    Resources { group: Cow<'p, str>, version: Cow<'p, str> },
    /// Objects.
    Objects(Named<'p>),
    /// `/openapi/v2`.
    OpenApiV2,
    /// `/openapi/v3`.
    OpenApiV3Index,
    /// `/openapi/v3/<group version>`, such as `apis/apps/v1`.
    OpenApiV3(String),
    /// `/version`.
    Version,
    /// `/.well-known/openid-configuration`: who issues the tokens of service accounts.
    OpenIdConfiguration,
    /// `/openid/v1/jwks`: the keys that such tokens are signed with.
    OpenIdKeys,
    /// `/healthz`, `/livez`, `/readyz` and what is below them.
    Health(String),
    /// `/metrics`.
    Metrics,
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

/// The objects a path names, in the words of the path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Named<'p> {
    pub(crate) group: Cow<'p, str>,
    pub(crate) version: Cow<'p, str>,
    pub(crate) namespace: Option<Cow<'p, str>>,
    pub(crate) resource: Cow<'p, str>,
    pub(crate) name: Option<Cow<'p, str>>,
    pub(crate) subresource: Option<Cow<'p, str>>,
    /// Whether the path asks for a watch, as before there was a parameter for it.
    pub(crate) watches: bool,
}

impl Named<'_> {
    pub(crate) fn into_owned(self) -> Named<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Named {
            group: owned(self.group),
            version: owned(self.version),
            namespace: self.namespace.map(owned),
            resource: owned(self.resource),
            name: self.name.map(owned),
            subresource: self.subresource.map(owned),
            watches: self.watches,
        }
    }
}

impl<'p> From<&'p Address> for Named<'p> {
    fn from(address: &'p Address) -> Named<'p> {
        let word = |text: &'p Option<String>| text.as_deref().map(Cow::from);
        Named {
            group: (&address.group).into(),
            version: (&address.version).into(),
            namespace: word(&address.namespace),
            resource: (&address.resource).into(),
            name: word(&address.name),
            subresource: word(&address.subresource),
            watches: false,
        }
    }
}

impl From<Named<'_>> for Address {
    fn from(named: Named<'_>) -> Address {
        Address {
            group: named.group.into_owned(),
            version: named.version.into_owned(),
            namespace: named.namespace.map(Cow::into_owned),
            resource: named.resource.into_owned(),
            name: named.name.map(Cow::into_owned),
            subresource: named.subresource.map(Cow::into_owned),
        }
    }
}

/// Subresources of a Namespace, which look like resources inside of one.
const NAMESPACE_SUBRESOURCES: [&str; 2] = ["status", "finalize"];

impl<'p> Target<'p> {
    pub(crate) fn of(path: &'p str) -> Target<'p> {
        let segments = segments(path);
        // Split before decoding, so that an escaped slash stays part of a name.
        if !path.contains('%') {
            return Target::at(&segments);
        }
        let decoded: Vec<String> = segments.into_iter().map(percent_decoded).collect();
        Target::at(&decoded.iter().map(String::as_str).collect::<Vec<_>>()).into_owned()
    }

    fn at(segments: &[&'p str]) -> Target<'p> {
        match segments {
            [] => Target::Root,
            ["api"] => Target::CoreVersions,
            ["apis"] => Target::Groups,
            ["apis", group] => Target::Group((*group).into()),
            ["api", version] => Target::Resources { group: "".into(), version: (*version).into() },
            ["apis", group, version] => {
                Target::Resources { group: (*group).into(), version: (*version).into() }
            }
            ["api", version, rest @ ..] => objects("", version, rest),
            ["apis", group, version, rest @ ..] => objects(group, version, rest),
            ["openapi", "v2"] => Target::OpenApiV2,
            ["openapi", "v3"] => Target::OpenApiV3Index,
            ["openapi", "v3", rest @ ..] => Target::OpenApiV3(rest.join("/")),
            ["metrics"] => Target::Metrics,
            ["version"] => Target::Version,
            [".well-known", "openid-configuration"] => Target::OpenIdConfiguration,
            ["openid", "v1", "jwks"] => Target::OpenIdKeys,
            // Single checks are below these paths.
            ["healthz" | "livez" | "readyz", ..] => Target::Health(segments.join("/")),
            _ => Target::Nowhere,
        }
    }

    fn into_owned(self) -> Target<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Target::Root => Target::Root,
            Target::CoreVersions => Target::CoreVersions,
            Target::Groups => Target::Groups,
            Target::Group(name) => Target::Group(owned(name)),
            Target::Resources { group, version } => {
                Target::Resources { group: owned(group), version: owned(version) }
            }
            Target::Objects(named) => Target::Objects(named.into_owned()),
            Target::OpenApiV2 => Target::OpenApiV2,
            Target::OpenApiV3Index => Target::OpenApiV3Index,
            Target::OpenApiV3(path) => Target::OpenApiV3(path),
            Target::Metrics => Target::Metrics,
            Target::Version => Target::Version,
            Target::OpenIdConfiguration => Target::OpenIdConfiguration,
            Target::OpenIdKeys => Target::OpenIdKeys,
            Target::Health(path) => Target::Health(path),
            Target::Nowhere => Target::Nowhere,
        }
    }
}

/// The parts between the slashes. Every request comes here, so that each byte is read only once.
fn segments(path: &str) -> SmallVec<[&str; 8]> {
    let mut segments = SmallVec::new();
    let mut start = 0;
    let slashes = path.bytes().enumerate().filter(|(_, byte)| *byte == b'/').map(|(at, _)| at);
    for end in slashes.chain([path.len()]) {
        // Empty segments are skipped: clients send `//` and trailing slashes.
        if start < end {
            segments.push(text_of(path, start..end));
        }
        start = end + 1;
    }
    segments
}

fn objects<'p>(group: &'p str, version: &'p str, rest: &[&'p str]) -> Target<'p> {
    let (watches, rest) = match rest {
        ["watch", rest @ ..] if !rest.is_empty() => (true, rest),
        rest => (false, rest),
    };
    let (namespace, rest) = match rest {
        // A path to a namespace itself: the name is not the namespace of something else.
        ["namespaces", _] => (None, rest),
        ["namespaces", _, sub] if group.is_empty() && NAMESPACE_SUBRESOURCES.contains(sub) => (None, rest),
        ["namespaces", namespace, rest @ ..] => (Some(*namespace), rest),
        rest => (None, rest),
    };
    let (resource, name, subresource) = match rest {
        [resource] => (*resource, None, None),
        [resource, name] => (*resource, Some(*name), None),
        [resource, name, subresource] if !watches => (*resource, Some(*name), Some(*subresource)),
        // Deeper paths belong to proxies, which are not served; subresources have no watch.
        _ => return Target::Nowhere,
    };
    Target::Objects(Named {
        group: group.into(),
        version: version.into(),
        namespace: namespace.map(Cow::from),
        resource: resource.into(),
        name: name.map(Cow::from),
        subresource: subresource.map(Cow::from),
        watches,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(path: &str) -> [String; 6] {
        let Target::Objects(found) = Target::of(path) else { panic!("{path} names no objects") };
        let or_dash = |part: Option<String>| part.unwrap_or("-".into());
        let Address { group, version, namespace, resource, name, subresource } = found.into();
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
        assert_eq!(Target::of("/readyz/ping"), Target::Health("readyz/ping".into()));
        assert_eq!(Target::of("/nope"), Target::Nowhere);
        assert_eq!(Target::of("/api/v1/a/b/c/d"), Target::Nowhere);
    }
}
