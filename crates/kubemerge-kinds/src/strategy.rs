//! What the server knows about built-in kinds beyond their schema.
//!
//! Every table here is a fact about Kubernetes 1.37; kinds that are not named follow the defaults.

use crate::{groups, meta::NameRule};

/// How one kind behaves.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// When `metadata.generation` grows.
    pub generation: GenerationRule,
    /// Whether a PUT may leave out the resourceVersion.
    pub unconditional_update: Permission,
    /// Whether a PUT may create the object.
    pub create_on_update: Permission,
    /// What a DELETE answers.
    pub delete_answer: DeleteAnswer,
    /// What happens to dependents unless the request says.
    pub default_propagation: Propagation,
    /// What names look like.
    pub name: NameRule,
    /// The fields that selectors may name.
    pub selectable: Selectable,
}

/// Whether something may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// It may.
    Granted,
    /// It may not.
    Denied,
}

/// When `metadata.generation` grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerationRule {
    /// It is never set.
    Untracked,
    /// It is 1 and stays so.
    Fixed,
    /// When this field changes.
    Field(&'static str),
    /// When the spec or the annotations change.
    SpecOrAnnotations,
    /// When the labels, or anything outside of metadata, change.
    LabelsOrContent,
    /// When anything outside of metadata changes.
    Content,
    /// Starts at 0; grows when the spec changes.
    SpecFromZero,
}

/// What the answer to an immediate delete holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteAnswer {
    /// A `Status`.
    Status,
    /// The object.
    Object,
}

/// What happens to dependents unless the request says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// They are deleted after the owner.
    Background,
    /// They are deleted before the owner.
    Foreground,
    /// They stay.
    Orphan,
    /// Garbage collection finalizers are never set.
    Unsupported,
}

/// The fields a field selector may name, beside `metadata.name` and `metadata.namespace`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selectable {
    /// The label in selectors and the path in the object as it is stored.
    pub fields: Vec<(String, String)>,
    /// Whether `metadata.namespace` may be named.
    pub namespace: Permission,
    /// How an unknown field is refused.
    pub refusal: SelectorRefusal,
}

/// The words in which an unknown field is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorRefusal {
    /// For kinds without a list of their own.
    Generic,
    /// For kinds with a list of their own.
    Listed,
    /// For Job.
    Job,
}

impl Strategy {
    /// The rules of a built-in kind.
    pub fn built_in(group: &str, kind: &str) -> Strategy {
        Strategy {
            generation: generation(group, kind),
            unconditional_update: unconditional_update(group, kind),
            create_on_update: listed(CREATE_ON_UPDATE, group, kind),
            delete_answer: delete_answer(group, kind),
            default_propagation: default_propagation(group, kind),
            name: name_rule(group, kind),
            selectable: selectable(group, kind),
        }
    }

    /// The rules of a custom resource with these selectable fields.
    pub fn custom(fields: Vec<(String, String)>) -> Strategy {
        Strategy {
            generation: GenerationRule::Content,
            unconditional_update: Permission::Denied,
            create_on_update: Permission::Denied,
            delete_answer: DeleteAnswer::Status,
            default_propagation: Propagation::Background,
            name: NameRule::Subdomain,
            selectable: Selectable {
                fields,
                namespace: Permission::Granted,
                refusal: SelectorRefusal::Listed,
            },
        }
    }
}

fn listed(table: &[(&str, &str)], group: &str, kind: &str) -> Permission {
    if table.contains(&(group, kind)) { Permission::Granted } else { Permission::Denied }
}

const CREATE_ON_UPDATE: &[(&str, &str)] = &[
    ("", "Endpoints"),
    ("", "Event"),
    ("", "LimitRange"),
    ("", "Service"),
    ("coordination.k8s.io", "Lease"),
    ("coordination.k8s.io", "LeaseCandidate"),
    ("events.k8s.io", "Event"),
    ("node.k8s.io", "RuntimeClass"),
    ("rbac.authorization.k8s.io", "ClusterRole"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
    ("rbac.authorization.k8s.io", "Role"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
];

fn unconditional_update(group: &str, kind: &str) -> Permission {
    let denied = matches!(
        (group, kind),
        ("apiextensions.k8s.io" | "admissionregistration.k8s.io" | "coordination.k8s.io", _)
            | ("node.k8s.io", "RuntimeClass")
            | ("policy", "PodDisruptionBudget")
            | ("storage.k8s.io", "CSIDriver" | "CSINode" | "CSIStorageCapacity" | "VolumeAttachment")
            | ("certificates.k8s.io", "ClusterTrustBundle" | "PodCertificateRequest")
            | ("internal.apiserver.k8s.io", "StorageVersion")
            | ("storagemigration.k8s.io", _)
            | ("resource.k8s.io", "ResourcePoolStatusRequest" | "DeviceTaintRule")
            | ("scheduling.k8s.io", "Workload" | "PodGroup")
    );
    if denied { Permission::Denied } else { Permission::Granted }
}

fn generation(group: &str, kind: &str) -> GenerationRule {
    match (group, kind) {
        ("apps", "Deployment") => GenerationRule::SpecOrAnnotations,
        ("", "Pod" | "ReplicationController")
        | ("apps", "ReplicaSet" | "StatefulSet" | "DaemonSet")
        | ("batch", "Job" | "CronJob")
        | ("networking.k8s.io", "Ingress" | "IngressClass" | "NetworkPolicy")
        | ("policy", "PodDisruptionBudget")
        | ("autoscaling", "HorizontalPodAutoscaler")
        | ("flowcontrol.apiserver.k8s.io", "FlowSchema" | "PriorityLevelConfiguration")
        | ("resource.k8s.io", "ResourceSlice" | "DeviceClass" | "DeviceTaintRule")
        | ("apiextensions.k8s.io", "CustomResourceDefinition") => GenerationRule::Field("spec"),
        ("storage.k8s.io", "CSIDriver") => GenerationRule::SpecFromZero,
        ("admissionregistration.k8s.io", kind) if kind.ends_with("WebhookConfiguration") => {
            GenerationRule::Field("webhooks")
        }
        ("admissionregistration.k8s.io", _) => GenerationRule::Field("spec"),
        ("", "PodTemplate") => GenerationRule::Field("template"),
        ("discovery.k8s.io", "EndpointSlice") => GenerationRule::LabelsOrContent,
        ("scheduling.k8s.io", "PriorityClass") => GenerationRule::Fixed,
        _ => GenerationRule::Untracked,
    }
}

fn delete_answer(group: &str, kind: &str) -> DeleteAnswer {
    match (group, kind) {
        // The only kind of its group with a generic store.
        ("resource.k8s.io", "DeviceTaintRule") => DeleteAnswer::Status,
        (
            "",
            "Pod"
            | "Service"
            | "PersistentVolume"
            | "PersistentVolumeClaim"
            | "ServiceAccount"
            | "ResourceQuota"
            | "PodTemplate"
            | "Namespace",
        )
        | (
            "storage.k8s.io",
            "StorageClass" | "CSIDriver" | "CSINode" | "VolumeAttachment" | "VolumeAttributesClass",
        )
        | (
            "resource.k8s.io",
            "DeviceClass"
            | "ResourceClaim"
            | "ResourceClaimTemplate"
            | "ResourcePoolStatusRequest"
            | "ResourceSlice",
        ) => DeleteAnswer::Object,
        _ => DeleteAnswer::Status,
    }
}

fn default_propagation(group: &str, kind: &str) -> Propagation {
    match (group, kind) {
        // For clients from before there was garbage collection, which deleted dependents themselves.
        ("batch", "Job") | ("", "ReplicationController") => Propagation::Orphan,
        ("" | "events.k8s.io", "Event") => Propagation::Unsupported,
        _ => Propagation::Background,
    }
}

/// The rule that validation has for names, so that it is the same with validation and without.
fn name_rule(group: &str, kind: &str) -> NameRule {
    let mut kinds = groups::all().filter(|(of, rules)| *of == group && rules.kind == kind);
    kinds.next().map_or(NameRule::Subdomain, |(_, rules)| rules.name)
}

fn selectable(group: &str, kind: &str) -> Selectable {
    let plain: &[&str] = match (group, kind) {
        ("", "Pod") => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
        ],
        ("", "Node") => &["spec.unschedulable"],
        ("", "Namespace") => &["status.phase"],
        ("", "Secret") => &["type"],
        ("", "Service") => &["spec.clusterIP", "spec.type"],
        ("", "ReplicationController") => &["status.replicas"],
        ("", "Event") => &["reason", "reportingComponent", "type"],
        ("events.k8s.io", "Event") => &["reason", "type"],
        ("certificates.k8s.io", "CertificateSigningRequest" | "ClusterTrustBundle") => &["spec.signerName"],
        ("certificates.k8s.io", "PodCertificateRequest") => {
            &["spec.signerName", "spec.podName", "spec.nodeName"]
        }
        ("resource.k8s.io", "ResourceSlice") => &["spec.nodeName", "spec.driver", "spec.pool.name"],
        _ => &[],
    };
    let mut fields: Vec<(String, String)> =
        plain.iter().map(|field| (field.to_string(), field.to_string())).collect();
    let renamed: &[(&str, &str)] = match (group, kind) {
        // The name of the field in v1beta1, which clients may still use.
        ("", "Pod") => &[("spec.host", "spec.nodeName")],
        ("", "Event") => &[("source", "source.component")],
        ("events.k8s.io", "Event") => &[("reportingController", "reportingComponent")],
        ("batch", "Job") => &[("status.successful", "status.succeeded")],
        _ => &[],
    };
    fields.extend(renamed.iter().map(|(label, path)| (label.to_string(), path.to_string())));
    if let Some(reference) = match group {
        "" if kind == "Event" => Some("involvedObject"),
        "events.k8s.io" if kind == "Event" => Some("regarding"),
        _ => None,
    } {
        for part in ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"] {
            // Events of both groups are stored as those of the core group.
            fields.push((format!("{reference}.{part}"), format!("involvedObject.{part}")));
        }
    }
    let refusal = match (group, kind) {
        ("batch", "Job") => SelectorRefusal::Job,
        _ if fields.is_empty() => SelectorRefusal::Generic,
        _ => SelectorRefusal::Listed,
    };
    // Objects in no namespace; upstream still accepts the field for most of those.
    let by_name_only = matches!(kind, "Node" | "Namespace");
    let namespace = if by_name_only { Permission::Denied } else { Permission::Granted };
    Selectable { fields, namespace, refusal }
}
