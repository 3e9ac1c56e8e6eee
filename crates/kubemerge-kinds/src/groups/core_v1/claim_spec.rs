//! The spec of a PersistentVolumeClaim: of claims, their templates and ephemeral volumes.

use super::pod_spec;
use crate::field::Field;
use crate::format::{dns1123_label, dns1123_subdomain};
use crate::meta::{Selector, annotations, label_selector, labels};
use crate::registry::Context;
use crate::tree::Map;

const ACCESS_MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/// Defaults of the spec.
pub(crate) fn defaults(spec: &mut Map<'_>, _context: Context) {
    spec.set_if_absent("volumeMode", "Filesystem");
    if let Some(resources) = spec.map_mut("resources") {
        pod_spec::resource_list(resources, "limits");
        pod_spec::resource_list(resources, "requests");
    }
}

/// Validates a template of a claim: some metadata and the spec.
pub(crate) fn validate_template(template: Field<'_>) {
    let metadata = template.field("metadata");
    annotations(metadata.field("annotations"));
    labels(metadata.field("labels"));
    let forbidden = [
        "name",
        "generateName",
        "namespace",
        "selfLink",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "ownerReferences",
        "finalizers",
        "managedFields",
    ];
    for name in forbidden {
        // Upstream derives the path from the name of the Go field.
        let reported = if name == "uid" { "uID" } else { name };
        if metadata.field(name).is_set() {
            metadata.field(reported).forbidden("cannot be set");
        }
    }
    validate(template.field("spec"), ApiGroups::Valid);
}

/// Which API groups data sources may be in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApiGroups {
    /// Those with a valid name.
    Valid,
    /// Any: claims that were stored before the rule.
    Any,
}

/// Validates the spec of a claim.
pub(crate) fn validate(spec: Field<'_>, groups: ApiGroups) {
    access_modes(spec.field("accessModes"), "at least 1 access mode is required");
    label_selector(spec.field("selector"), Selector::Strict);
    storage_request(spec);
    for name in ["storageClassName", "volumeAttributesClassName"] {
        if !spec.field(name).is_empty() {
            spec.field(name).check(dns1123_subdomain);
        }
    }
    let mode = spec.field("volumeMode");
    if mode.is_set() {
        mode.one_of(&["Block", "Filesystem"]);
    }
    data_sources(spec, groups);
}

/// Access modes of a claim or of a volume; `required` is what is said where there are none.
pub(super) fn access_modes(modes: Field<'_>, required: &str) {
    modes.require(required);
    for mode in modes.items() {
        // Upstream reports modes at the list, without their index.
        mode.reported_at(modes).one_of(&ACCESS_MODES);
    }
    let is_single = |mode: Field<'_>| mode.str() == "ReadWriteOncePod";
    // Modes that Kubernetes does not know were reported above and do not count here.
    let is_other = |mode: Field<'_>| ACCESS_MODES.contains(&mode.str()) && !is_single(mode);
    if modes.items().any(is_single) && modes.items().any(is_other) {
        modes.forbidden("may not use ReadWriteOncePod with other access modes");
    }
}

fn storage_request(spec: Field<'_>) {
    let request = spec.fields(["resources", "requests"]).key("storage");
    // Upstream reports it without `requests` in the path.
    let request = request.reported_at(spec.field("resources").key("storage"));
    if !request.is_set() {
        request.required("");
    } else if request.quantity().sign() <= 0 {
        request.invalid("must be greater than zero");
    }
}

fn data_sources(spec: Field<'_>, groups: ApiGroups) {
    let (source, reference) = (spec.field("dataSource"), spec.field("dataSourceRef"));
    for one in [source, reference] {
        if one.is_set() {
            data_source(one, groups);
        }
    }
    let namespace = reference.field("namespace");
    if !namespace.is_empty() {
        namespace.check(dns1123_label);
        if source.is_set() {
            // Upstream passes the path as the value, and a path prints as an empty struct.
            spec.invalid_as(
                crate::field::BadValue::verbatim("{}"),
                "may not be specified when dataSourceRef.namespace is specified",
            );
        }
    // Clients that know the older field only see the same source there.
    } else if source.is_set() && reference.is_set() {
        let is_same = ["apiGroup", "kind", "name"]
            .into_iter()
            .all(|name| source.field(name).same_as(reference.field(name)));
        if !is_same {
            spec.invalid_as(crate::field::BadValue::verbatim("{}"), "must match dataSourceRef");
        }
    }
}

fn data_source(source: Field<'_>, groups: ApiGroups) {
    source.field("name").require("");
    source.field("kind").require("");
    let (group, kind) = (source.field("apiGroup"), source.field("kind").str());
    if group.is_empty() && kind != "PersistentVolumeClaim" {
        source.invalid_as(kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
    }
    if !group.is_empty() && groups == ApiGroups::Valid {
        group.check(dns1123_subdomain);
    }
}
