//! Fields that an endpoint does not write: its strategy takes them from the stored object, and no manager comes to
//! own them there.
//!
//! Every row is a fact about Kubernetes 1.37. Strategies (`reset`) and field managers read the same rows, so that what
//! is reset is never owned.

use crate::registry::keep_field;
use crate::tree::Map;

/// The names on the way to a field.
pub type Names = &'static [&'static str];

/// The status as a whole.
pub const STATUS: Names = &["status"];

const NOTHING: &[Names] = &[];
const ONLY_STATUS: &[Names] = &[STATUS];
const SPEC: &[Names] = &[&["spec"]];
const SPEC_AND_METADATA: &[Names] = &[&["metadata"], &["spec"]];
const SPEC_AND_STATUS: &[Names] = &[&["spec"], STATUS];
const APPROVAL: &[Names] = &[&["spec"], &["status", "certificate"]];

/// The metadata that a write to a status does not change, where all of it is reset; who manages fields may change.
const STATUS_METADATA: &[&str] = &[
    "labels",
    "annotations",
    "finalizers",
    "ownerReferences",
    "deletionTimestamp",
    "generation",
    "selfLink",
];

/// The kinds whose status has an endpoint of its own, and what that endpoint resets.
const STATUS_ENDPOINTS: &[(&str, &str, &[Names])] = &[
    ("", "Namespace", SPEC),
    ("", "Node", SPEC),
    ("", "PersistentVolume", SPEC),
    ("", "PersistentVolumeClaim", SPEC),
    ("", "Pod", &[&["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"], &["spec"]]),
    ("", "ReplicationController", SPEC),
    ("", "ResourceQuota", SPEC),
    ("", "Service", SPEC),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", SPEC_AND_METADATA),
    ("apiextensions.k8s.io", "CustomResourceDefinition", SPEC),
    ("apiregistration.k8s.io", "APIService", SPEC_AND_METADATA),
    ("apps", "DaemonSet", SPEC),
    ("apps", "Deployment", &[&["metadata", "labels"], &["spec"]]),
    ("apps", "ReplicaSet", SPEC),
    ("apps", "StatefulSet", SPEC),
    ("autoscaling", "HorizontalPodAutoscaler", SPEC),
    ("batch", "CronJob", SPEC),
    ("batch", "Job", SPEC),
    ("certificates.k8s.io", "CertificateSigningRequest", &[&["spec"], &["status", "conditions"]]),
    ("certificates.k8s.io", "PodCertificateRequest", SPEC_AND_METADATA),
    ("flowcontrol.apiserver.k8s.io", "FlowSchema", SPEC_AND_METADATA),
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", SPEC_AND_METADATA),
    ("internal.apiserver.k8s.io", "StorageVersion", SPEC_AND_METADATA),
    ("lifecycle.k8s.io", "Eviction", SPEC_AND_METADATA),
    ("lifecycle.k8s.io", "EvictionRequest", SPEC_AND_METADATA),
    ("networking.k8s.io", "Ingress", SPEC),
    ("networking.k8s.io", "ServiceCIDR", SPEC_AND_METADATA),
    ("policy", "PodDisruptionBudget", SPEC),
    ("resource.k8s.io", "DeviceTaintRule", SPEC_AND_METADATA),
    ("resource.k8s.io", "ResourceClaim", SPEC_AND_METADATA),
    ("resource.k8s.io", "ResourcePoolStatusRequest", SPEC_AND_METADATA),
    ("scheduling.k8s.io", "CompositePodGroup", SPEC_AND_METADATA),
    ("scheduling.k8s.io", "PodGroup", SPEC_AND_METADATA),
    ("storage.k8s.io", "CSINode", SPEC_AND_METADATA),
    ("storage.k8s.io", "VolumeAttachment", SPEC_AND_METADATA),
    ("storagemigration.k8s.io", "StorageVersionMigration", SPEC_AND_METADATA),
];

/// What the endpoints of a built-in kind reset.
#[derive(Clone, Copy, Debug)]
pub struct KindResets {
    object: &'static [Names],
    status: &'static [Names],
    approval: &'static [Names],
}

impl KindResets {
    /// Looks a kind up.
    pub fn of(group: &str, kind: &str) -> KindResets {
        let known =
            STATUS_ENDPOINTS.iter().find(|(of_group, of_kind, _)| (*of_group, *of_kind) == (group, kind));
        let status = known.map_or(NOTHING, |(.., reset)| reset);
        match (group, kind) {
            ("certificates.k8s.io", "CertificateSigningRequest") => {
                KindResets { object: SPEC_AND_STATUS, status, approval: APPROVAL }
            }
            _ if known.is_some() => KindResets { object: ONLY_STATUS, status, approval: NOTHING },
            _ => KindResets { object: NOTHING, status, approval: NOTHING },
        }
    }

    /// What one endpoint resets; the subresource is empty for the object itself.
    pub fn at(self, subresource: &str) -> &'static [Names] {
        match subresource {
            "" | "finalize" => self.object,
            "status" => self.status,
            "approval" => self.approval,
            // Upstream: `/resize` and `/ephemeralcontainers` of pods reset fields too, but do not tell the field manager.
            _ => NOTHING,
        }
    }
}

/// What an endpoint of a built-in kind resets; the subresource is empty for the object itself.
pub fn built_in(group: &str, kind: &str, subresource: &str) -> &'static [Names] {
    KindResets::of(group, kind).at(subresource)
}

/// Takes fields from the stored object, as the strategy of an endpoint does.
pub(crate) fn reset(object: &mut Map<'_>, old: &Map<'_>, fields: &[Names]) {
    for names in fields {
        match *names {
            ["metadata"] => {
                STATUS_METADATA.iter().for_each(|name| reset_below(object, old, "metadata", name))
            }
            [name] => keep_field(object, old, name),
            // Conditions and certificate of a signing request: kept in part, which its own rules do.
            ["status", _] => {}
            [parent, name] => reset_below(object, old, parent, name),
            _ => {}
        }
    }
}

fn reset_below(object: &mut Map<'_>, old: &Map<'_>, parent: &str, name: &'static str) {
    if let (Some(inner), Some(stored)) = (object.map_mut(parent), old.map(parent)) {
        keep_field(inner, stored, name);
    }
}

/// What an endpoint of a custom resource with a status subresource resets.
pub fn custom_with_status(subresource: &str) -> &'static [Names] {
    match subresource {
        "" => ONLY_STATUS,
        "status" => SPEC_AND_METADATA,
        _ => NOTHING,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups;

    /// A status without a row would reset nothing.
    #[test]
    fn kinds_with_rules_for_a_status_are_in_the_table() {
        for (group, rules) in groups::all() {
            let has_status = rules.subresources.iter().any(|one| one.name == "status");
            let is_listed = !built_in(group, rules.kind, "status").is_empty();
            assert!(is_listed || !has_status, "{group} {}", rules.kind);
        }
    }

    #[test]
    fn status_and_approval_of_certificate_requests_reset_different_parts() {
        let of = |subresource| built_in("certificates.k8s.io", "CertificateSigningRequest", subresource);
        assert_eq!(of(""), [&["spec"][..], &["status"]]);
        assert_eq!(of("status"), [&["spec"][..], &["status", "conditions"]]);
        assert_eq!(of("approval"), [&["spec"][..], &["status", "certificate"]]);
        assert!(built_in("", "ConfigMap", "").is_empty() && built_in("", "Pod", "resize").is_empty());
    }
}
