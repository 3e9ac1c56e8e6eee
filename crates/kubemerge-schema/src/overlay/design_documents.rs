//! The overlay that comes with the crate; not applied unless a caller adds it.
//!
//! Left out of the design documents' lists: volumes and the deployment strategy, whose published metadata
//! says the same; types that are gone (`PodSignature`); unions that only occur as items of lists which are
//! replaced as a whole (`NetworkPolicyPeer`, `IngressRuleValue`), where retainKeys has nothing to do.

use super::rule::{Overlay, OverlayRule, Presence};

/// Definition, field and key set.
const KEY_SETS: [(&str, &str, [&str; 2]); 3] = [
    ("io.k8s.api.core.v1.Container", "ports", ["name", "containerPort"]),
    ("io.k8s.api.core.v1.EphemeralContainer", "ports", ["name", "containerPort"]),
    ("io.k8s.api.core.v1.ServiceSpec", "ports", ["name", "port"]),
];

/// Definition and field that holds a union.
const UNIONS: [(&str, &str); 14] = [
    ("io.k8s.api.core.v1.PersistentVolume", "spec"),
    ("io.k8s.api.core.v1.Container", "livenessProbe"),
    ("io.k8s.api.core.v1.Container", "readinessProbe"),
    ("io.k8s.api.core.v1.Container", "startupProbe"),
    ("io.k8s.api.core.v1.EphemeralContainer", "livenessProbe"),
    ("io.k8s.api.core.v1.EphemeralContainer", "readinessProbe"),
    ("io.k8s.api.core.v1.EphemeralContainer", "startupProbe"),
    ("io.k8s.api.core.v1.Lifecycle", "postStart"),
    ("io.k8s.api.core.v1.Lifecycle", "preStop"),
    ("io.k8s.api.core.v1.ContainerStatus", "state"),
    ("io.k8s.api.core.v1.ContainerStatus", "lastState"),
    ("io.k8s.api.authorization.v1.SubjectAccessReview", "spec"),
    ("io.k8s.api.authorization.v1.LocalSubjectAccessReview", "spec"),
    ("io.k8s.api.authorization.v1.SelfSubjectAccessReview", "spec"),
];

impl Overlay {
    /// The APIs that the key-set and retainKeys design documents wanted to change and that still exist.
    pub fn design_documents() -> Overlay {
        design_documents()
    }
}

fn design_documents() -> Overlay {
    // The documents are older than some versions and newer than none, so fields may be missing.
    let optional = |rule: OverlayRule| OverlayRule { presence: Presence::Optional, ..rule };
    let mut overlay = Overlay::new();
    for (definition, field, keys) in KEY_SETS {
        overlay = overlay.rule(optional(OverlayRule::definition(definition, field).keys(keys)));
    }
    for (definition, field) in UNIONS {
        overlay = overlay.rule(optional(OverlayRule::definition(definition, field).strategy("retainKeys")));
    }
    overlay
}
