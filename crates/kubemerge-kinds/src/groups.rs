//! Which rules a kind has: one table for all built-in kinds, filled by the folders of the API groups.

use crate::registry::Rules;
use crate::{
    admissionregistration, apiextensions, apiregistration, apps, authorization, autoscaling, batch,
    certificates, coordination, core, discovery, events, flowcontrol, networking, node, policy, rbac,
    resource, scheduling, storage, storagemigration,
};

/// The groups and the rules of their kinds. One line for each group; a group lists its kinds in its own folder.
const GROUPS: &[(&str, &[Rules])] = &[
    ("", core::RULES),
    ("admissionregistration.k8s.io", admissionregistration::RULES),
    ("apiextensions.k8s.io", apiextensions::RULES),
    ("apiregistration.k8s.io", apiregistration::RULES),
    ("apps", apps::RULES),
    ("authorization.k8s.io", authorization::RULES),
    ("autoscaling", autoscaling::RULES),
    ("batch", batch::RULES),
    ("certificates.k8s.io", certificates::RULES),
    ("coordination.k8s.io", coordination::RULES),
    ("discovery.k8s.io", discovery::RULES),
    ("events.k8s.io", events::RULES),
    ("flowcontrol.apiserver.k8s.io", flowcontrol::RULES),
    ("networking.k8s.io", networking::RULES),
    ("node.k8s.io", node::RULES),
    ("policy", policy::RULES),
    ("rbac.authorization.k8s.io", rbac::RULES),
    ("resource.k8s.io", resource::RULES),
    ("scheduling.k8s.io", scheduling::RULES),
    ("storage.k8s.io", storage::RULES),
    ("storagemigration.k8s.io", storagemigration::RULES),
];

/// The rules of a kind.
pub fn rules(group: &str, version: &str, kind: &str) -> Option<&'static Rules> {
    let (_, rules) = GROUPS.iter().find(|(name, _)| *name == group)?;
    rules.iter().find(|one| one.kind == kind && (one.versions.is_empty() || one.versions.contains(&version)))
}

/// Every kind with rules, and its group.
pub fn all() -> impl Iterator<Item = (&'static str, &'static Rules)> {
    GROUPS.iter().flat_map(|(group, rules)| rules.iter().map(move |one| (*group, one)))
}
