//! Fields that an endpoint does not write: its strategy takes them from the stored object, and no manager comes to
//! own them there.
//!
//! Every row is a fact about Kubernetes 1.37. Strategies and field managers read the same rows, so that what is reset is
//! never owned.

/// The names on the way to a field.
pub type Names = &'static [&'static str];

const NOTHING: &[Names] = &[];
const STATUS: &[Names] = &[&["status"]];
const SPEC: &[Names] = &[&["spec"]];
const SPEC_AND_METADATA: &[Names] = &[&["metadata"], &["spec"]];
const SPEC_AND_STATUS: &[Names] = &[&["spec"], &["status"]];

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

/// What an endpoint of a built-in kind resets; the subresource is empty for the object itself.
pub fn built_in(group: &str, kind: &str, subresource: &str) -> &'static [Names] {
    let status =
        STATUS_ENDPOINTS.iter().find(|(of_group, of_kind, _)| (*of_group, *of_kind) == (group, kind));
    match (subresource, status) {
        ("", Some(_)) if kind == "CertificateSigningRequest" => SPEC_AND_STATUS,
        ("" | "finalize", Some(_)) => STATUS,
        ("status", Some((.., reset))) => reset,
        ("approval", _) => &[&["spec"], &["status", "certificate"]],
        // Upstream: `/resize` and `/ephemeralcontainers` of pods reset fields too, but do not tell the field manager.
        _ => NOTHING,
    }
}

/// What an endpoint of a custom resource with a status subresource resets.
pub fn custom_with_status(subresource: &str) -> &'static [Names] {
    match subresource {
        "" => STATUS,
        "status" => SPEC_AND_METADATA,
        _ => NOTHING,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups;

    /// CSI nodes and the like have a status only behind a feature gate, so that their rules need not know it.
    #[test]
    fn the_rules_of_kinds_reset_what_the_table_says() {
        for (group, rules) in groups::all().filter(|(_, rules)| !rules.reset.is_empty()) {
            // The spec of a certificate request is only kept on updates: a new one needs it.
            if rules.kind == "CertificateSigningRequest" {
                continue;
            }
            let table: Vec<&str> = built_in(group, rules.kind, "").iter().map(|names| names[0]).collect();
            assert_eq!(rules.reset, table, "{group} {}", rules.kind);
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
