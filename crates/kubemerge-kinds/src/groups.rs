//! The entries of all built-in kinds, listed by the folders of the API groups.

use crate::registry::KindEntry;
use crate::{
    admissionregistration, apiextensions, apiregistration, apiserverinternal, apps, authentication,
    authorization, autoscaling, batch, certificates, coordination, core, discovery, events, flowcontrol,
    lifecycle, networking, node, policy, rbac, resource, scheduling, storage, storagemigration,
};

/// The groups and the entries of their kinds. One line for each group; a group lists its kinds in its own folder.
const GROUPS: &[(&str, &[KindEntry])] = &[
    ("", core::KINDS),
    ("admissionregistration.k8s.io", admissionregistration::KINDS),
    ("apiextensions.k8s.io", apiextensions::KINDS),
    ("apiregistration.k8s.io", apiregistration::KINDS),
    ("apps", apps::KINDS),
    ("authentication.k8s.io", authentication::KINDS),
    ("authorization.k8s.io", authorization::KINDS),
    ("autoscaling", autoscaling::KINDS),
    ("batch", batch::KINDS),
    ("certificates.k8s.io", certificates::KINDS),
    ("coordination.k8s.io", coordination::KINDS),
    ("discovery.k8s.io", discovery::KINDS),
    ("events.k8s.io", events::KINDS),
    ("flowcontrol.apiserver.k8s.io", flowcontrol::KINDS),
    ("internal.apiserver.k8s.io", apiserverinternal::KINDS),
    ("lifecycle.k8s.io", lifecycle::KINDS),
    ("networking.k8s.io", networking::KINDS),
    ("node.k8s.io", node::KINDS),
    ("policy", policy::KINDS),
    ("rbac.authorization.k8s.io", rbac::KINDS),
    ("resource.k8s.io", resource::KINDS),
    ("scheduling.k8s.io", scheduling::KINDS),
    ("storage.k8s.io", storage::KINDS),
    ("storagemigration.k8s.io", storagemigration::KINDS),
];

/// The entry of a kind, [`KindEntry::UNLISTED`] if it has none.
pub fn entry(group: &str, version: &str, kind: &str) -> &'static KindEntry {
    let kinds = GROUPS.iter().find(|(name, _)| *name == group).map_or(&[][..], |(_, kinds)| *kinds);
    let is_for = |one: &KindEntry| one.versions.is_empty() || one.versions.contains(&version);
    kinds.iter().find(|one| one.kind == kind && is_for(one)).unwrap_or(&KindEntry::UNLISTED)
}

/// Every entry, and its group.
pub fn all() -> impl Iterator<Item = (&'static str, &'static KindEntry)> {
    GROUPS.iter().flat_map(|(group, kinds)| kinds.iter().map(move |one| (*group, one)))
}
