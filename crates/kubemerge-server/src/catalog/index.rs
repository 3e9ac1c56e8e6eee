//! Everything that is served at one moment: groups, versions, resources.

use kubemerge_value::part::item_at_mut;
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use crate::catalog::resource::Resource;

/// The resources of one version, by plural name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resources(BTreeMap<String, Arc<Resource>>);

impl Resources {
    pub(crate) fn get(&self, plural: &str) -> Option<&Arc<Resource>> {
        self.0.get(plural)
    }

    fn insert(&mut self, resource: Arc<Resource>) {
        self.0.insert(resource.plural.clone(), resource);
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.0.values()
    }
}

/// A group with its versions, the preferred one first.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) versions: Vec<(String, Resources)>,
}

/// Everything that is served at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    groups: Vec<Group>,
    /// Where each group is.
    by_name: HashMap<String, usize>,
    /// Resources that answer requests and that no document lists.
    unlisted: Vec<Arc<Resource>>,
}

impl Index {
    pub(crate) fn group(&self, name: &str) -> Option<&Group> {
        self.groups.get(*self.by_name.get(name)?)
    }

    /// Sorts the groups in the order of [`PRIORITY`].
    pub(super) fn sort_groups(&mut self) {
        let rank = |group: &Group| PRIORITY.iter().position(|name| *name == group.name);
        self.groups.sort_by_key(|group| rank(group).unwrap_or(PRIORITY.len()));
        let names = self.groups.iter().enumerate().map(|(at, group)| (group.name.clone(), at));
        self.by_name = names.collect();
    }

    /// Groups in order of priority, the core group first.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| !group.versions.is_empty())
    }

    pub(crate) fn version(&self, group: &str, version: &str) -> Option<&Resources> {
        let versions = &self.group(group)?.versions;
        versions.iter().find(|(name, _)| name == version).map(|(_, resources)| resources)
    }

    pub(crate) fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Resource>> {
        let is_wanted =
            |one: &&Arc<Resource>| one.group == group && one.version == version && one.plural == plural;
        let listed = self.version(group, version).and_then(|resources| resources.get(plural));
        listed.or_else(|| self.unlisted.iter().find(is_wanted))
    }

    /// The resource in the group's preferred version that has it.
    pub(crate) fn preferred(&self, group: &str, plural: &str) -> Option<&Arc<Resource>> {
        let versions = self.group(group).map_or(&[][..], |group| &group.versions);
        let listed = versions.iter().find_map(|(_, resources)| resources.get(plural));
        listed.or_else(|| self.unlisted.iter().find(|one| one.group == group && one.plural == plural))
    }

    pub(crate) fn by_kind(&self, group: &str, version: &str, kind: &str) -> Option<&Arc<Resource>> {
        self.version(group, version)?.values().find(|resource| resource.kind == kind)
    }

    /// Every resource once, in its preferred version.
    pub(crate) fn each_preferred(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.groups().flat_map(|group| {
            let mut seen: BTreeMap<&str, &Arc<Resource>> = BTreeMap::new();
            for (_, resources) in &group.versions {
                for resource in resources.values() {
                    // Versions are in order of preference: the first one wins.
                    seen.entry(&resource.plural).or_insert(resource);
                }
            }
            seen.into_values()
        })
    }

    pub(super) fn add(&mut self, resource: Arc<Resource>) {
        if resource.custom().is_some_and(|version| !version.established) {
            self.unlisted.push(resource);
            return;
        }
        let at = self.by_name.get(&resource.group).copied().unwrap_or_else(|| {
            let at = self.groups.len();
            self.groups.push(Group { name: resource.group.clone(), versions: Vec::new() });
            self.by_name.insert(resource.group.clone(), at);
            at
        });
        let versions = &mut item_at_mut(&mut self.groups, at).versions;
        let at = versions.iter().position(|(name, _)| *name == resource.version).unwrap_or_else(|| {
            versions.push((resource.version.clone(), Resources::default()));
            // The first version is the preferred one in discovery.
            versions.sort_by(|(a, _), (b, _)| version_order(a, b));
            versions.iter().position(|(name, _)| *name == resource.version).unwrap_or_default()
        });
        item_at_mut(versions, at).1.insert(resource);
    }
}

/// The built-in groups in Kubernetes' order, by which clients choose between two resources with one name;
/// those that are not named follow.
const PRIORITY: [&str; 22] = [
    "",
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "resource.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "storagemigration.k8s.io",
];

/// Kubernetes' order of versions: stable before beta before alpha, newer before older, then the rest by name.
pub(super) fn version_order(a: &str, b: &str) -> std::cmp::Ordering {
    rank(b).cmp(&rank(a)).then_with(|| a.cmp(b))
}

/// (stability, major, minor); all zero for names that are not versions.
fn rank(version: &str) -> (u8, u32, u32) {
    let parsed = || {
        let rest = version.strip_prefix('v')?;
        let (major, rest) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
        let major = major.parse().ok()?;
        // Stable versions have no minor number.
        if rest.is_empty() {
            return Some((3, major, 0));
        }
        let beta = rest.strip_prefix("beta").map(|minor| (2, minor));
        let (stability, minor) = beta.or_else(|| Some((1, rest.strip_prefix("alpha")?)))?;
        Some((stability, major, minor.parse().ok()?))
    };
    parsed().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_as_kubernetes_orders_them() {
        let mut versions =
            vec!["v1alpha1", "foo", "v2beta1", "v1", "v2", "v1beta2", "v10", "v2alpha1", "bar"];
        versions.sort_by(|a, b| version_order(a, b));
        assert_eq!(versions, ["v10", "v2", "v1", "v2beta1", "v1beta2", "v2alpha1", "v1alpha1", "bar", "foo"]);
    }
}
