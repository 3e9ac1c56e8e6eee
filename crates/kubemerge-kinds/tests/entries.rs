//! Laws of the entries: every kind that Kubernetes serves has one, it agrees with the schema, and every path in it leads
//! to a field of the Go type.

use std::collections::BTreeSet;

use kubemerge_kinds::columns::Cell;
use kubemerge_kinds::groups;
use kubemerge_kinds::registry::{KindEntry, Names, Scope};
use kubemerge_kinds::reset_fields::STATUS;
use kubemerge_schema::{Dialect, GoKind, Resource, Schema};

/// Kinds that only older versions serve, as alphas that were given up. Nothing is known of them but their types.
const OLDER_KINDS: [&str; 6] = [
    "ClusterCIDR",
    "PodScheduling",
    "PodSchedulingContext",
    "ResourceClaimParameters",
    "ResourceClass",
    "ResourceClassParameters",
];

fn schema(minor: u32) -> Schema {
    Schema::builtin(&format!("1.{minor}"), Dialect::Upstream).unwrap()
}

fn entry(resource: Resource<'_>) -> &'static KindEntry {
    groups::entry(resource.group(), resource.version(), resource.kind())
}

fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

/// The Go type at a path; the steps through lists are numbers.
fn resolve<'s>(
    schema: &Schema,
    api_version: &str,
    kind: &str,
    steps: impl IntoIterator<Item = &'s str>,
) -> Option<GoKind> {
    let types = schema.go_types();
    let mut at = GoKind::Struct(schema.go_struct(api_version, kind)?);
    for step in steps {
        at = match at {
            GoKind::Struct(id) => types.of(id).named(step)?.value.kind,
            GoKind::List(item) if step.parse::<usize>().is_ok() => types.value(item).kind,
            GoKind::Map(item) => types.value(item).kind,
            _ => return None,
        };
    }
    Some(at)
}

#[test]
fn every_kind_that_kubernetes_serves_has_an_entry() {
    let newest = schema(37);
    for resource in newest.resources() {
        assert_eq!(entry(resource).kind, resource.kind(), "{} {}", resource.group(), resource.version());
    }
    let mut missing = BTreeSet::new();
    for minor in 25..37 {
        let older = schema(minor);
        let unlisted = older.resources().filter(|resource| entry(*resource).kind.is_empty());
        missing.extend(unlisted.map(|resource| resource.kind().to_owned()));
    }
    assert_eq!(missing, OLDER_KINDS.map(str::to_owned).into());
}

#[test]
fn scope_and_subresources_are_those_of_the_schema() {
    let schema = schema(37);
    for resource in schema.resources() {
        let (entry, name) = (entry(resource), resource.kind());
        assert_eq!(entry.scope == Scope::Namespaced, resource.is_namespaced(), "{name}");
        let own = resource.subresources().filter(|part| part.kind() == name && part.name() != "log");
        let served: BTreeSet<String> = own.map(|part| part.name().to_owned()).collect();
        let listed: BTreeSet<String> = entry.subresources.iter().map(|one| one.name.to_owned()).collect();
        assert_eq!(listed, served, "{name}");
    }
}

#[test]
fn a_status_with_an_endpoint_is_reset_by_the_main_one() {
    for (group, entry) in groups::all() {
        let has_status = entry.subresource("status").is_some();
        assert_eq!(entry.strategy.resets.contains(&STATUS), has_status, "{group} {}", entry.kind);
    }
}

#[test]
fn reset_fields_are_fields() {
    let schema = schema(37);
    for resource in schema.resources() {
        let (entry, api_version) = (entry(resource), api_version(resource.group(), resource.version()));
        let others = entry.subresources.iter().flat_map(|one| one.resets);
        for names in entry.strategy.resets.iter().chain(others) {
            let found = resolve(&schema, &api_version, resource.kind(), names.iter().copied());
            assert!(found.is_some(), "{} {names:?}", resource.kind());
        }
    }
}

#[test]
fn status_and_approval_of_certificate_requests_reset_different_parts() {
    let request = groups::entry("certificates.k8s.io", "v1", "CertificateSigningRequest");
    let of = |subresource: &str| -> &[Names] { request.resets(subresource) };
    assert_eq!(of(""), [&["spec"][..], &["status"]]);
    assert_eq!(of("status"), [&["spec"][..], &["status", "conditions"]]);
    assert_eq!(of("approval"), [&["spec"][..], &["status", "certificate"]]);
    let pod = groups::entry("", "v1", "Pod");
    assert!(pod.resets("resize").is_empty() && groups::entry("", "v1", "ConfigMap").resets("").is_empty());
}

/// Whether a cell can show values of a Go type.
fn shows(cell: Cell, kind: GoKind) -> bool {
    match cell {
        Cell::Text(_) | Cell::TextOr(..) => matches!(kind, GoKind::String),
        Cell::Number(_) | Cell::NumberOr(..) => matches!(kind, GoKind::Int32 | GoKind::Int64),
        Cell::Flag(_) => matches!(kind, GoKind::Bool),
        Cell::Count(_) | Cell::Joined(_) => matches!(kind, GoKind::List(_)),
        Cell::Age(..) | Cell::Value(_) => matches!(kind, GoKind::Time | GoKind::MicroTime),
        Cell::Computed(_) | Cell::ComputedAt(_) | Cell::ComputedValue(_) => true,
    }
}

#[test]
fn columns_lead_to_fields() {
    let schema = schema(37);
    for resource in schema.resources() {
        let api_version = api_version(resource.group(), resource.version());
        for column in entry(resource).presentation.columns {
            let Some(path) = column.cell.path() else { continue };
            let steps = path.strip_prefix('/').expect("paths are JSON pointers").split('/');
            let found = resolve(&schema, &api_version, resource.kind(), steps);
            let place = format!("{api_version} {} {path}", resource.kind());
            assert!(found.is_some_and(|kind| shows(column.cell, kind)), "{place}: {found:?}");
        }
    }
}

#[test]
fn selectable_fields_are_fields_of_the_stored_object() {
    let schema = schema(37);
    for resource in schema.resources() {
        let entry = entry(resource);
        let served = api_version(resource.group(), resource.version());
        let stored = entry.conversion.map_or(&*served, |conversion| conversion.stored_in);
        for field in entry.presentation.selectable.fields {
            let found = resolve(&schema, stored, resource.kind(), field.path.split('.'));
            assert!(found.is_some(), "{stored} {} {}", resource.kind(), field.path);
        }
    }
}
