//! One served resource, and what the server must know about it.

use std::sync::{Arc, OnceLock};

use kubemerge_kinds::{
    BuiltinKind, FoundKind,
    declared::DeclaredRules,
    registry::{KindEntry, Scope, Selectable},
    strategy::Strategy,
};
use kubemerge_schema::{Schema, StrategicPatch};
use kubemerge_value::Canonical;

use crate::{
    catalog::custom::CustomVersion,
    protocol::{group_version::split_api_version, status::Qualified, verb::Verb},
};

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
    /// As discovery lists them.
    pub(crate) verbs: Vec<String>,
    pub(crate) subresources: Vec<Subresource>,
    pub(crate) strategy: Strategy,
    /// The fields that field selectors may name.
    pub(crate) selectable: Selectable,
    /// Whether strategic merge patches are taken in every dialect.
    pub(crate) strategic_patch: StrategicPatch,
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
    /// The paths of an OpenAPI document.
    Document(Arc<DeclaredRules>),
    /// A CustomResourceDefinition.
    Custom(Arc<CustomVersion>),
}

/// The entry of a built-in kind, and what is found out about the kind when its first object is written.
#[derive(Clone, Debug)]
pub(crate) struct BuiltIn {
    entry: &'static KindEntry,
    kind: OnceLock<Option<FoundKind>>,
    empty: OnceLock<Option<Canonical>>,
}

impl BuiltIn {
    pub(crate) fn of(entry: &'static KindEntry) -> BuiltIn {
        BuiltIn { entry, kind: OnceLock::new(), empty: OnceLock::new() }
    }
}

impl Subresource {
    pub(crate) fn allows(&self, verb: Verb) -> bool {
        self.verbs.iter().any(|one| one == verb.name())
    }
}

impl Resource {
    /// The resource as messages name it.
    pub(crate) fn qualified(&self) -> Qualified<'_> {
        Qualified { group: &self.group, name: &self.plural }
    }

    /// The kind as messages about invalid objects name it.
    pub(crate) fn qualified_kind(&self) -> Qualified<'_> {
        // Events are those of the core group, whichever group they are written in.
        let group = if self.custom().is_some() { &self.group } else { self.home() };
        Qualified { group, name: &self.kind }
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

    pub(crate) fn allows(&self, verb: Verb) -> bool {
        self.verbs.iter().any(|one| one == verb.name())
    }

    /// The name of the definition that serves it, if one does.
    pub(crate) fn definition(&self) -> Option<String> {
        self.custom().map(|_| format!("{}.{}", self.plural, self.group))
    }

    pub(crate) fn custom(&self) -> Option<&CustomVersion> {
        match &self.origin {
            Origin::Custom(version) => Some(version),
            Origin::BuiltIn(_) | Origin::Document(_) => None,
        }
    }

    /// What is known of a kind without a definition.
    pub(crate) fn entry(&self) -> Option<&'static KindEntry> {
        match &self.origin {
            Origin::BuiltIn(built_in) => Some(built_in.entry),
            Origin::Document(_) => Some(&KindEntry::UNLISTED),
            Origin::Custom(_) => None,
        }
    }

    /// What Go writes of an object of a built-in kind without content; `find` finds it out the first time.
    pub(crate) fn empty(&self, find: impl FnOnce() -> Option<Canonical>) -> Option<&Canonical> {
        let Origin::BuiltIn(BuiltIn { empty, .. }) = &self.origin else { return None };
        empty.get_or_init(find).as_ref()
    }

    /// The built-in kind; none if the schema does not know it.
    pub(crate) fn built_in<'s>(&self, schema: &'s Schema) -> Option<BuiltinKind<'s>> {
        let Origin::BuiltIn(BuiltIn { kind, .. }) = &self.origin else { return None };
        let find = || BuiltinKind::find(schema, &self.api_version, &self.kind).map(BuiltinKind::found);
        kind.get_or_init(find).map(|found| found.within(schema))
    }

    /// The group under whose name objects are stored.
    pub(crate) fn home(&self) -> &str {
        split_api_version(&self.storage).0
    }

    /// The key under which an object is stored; the namespace is empty for cluster-scoped kinds.
    pub(crate) fn key(&self, namespace: &str, name: &str) -> String {
        let mut key = self.prefix(namespace);
        key.push_str(name);
        key
    }

    /// The namespace that keys have for one that was named: kinds of the cluster have none.
    pub(crate) fn namespace_of_key<'n>(&self, namespace: &'n str) -> &'n str {
        if self.is_namespaced() { namespace } else { "" }
    }

    /// What all keys of a namespace, or of the whole resource, begin with.
    pub(crate) fn prefix(&self, namespace: &str) -> String {
        // Long enough for nearly all keys, so that a key is allocated once.
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

/// The name of the object in a key.
pub(crate) fn key_name(key: &str) -> &str {
    key.rsplit_once('/').map_or(key, |(_, name)| name)
}

/// The group and plural name in a key.
pub(crate) fn split_key(key: &str) -> Option<(&str, &str)> {
    let (group, rest) = key.split_once('/')?;
    let (plural, _) = rest.split_once('/')?;
    Some((group, plural))
}
