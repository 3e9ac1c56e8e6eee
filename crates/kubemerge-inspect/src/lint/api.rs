//! API versions that are deprecated or removed, and kinds that do not exist.

use kubemerge_schema::{KindOf, Schema};
use kubemerge_yaml::YamlDocument;

use super::collect::{Draft, Findings};
use super::rule::{DEPRECATED_API, REMOVED_API, UNKNOWN_KIND};
use super::subject::LintObject;
use crate::finding::Location;
use crate::nearest::nearest;

/// A version of an API, and what takes its place. Versions of Kubernetes are minor versions.
struct OldApi {
    api_version: &'static str,
    /// The kinds; none means all of the version.
    kinds: &'static [&'static str],
    deprecated: u32,
    removed: u32,
    replacement: &'static str,
}

const fn old(
    api_version: &'static str,
    kinds: &'static [&'static str],
    deprecated: u32,
    removed: u32,
    replacement: &'static str,
) -> OldApi {
    OldApi { api_version, kinds, deprecated, removed, replacement }
}

/// From the deprecation guide of Kubernetes.
const OLD_APIS: &[OldApi] = &[
    old("extensions/v1beta1", &["Ingress"], 14, 22, "networking.k8s.io/v1"),
    old("extensions/v1beta1", &["NetworkPolicy"], 9, 16, "networking.k8s.io/v1"),
    old("extensions/v1beta1", &["PodSecurityPolicy"], 10, 16, "Pod Security Admission"),
    old("extensions/v1beta1", &["Deployment", "DaemonSet", "ReplicaSet"], 9, 16, "apps/v1"),
    old("apps/v1beta1", &[], 9, 16, "apps/v1"),
    old("apps/v1beta2", &[], 9, 16, "apps/v1"),
    old("networking.k8s.io/v1beta1", &["Ingress", "IngressClass"], 19, 22, "networking.k8s.io/v1"),
    old(
        "admissionregistration.k8s.io/v1beta1",
        &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
        16,
        22,
        "admissionregistration.k8s.io/v1",
    ),
    old("apiextensions.k8s.io/v1beta1", &[], 16, 22, "apiextensions.k8s.io/v1"),
    old("apiregistration.k8s.io/v1beta1", &[], 19, 22, "apiregistration.k8s.io/v1"),
    old("authentication.k8s.io/v1beta1", &["TokenReview"], 19, 22, "authentication.k8s.io/v1"),
    old("authorization.k8s.io/v1beta1", &[], 19, 22, "authorization.k8s.io/v1"),
    old("certificates.k8s.io/v1beta1", &["CertificateSigningRequest"], 19, 22, "certificates.k8s.io/v1"),
    old("coordination.k8s.io/v1beta1", &["Lease"], 19, 22, "coordination.k8s.io/v1"),
    old("rbac.authorization.k8s.io/v1beta1", &[], 17, 22, "rbac.authorization.k8s.io/v1"),
    old("scheduling.k8s.io/v1beta1", &["PriorityClass"], 14, 22, "scheduling.k8s.io/v1"),
    old(
        "storage.k8s.io/v1beta1",
        &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"],
        19,
        22,
        "storage.k8s.io/v1",
    ),
    old("storage.k8s.io/v1beta1", &["CSIStorageCapacity"], 24, 27, "storage.k8s.io/v1"),
    old("batch/v1beta1", &["CronJob"], 21, 25, "batch/v1"),
    old("discovery.k8s.io/v1beta1", &["EndpointSlice"], 21, 25, "discovery.k8s.io/v1"),
    old("events.k8s.io/v1beta1", &["Event"], 19, 25, "events.k8s.io/v1"),
    old("autoscaling/v2beta1", &["HorizontalPodAutoscaler"], 22, 25, "autoscaling/v2"),
    old("autoscaling/v2beta2", &["HorizontalPodAutoscaler"], 23, 26, "autoscaling/v2"),
    old("policy/v1beta1", &["PodDisruptionBudget"], 21, 25, "policy/v1"),
    old("policy/v1beta1", &["PodSecurityPolicy"], 21, 25, "Pod Security Admission"),
    old("node.k8s.io/v1beta1", &["RuntimeClass"], 22, 25, "node.k8s.io/v1"),
    old("flowcontrol.apiserver.k8s.io/v1beta1", &[], 23, 26, "flowcontrol.apiserver.k8s.io/v1"),
    old("flowcontrol.apiserver.k8s.io/v1beta2", &[], 26, 29, "flowcontrol.apiserver.k8s.io/v1"),
    old("flowcontrol.apiserver.k8s.io/v1beta3", &[], 29, 32, "flowcontrol.apiserver.k8s.io/v1"),
    old("v1", &["ComponentStatus"], 19, u32::MAX, "the health endpoints of the components"),
    old("v1", &["Endpoints"], 33, u32::MAX, "discovery.k8s.io/v1 EndpointSlice"),
];

/// Finds what is wrong with the version and the kind of an object.
pub(super) fn check(
    schema: &Schema,
    minor: u32,
    document: &YamlDocument<'_>,
    object: &LintObject<'_>,
    findings: &mut Findings,
) {
    let LintObject { api_version, kind, .. } = *object;
    let place = |field: &str| Location::of(document, &object.path(field));
    let is_same =
        |old: &&OldApi| old.api_version == api_version && (old.kinds.is_empty() || old.kinds.contains(&kind));
    // Old versions before unknown kinds: the replacement says more than "not found".
    match OLD_APIS.iter().find(is_same) {
        Some(old) if old.removed <= minor => {
            let message = format!("{api_version} {kind} was removed in Kubernetes 1.{}", old.removed);
            let draft = Draft::new(REMOVED_API, message).help(format!("use {}", old.replacement));
            findings.add(draft, || place("apiVersion"));
        }
        Some(old) if old.deprecated <= minor => {
            let message = format!("{api_version} {kind} is deprecated since Kubernetes 1.{}", old.deprecated);
            let help = match old.removed {
                u32::MAX => format!("use {}", old.replacement),
                removed => format!("use {}; it is removed in 1.{removed}", old.replacement),
            };
            findings.add(Draft::new(DEPRECATED_API, message).help(help), || place("apiVersion"));
        }
        _ if schema.type_of(api_version, kind).is_none()
            && (is_builtin_group(schema, api_version) || is_misspelt(schema, api_version, kind)) =>
        {
            findings.add(unknown_kind(schema, api_version, kind), || place("kind"));
        }
        _ => {}
    }
}

/// Whether an object belongs to a group that only Kubernetes itself fills: an unknown kind of it is a mistake, not
/// a custom resource without its definition.
pub(super) fn is_builtin_group(schema: &Schema, api_version: &str) -> bool {
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let is_own = |kind: &KindOf<'_>| {
        let ty = schema.type_of(&kind.api_version(), kind.kind);
        kind.group == group && ty.is_some_and(|ty| !ty.is_custom_resource())
    };
    // Groups without a dot are reserved for Kubernetes.
    !api_version.is_empty() && (!group.contains('.') || schema.kinds().iter().any(is_own))
}

/// Whether a definition of the same version has a kind that is spelled almost the same.
fn is_misspelt(schema: &Schema, api_version: &str, kind: &str) -> bool {
    let kinds = schema.kinds();
    let own: Vec<&str> =
        kinds.iter().filter(|one| one.api_version() == api_version).map(|one| one.kind).collect();
    // Gateway and GatewayClass are two kinds, not one of them misspelt.
    nearest(kind, &own).is_some_and(|meant| !meant.starts_with(kind) && !kind.starts_with(meant))
}

fn unknown_kind(schema: &Schema, api_version: &str, kind: &str) -> Draft {
    let draft = Draft::new(UNKNOWN_KIND, format!("there is no {kind} in {api_version}"));
    let kinds = schema.kinds();
    let elsewhere: Vec<String> =
        kinds.iter().filter(|one| one.kind == kind).map(|one| one.api_version()).collect();
    let own: Vec<&str> =
        kinds.iter().filter(|one| one.api_version() == api_version).map(|one| one.kind).collect();
    let all: Vec<&str> = kinds.iter().map(|one| one.kind).collect();
    match (nearest(kind, &own).or_else(|| nearest(kind, &all)), elsewhere.as_slice()) {
        // The right kind in the wrong version is likelier than a misspelt kind.
        (_, [_, ..]) => draft.help(format!("{kind} is in {}", elsewhere.join(", "))),
        (Some(meant), _) => draft.help(format!("did you mean {meant}?")),
        (None, _) => draft.help("check the spelling, or choose another version with --kubernetes"),
    }
}
