//! Structs that Kubernetes' types embed in others: Go names them in messages, JSON does not.

/// A struct with an embedded one.
struct Embedding {
    name: &'static str,
    /// Its own fields; all others belong to the embedded struct.
    own: &'static [&'static str],
    embedded: &'static str,
}

const EMBEDDINGS: &[Embedding] = &[
    Embedding { name: "Volume", own: &["name"], embedded: "VolumeSource" },
    Embedding {
        name: "Probe",
        own: &[
            "initialDelaySeconds",
            "timeoutSeconds",
            "periodSeconds",
            "successThreshold",
            "failureThreshold",
            "terminationGracePeriodSeconds",
        ],
        embedded: "ProbeHandler",
    },
    Embedding {
        name: "EphemeralContainer",
        own: &["targetContainerName"],
        embedded: "EphemeralContainerCommon",
    },
    Embedding {
        name: "PersistentVolumeSpec",
        own: &[
            "capacity",
            "accessModes",
            "claimRef",
            "persistentVolumeReclaimPolicy",
            "storageClassName",
            "mountOptions",
            "volumeMode",
            "nodeAffinity",
            "volumeAttributesClassName",
        ],
        embedded: "PersistentVolumeSource",
    },
    Embedding { name: "ConfigMapEnvSource", own: &["optional"], embedded: "LocalObjectReference" },
    Embedding { name: "SecretEnvSource", own: &["optional"], embedded: "LocalObjectReference" },
    Embedding { name: "ConfigMapKeySelector", own: &["key", "optional"], embedded: "LocalObjectReference" },
    Embedding { name: "SecretKeySelector", own: &["key", "optional"], embedded: "LocalObjectReference" },
    Embedding { name: "ConfigMapProjection", own: &["items", "optional"], embedded: "LocalObjectReference" },
    Embedding { name: "SecretProjection", own: &["items", "optional"], embedded: "LocalObjectReference" },
    Embedding {
        name: "ConfigMapVolumeSource",
        own: &["items", "defaultMode", "optional", "defaultUser"],
        embedded: "LocalObjectReference",
    },
    Embedding { name: "IngressRule", own: &["host"], embedded: "IngressRuleValue" },
    Embedding { name: "RuleWithOperations", own: &["operations"], embedded: "Rule" },
    Embedding { name: "NamedRuleWithOperations", own: &["resourceNames"], embedded: "RuleWithOperations" },
    Embedding {
        name: "DeviceAllocationConfiguration",
        own: &["source", "requests"],
        embedded: "DeviceConfiguration",
    },
    Embedding { name: "DeviceClaimConfiguration", own: &["requests"], embedded: "DeviceConfiguration" },
    Embedding { name: "DeviceClassConfiguration", own: &[], embedded: "DeviceConfiguration" },
];

/// The embedded structs that hold a field of a struct, from the outside in.
pub(super) fn around(name: &str, field: &str) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    let holds = |name: &str| EMBEDDINGS.iter().find(|one| one.name == name && !one.own.contains(&field));
    // An embedded struct may embed another one.
    let mut next = holds(name);
    while let Some(embedding) = next {
        found.push(embedding.embedded);
        next = holds(embedding.embedded);
    }
    found
}
