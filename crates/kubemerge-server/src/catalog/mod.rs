//! Which resources are served, and what the server must know about each.
//!
//! Built-in resources come from the schema's tables, custom ones from their definitions; handlers see only
//! [`Resource`]. The index is replaced as a whole when a definition changes, so a request sees one state.

mod builtin;
pub(crate) mod custom;

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock},
};

use kubemerge_kinds::strategy::Rules;
use kubemerge_schema::Schema;
use tokio::sync::watch;

use crate::{
    catalog::custom::CustomVersion,
    object::pattern::Pattern,
    protocol::status::Qualified,
    store::{Revision, Stored, beginning::start_of},
    write::defaults::Tree,
};

/// Whether objects live in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Objects live in a namespace.
    Namespaced,
    /// Objects belong to the whole cluster.
    Cluster,
}

/// One resource in one version.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub(crate) group: String,
    pub(crate) version: String,
    /// Group and version as objects write them.
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) list_kind: String,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) scope: Scope,
    pub(crate) verbs: Vec<String>,
    pub(crate) subresources: Vec<Subresource>,
    pub(crate) rules: Rules,
    pub(crate) origin: Origin,
    /// The apiVersion in which objects are stored; its group may be another one, whose objects they are too.
    pub(crate) storage: String,
}

/// A part of a resource with its own address.
#[derive(Clone, Debug)]
pub(crate) struct Subresource {
    pub(crate) name: String,
    /// Group, version and kind of the body.
    pub(crate) speaks: [String; 3],
    pub(crate) verbs: Vec<String>,
}

/// Where a resource came from.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// The tables.
    BuiltIn(BuiltIn),
    /// A CustomResourceDefinition.
    Custom(Arc<CustomVersion>),
}

/// What is found out about a built-in kind when its first object is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct BuiltIn {
    pattern: OnceLock<Option<Arc<Pattern>>>,
    defaults: OnceLock<Option<&'static Tree>>,
}

impl Resource {
    /// The resource as messages name it.
    pub(crate) fn qualified(&self) -> Qualified<'_> {
        Qualified { group: &self.group, name: &self.plural }
    }

    /// The kind as messages about invalid objects name it.
    pub(crate) fn qualified_kind(&self) -> Qualified<'_> {
        Qualified { group: &self.group, name: &self.kind }
    }

    pub(crate) fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    pub(crate) fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|sub| sub.name == name)
    }

    pub(crate) fn has_status(&self) -> bool {
        self.subresource("status").is_some()
    }

    pub(crate) fn allows(&self, verb: &str) -> bool {
        self.verbs.iter().any(|one| one == verb)
    }

    pub(crate) fn custom(&self) -> Option<&CustomVersion> {
        match &self.origin {
            Origin::Custom(version) => Some(version),
            Origin::BuiltIn(_) => None,
        }
    }

    /// What objects of a built-in kind look like; none if the schema does not know it.
    pub(crate) fn pattern(&self, schema: &Schema) -> Option<&Arc<Pattern>> {
        let Origin::BuiltIn(BuiltIn { pattern, .. }) = &self.origin else { return None };
        let compile = || {
            let ty = schema.type_of(&self.api_version, &self.kind)?;
            Some(Arc::new(Pattern::new(ty, self.defaults())))
        };
        pattern.get_or_init(compile).as_ref()
    }

    /// The group under whose name objects are stored.
    pub(crate) fn home(&self) -> &str {
        split_api_version(&self.storage).0
    }

    /// The defaults of a built-in kind, if it has any.
    pub(crate) fn defaults(&self) -> Option<&'static Tree> {
        let Origin::BuiltIn(BuiltIn { defaults, .. }) = &self.origin else { return None };
        *defaults.get_or_init(|| Tree::of(&self.group, &self.kind))
    }

    /// The key under which an object is stored; the namespace is empty for cluster-scoped kinds.
    pub(crate) fn key(&self, namespace: &str, name: &str) -> String {
        let mut key = self.prefix(namespace);
        key.push_str(name);
        key
    }

    /// What all keys of a namespace, or of the whole resource, begin with.
    pub(crate) fn prefix(&self, namespace: &str) -> String {
        let mut prefix = String::with_capacity(96);
        for part in [self.home(), "/", &self.plural, "/", namespace] {
            prefix.push_str(part);
        }
        if !namespace.is_empty() {
            prefix.push('/');
        }
        prefix
    }
}

/// The group and plural name in a key.
pub(crate) fn split_key(key: &str) -> Option<(&str, &str)> {
    let (group, rest) = key.split_once('/')?;
    let (plural, _) = rest.split_once('/')?;
    Some((group, plural))
}

pub(crate) fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_string() } else { format!("{group}/{version}") }
}

pub(crate) fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// The resources of one version, sorted by plural name, with the beginnings of the names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resources(Vec<(u64, Arc<Resource>)>);

impl Resources {
    pub(crate) fn get(&self, plural: &str) -> Option<&Arc<Resource>> {
        self.place(plural).ok().map(|at| &self.0[at].1)
    }

    fn place(&self, plural: &str) -> Result<usize, usize> {
        let start = start_of(plural.as_bytes());
        self.0.binary_search_by(|(known, resource)| {
            known.cmp(&start).then_with(|| (*resource.plural).cmp(plural))
        })
    }

    fn insert(&mut self, resource: Resource) {
        let entry = (start_of(resource.plural.as_bytes()), Arc::new(resource));
        match self.place(&entry.1.plural) {
            Ok(at) => self.0[at] = entry,
            Err(at) => self.0.insert(at, entry),
        }
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.0.iter().map(|(_, resource)| resource)
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
}

impl Index {
    pub(crate) fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.name == name)
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
        self.version(group, version)?.get(plural)
    }

    /// The resource in the group's preferred version that has it.
    pub(crate) fn preferred(&self, group: &str, plural: &str) -> Option<&Arc<Resource>> {
        self.group(group)?.versions.iter().find_map(|(_, resources)| resources.get(plural))
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
                    seen.entry(&resource.plural).or_insert(resource);
                }
            }
            seen.into_values()
        })
    }

    fn add(&mut self, resource: Resource) {
        let at = self.groups.iter().position(|group| group.name == resource.group).unwrap_or_else(|| {
            self.groups.push(Group { name: resource.group.clone(), versions: Vec::new() });
            self.groups.len() - 1
        });
        let versions = &mut self.groups[at].versions;
        let at = versions.iter().position(|(name, _)| *name == resource.version).unwrap_or_else(|| {
            versions.push((resource.version.clone(), Resources::default()));
            versions.sort_by(|(a, _), (b, _)| version_order(a, b));
            versions.iter().position(|(name, _)| *name == resource.version).unwrap_or_default()
        });
        versions[at].1.insert(resource);
    }
}

/// The built-in groups in Kubernetes' order, which tells clients which of two resources with one name is meant;
/// those that are not named follow.
const PRIORITY: [&str; 20] = [
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
    "flowcontrol.apiserver.k8s.io",
];

/// Kubernetes' order of versions: stable before beta before alpha, newer before older, then the rest by name.
fn version_order(a: &str, b: &str) -> std::cmp::Ordering {
    rank(b).cmp(&rank(a)).then_with(|| a.cmp(b))
}

/// (stability, major, minor); all zero for names that are not versions.
fn rank(version: &str) -> (u8, u32, u32) {
    let parsed = || {
        let rest = version.strip_prefix('v')?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let major = rest[..digits].parse().ok()?;
        let (stability, minor) = match &rest[digits..] {
            "" => return Some((3, major, 0)),
            rest if rest.starts_with("beta") => (2, &rest[4..]),
            rest if rest.starts_with("alpha") => (1, &rest[5..]),
            _ => return None,
        };
        Some((stability, major, minor.parse().ok()?))
    };
    parsed().unwrap_or_default()
}

/// The catalog of a running server.
pub(crate) struct Catalog {
    built_in: Index,
    current: RwLock<Arc<Index>>,
    /// What was made of each definition, by uid, and of which revision of it.
    compiled: Mutex<HashMap<String, (Revision, Vec<Resource>)>>,
    /// Held by whoever looks for custom resources.
    turn: Mutex<()>,
    /// How often the catalog has changed.
    changes: watch::Sender<u64>,
}

impl Catalog {
    /// The built-in resources.
    pub(crate) fn new(schema: &Schema) -> Self {
        let mut index = Index::default();
        builtin::resources(schema).into_iter().for_each(|resource| index.add(resource));
        let rank = |group: &Group| PRIORITY.iter().position(|name| *name == group.name);
        index.groups.sort_by_key(|group| rank(group).unwrap_or(PRIORITY.len()));
        Catalog {
            current: RwLock::new(Arc::new(index.clone())),
            built_in: index,
            compiled: Mutex::default(),
            turn: Mutex::default(),
            changes: watch::Sender::default(),
        }
    }

    /// The resources of all definitions, each computed once per change of it.
    pub(crate) fn compiled(
        &self,
        definitions: &[Stored],
        compute: impl Fn(&Stored) -> Vec<Resource>,
    ) -> Vec<Resource> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let mut before = std::mem::take(&mut *compiled);
        let mut all = Vec::new();
        for stored in definitions {
            let metadata = stored.record.node().get("metadata");
            let uid = metadata.and_then(|metadata| Some(metadata.get("uid")?.as_str()?.text().into_owned()));
            let uid = uid.unwrap_or_default();
            let resources = match before.remove(&uid) {
                Some((revision, resources)) if revision == stored.revision => resources,
                _ => compute(stored),
            };
            all.extend(resources.iter().cloned());
            compiled.insert(uid, (stored.revision, resources));
        }
        all
    }

    /// What is served now.
    pub(crate) fn index(&self) -> Arc<Index> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Serves the custom resources that are found beside the built-in ones, and no others. Whoever looks last
    /// has the last word.
    pub(crate) fn set_custom(&self, find: impl FnOnce() -> Vec<Resource>) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut index = self.built_in.clone();
        find().into_iter().for_each(|resource| index.add(resource));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(index);
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Wakes when the catalog has changed.
    pub(crate) fn signal(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub(crate) fn is_built_in(&self, group: &str, plural: &str) -> bool {
        self.built_in.preferred(group, plural).is_some()
    }
}

#[cfg(test)]
mod tests {
    use kubemerge_schema::Dialect;
    use kubemerge_value::Canonical;

    use super::*;
    use crate::store::Record;

    #[test]
    fn versions_are_ordered_as_kubernetes_orders_them() {
        let mut versions =
            vec!["v1alpha1", "foo", "v2beta1", "v1", "v2", "v1beta2", "v10", "v2alpha1", "bar"];
        versions.sort_by(|a, b| version_order(a, b));
        assert_eq!(versions, ["v10", "v2", "v1", "v2beta1", "v1beta2", "v2alpha1", "v1alpha1", "bar", "foo"]);
    }

    #[test]
    fn definitions_are_compiled_once_and_forgotten_with_their_object() {
        let catalog = Catalog::new(&Schema::builtin("1.37", Dialect::Upstream).unwrap());
        let text = br#"{"metadata":{"uid":"u"}}"#;
        let record = Record::new(Canonical::from_bytes(text).unwrap(), Vec::new());
        let definition = |revision| [Stored { record: record.clone(), revision }];
        let count = std::cell::Cell::new(0);
        let compute = |_: &Stored| {
            count.set(count.get() + 1);
            Vec::new()
        };
        for revision in [1, 1, 2, 2] {
            catalog.compiled(&definition(revision), compute);
        }
        assert_eq!(count.get(), 2);
        catalog.compiled(&[], compute);
        assert!(catalog.compiled.lock().unwrap().is_empty());
    }

    #[test]
    fn keys_lead_back_to_their_resource() {
        let catalog = Catalog::new(&Schema::builtin("1.37", Dialect::Upstream).unwrap());
        let index = catalog.index();
        let pods = index.find("", "v1", "pods").unwrap();
        assert_eq!(pods.key("default", "p"), "/pods/default/p");
        assert_eq!(split_key("/pods/default/p"), Some(("", "pods")));
        let nodes = index.find("", "v1", "nodes").unwrap();
        assert_eq!(nodes.key("", "n"), "/nodes/n");
    }
}
