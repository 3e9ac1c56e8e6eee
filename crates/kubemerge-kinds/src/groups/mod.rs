//! The entries of all built-in kinds, listed by the folders of the API groups.

mod admissionregistration;
mod apiextensions;
mod apiregistration;
mod apiserverinternal;
mod apps;
mod authentication;
mod authorization;
mod autoscaling;
mod batch;
mod certificates;
mod coordination;
pub(crate) mod core_v1;
mod discovery;
mod events;
mod flowcontrol;
mod lifecycle;
mod networking;
mod node;
mod policy;
mod rbac;
mod resource;
mod scheduling;
mod storage;
mod storagemigration;

use crate::registry::KindEntry;
#[cfg(target_family = "wasm")]
use crate::registry::{Presentation, Times, ValidationRules};

/// The entries of a group as they are linked.
macro_rules! kinds {
    ($group:ident) => {{
        const ALL: [KindEntry; $group::KINDS.len()] = linked($group::KINDS);
        &ALL
    }};
}

/// The entries of a group. In WebAssembly, whose size counts, no object is shown in a table or in
/// another version, and no server warns or tells the time.
#[expect(clippy::indexing_slicing, reason = "a constant of as many entries as the group has")]
const fn linked<const N: usize>(kinds: &[KindEntry]) -> [KindEntry; N] {
    let mut all = [KindEntry::UNLISTED; N];
    let mut at = 0;
    while at < N {
        all[at] = kinds[at];
        #[cfg(target_family = "wasm")]
        {
            all[at].conversion = None;
            all[at].times = Times::NONE;
            all[at].presentation = Presentation::DEFAULT;
            all[at].validation.warnings = ValidationRules::DEFAULT.warnings;
        }
        at += 1;
    }
    all
}

/// The groups and the entries of their kinds. One line for each group; a group lists its kinds in its own folder.
const GROUPS: &[(&str, &[KindEntry])] = &[
    ("", kinds!(core_v1)),
    ("admissionregistration.k8s.io", kinds!(admissionregistration)),
    ("apiextensions.k8s.io", kinds!(apiextensions)),
    ("apiregistration.k8s.io", kinds!(apiregistration)),
    ("apps", kinds!(apps)),
    ("authentication.k8s.io", kinds!(authentication)),
    ("authorization.k8s.io", kinds!(authorization)),
    ("autoscaling", kinds!(autoscaling)),
    ("batch", kinds!(batch)),
    ("certificates.k8s.io", kinds!(certificates)),
    ("coordination.k8s.io", kinds!(coordination)),
    ("discovery.k8s.io", kinds!(discovery)),
    ("events.k8s.io", kinds!(events)),
    ("flowcontrol.apiserver.k8s.io", kinds!(flowcontrol)),
    ("internal.apiserver.k8s.io", kinds!(apiserverinternal)),
    ("lifecycle.k8s.io", kinds!(lifecycle)),
    ("networking.k8s.io", kinds!(networking)),
    ("node.k8s.io", kinds!(node)),
    ("policy", kinds!(policy)),
    ("rbac.authorization.k8s.io", kinds!(rbac)),
    ("resource.k8s.io", kinds!(resource)),
    ("scheduling.k8s.io", kinds!(scheduling)),
    ("storage.k8s.io", kinds!(storage)),
    ("storagemigration.k8s.io", kinds!(storagemigration)),
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
