//! Discovery: what is served, in the legacy form and aggregated.

use base64::prelude::{BASE64_STANDARD, Engine};
use http::HeaderMap;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::protocol::json::Members;
use crate::{
    api::health,
    catalog::{Group, Index, Resource, Resources, Scope},
    protocol::{
        group_version::{api_version, split_api_version},
        media,
        reply::Reply,
    },
};

/// `/`: the paths of everything that is served.
pub(crate) fn root(index: &Index) -> Reply {
    let mut paths: Vec<String> = [
        "/api",
        "/apis",
        "/healthz",
        "/livez",
        "/metrics",
        "/openapi/v2",
        "/openapi/v3",
        "/readyz",
        "/version",
    ]
    .map(str::to_string)
    .into();
    for group in index.groups() {
        let base = if group.name.is_empty() { "/api".into() } else { format!("/apis/{}", group.name) };
        paths.extend(group.versions.iter().map(|(version, _)| format!("{base}/{version}")));
        paths.push(base);
    }
    for health in ["healthz", "livez", "readyz"] {
        paths.extend(health::checks(health).iter().map(|check| format!("/{health}/{check}")));
    }
    // Groups are in order of priority, but paths are listed by name.
    paths.sort();
    paths.dedup();
    Reply::value(200, &json!({ "paths": paths }))
}

/// `/api`: the core group.
pub(crate) fn core(index: &Index, headers: &HeaderMap) -> Reply {
    let core: Vec<&Group> = index.groups().filter(|group| group.name.is_empty()).collect();
    if let Some(version) = aggregated(headers) {
        aggregated_reply(&core, version)
    } else {
        let versions: Vec<&String> =
            core.iter().flat_map(|group| group.versions.iter().map(|(v, _)| v)).collect();
        let addresses = json!([{"clientCIDR": "0.0.0.0/0", "serverAddress": ""}]);
        Reply::value(
            200,
            &json!({"kind": "APIVersions", "versions": versions, "serverAddressByClientCIDRs": addresses}),
        )
    }
}

/// `/apis`: all other groups.
pub(crate) fn groups(index: &Index, headers: &HeaderMap) -> Reply {
    let others: Vec<&Group> = index.groups().filter(|group| !group.name.is_empty()).collect();
    if let Some(version) = aggregated(headers) {
        aggregated_reply(&others, version)
    } else {
        let groups: Vec<Value> = others.iter().map(|group| api_group(group)).collect();
        Reply::value(200, &json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}))
    }
}

/// `/apis/<group>`; none if there is no such group.
pub(crate) fn group(index: &Index, name: &str) -> Option<Reply> {
    // A group whose definitions were deleted has no versions left.
    let group = index.group(name).filter(|group| !name.is_empty() && !group.versions.is_empty());
    let mut value = api_group(group?);
    value.set_member("kind", "APIGroup".into());
    value.set_member("apiVersion", "v1".into());
    Some(Reply::value(200, &value))
}

/// `/api/v1`, `/apis/<group>/<version>`; none if there is no such version.
pub(crate) fn resources(index: &Index, group: &str, version: &str) -> Option<Reply> {
    let resources = index.version(group, version)?;
    let list: Vec<Value> = resources.values().flat_map(|resource| legacy_entries(resource)).collect();
    let mut answer = json!({"kind": "APIResourceList", "groupVersion": api_version(group, version),
        "resources": list});
    // Upstream: the list of the core group has no apiVersion.
    if !group.is_empty() {
        answer.set_member("apiVersion", "v1".into());
    }
    Some(Reply::value(200, &answer))
}

/// `/version`.
pub(crate) fn version(version: &str) -> Reply {
    let mut numbers = version.split('.');
    let (major, minor) = (numbers.next().unwrap_or("1"), numbers.next().unwrap_or("0"));
    let patch = numbers.next().unwrap_or("0");
    // Upstream: a server can emulate the minor version before its own.
    let previous = minor.parse().map_or(0, |minor: u32| minor.saturating_sub(1)).to_string();
    Reply::value(
        200,
        &json!({
            "major": major, "minor": minor, "emulationMajor": major, "emulationMinor": minor,
            "minCompatibilityMajor": major, "minCompatibilityMinor": previous, "gitVersion": format!("v{major}.{minor}.{patch}"),
            "gitCommit": "", "gitTreeState": "clean", "buildDate": "1970-01-01T00:00:00Z",
            "goVersion": "", "compiler": "rustc",
            "platform": "linux/amd64",
        }),
    )
}

fn api_group(group: &Group) -> Value {
    let versions: Vec<Value> = group
        .versions
        .iter()
        .map(|(version, _)| json!({"groupVersion": api_version(&group.name, version), "version": version}))
        .collect();
    json!({"name": group.name, "preferredVersion": versions.first(), "versions": versions})
}

fn legacy_entries(resource: &Resource) -> Vec<Value> {
    let namespaced = resource.scope == Scope::Namespaced;
    let mut own = json!({"name": resource.plural, "singularName": resource.singular, "namespaced": namespaced,
        "kind": resource.kind, "verbs": resource.verbs});
    if !resource.short_names.is_empty() {
        own.set_member("shortNames", json!(resource.short_names));
    }
    if !resource.categories.is_empty() {
        own.set_member("categories", json!(resource.categories));
    }
    if let Some(hash) = storage_version_hash(resource) {
        own.set_member("storageVersionHash", hash.into());
    }
    let mut entries = vec![own];
    entries.extend(resource.subresources.iter().map(|sub| {
        let [group, version, kind] = &sub.speaks;
        let mut entry = json!({"name": format!("{}/{}", resource.plural, sub.name), "singularName": "",
            "namespaced": namespaced, "kind": kind, "verbs": sub.verbs});
        // Left out where it is the same, as in kube-apiserver.
        if (group, version) != (&resource.group, &resource.version) {
            entry.set_member("group", json!(group));
            entry.set_member("version", json!(version));
        }
        entry
    }));
    entries
}

/// Kinds that kube-apiserver stores in another version than the one it prefers.
const STORED_IN: [(&str, &str, &str); 5] = [
    ("apiextensions.k8s.io", "CustomResourceDefinition", "v1beta1"),
    ("certificates.k8s.io", "ClusterTrustBundle", "v1beta1"),
    ("certificates.k8s.io", "PodCertificateRequest", "v1beta1"),
    ("resource.k8s.io", "DeviceTaintRule", "v1beta2"),
    ("storagemigration.k8s.io", "StorageVersionMigration", "v1beta1"),
];

/// Changes when a kind is stored in another version; kinds that are not stored have none.
fn storage_version_hash(resource: &Resource) -> Option<String> {
    const HASH_BYTES: usize = 8;
    // Reviews and the like are answered and forgotten.
    if !resource.verbs.iter().any(|verb| verb == "watch") {
        return None;
    }
    let (group, version) = split_api_version(&resource.storage);
    let other = STORED_IN.iter().find(|(of, kind, _)| *of == group && *kind == resource.kind);
    let version = other.map_or(version, |(_, _, version)| version);
    let hash = Sha256::digest(format!("{group}/{version}/{}", resource.kind));
    hash.first_chunk::<HASH_BYTES>().map(|first| BASE64_STANDARD.encode(first))
}

/// The version of aggregated discovery a client wants first, if it wants any.
fn aggregated(headers: &HeaderMap) -> Option<&'static str> {
    for clause in media::accept(headers).iter().filter(|clause| clause.takes_json()) {
        match (clause.parameter("as"), clause.parameter("g"), clause.parameter("v")) {
            (Some("APIGroupDiscoveryList"), Some("apidiscovery.k8s.io"), Some("v2")) => return Some("v2"),
            (Some("APIGroupDiscoveryList"), Some("apidiscovery.k8s.io"), Some("v2beta1")) => {
                return Some("v2beta1");
            }
            // A client that takes plain JSON first gets the legacy form.
            (None, ..) => return None,
            _ => {}
        }
    }
    None
}

fn aggregated_reply(groups: &[&Group], version: &str) -> Reply {
    let items: Vec<Value> = groups.iter().map(|group| discovered_group(group)).collect();
    let list = json!({"kind": "APIGroupDiscoveryList", "apiVersion": format!("apidiscovery.k8s.io/{version}"),
        "metadata": {}, "items": items});
    let content_type = format!("application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList");
    Reply::bytes(200, content_type, list.to_string())
}

fn discovered_group(group: &Group) -> Value {
    let versions: Vec<Value> = group
        .versions
        .iter()
        .map(|(version, resources)| {
            json!({"version": version, "freshness": "Current", "resources": discovered(resources)})
        })
        .collect();
    // Upstream: the core group has no name at all, not an empty one.
    let metadata = if group.name.is_empty() { json!({}) } else { json!({"name": group.name}) };
    json!({"metadata": metadata, "versions": versions})
}

/// Upstream: built-in kinds name their group and version only if it is another one than that of the resource.
fn response_kind(resource: &Resource, [group, version, kind]: [&String; 3]) -> Value {
    if resource.custom().is_none() && (group, version) == (&resource.group, &resource.version) {
        return json!({"group": "", "version": "", "kind": kind});
    }
    json!({"group": group, "version": version, "kind": kind})
}

fn discovered(resources: &Resources) -> Vec<Value> {
    let one = |resource: &Resource| {
        let scope = if resource.is_namespaced() { "Namespaced" } else { "Cluster" };
        let mut entry = json!({
            "resource": resource.plural, "scope": scope, "singularResource": resource.singular,
            "responseKind": response_kind(resource, [&resource.group, &resource.version, &resource.kind]),
            "verbs": resource.verbs,
        });
        if !resource.short_names.is_empty() {
            entry.set_member("shortNames", json!(resource.short_names));
        }
        if !resource.categories.is_empty() {
            entry.set_member("categories", json!(resource.categories));
        }
        let subs: Vec<Value> = resource
            .subresources
            .iter()
            .map(|sub| {
                json!({"subresource": sub.name, "verbs": sub.verbs,
                    "responseKind": response_kind(resource, sub.speaks.each_ref())})
            })
            .collect();
        if !subs.is_empty() {
            entry.set_member("subresources", json!(subs));
        }
        entry
    };
    resources.values().map(|resource| one(resource)).collect()
}
