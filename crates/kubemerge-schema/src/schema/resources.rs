//! The resources of the REST interface.

use std::borrow::Cow;

use super::Schema;
use crate::model::{Name, ResourceEntry, StrategicPatch, SubresourceEntry};

/// A resource of the REST interface.
#[derive(Clone, Copy, Debug)]
pub struct Resource<'s> {
    schema: &'s Schema,
    entry: &'s ResourceEntry,
}

/// A part of a resource that has its own address, such as `status`.
#[derive(Clone, Copy, Debug)]
pub struct Subresource<'s> {
    schema: &'s Schema,
    entry: &'s SubresourceEntry,
}

impl Schema {
    /// Every resource: of the built-in tables, of the paths of OpenAPI documents, and of custom resource definitions.
    #[doc(hidden)]
    pub fn resources(&self) -> impl DoubleEndedIterator<Item = Resource<'_>> {
        self.model().resources.iter().map(|entry| Resource { schema: self, entry })
    }

    /// The resource of a group and version with a plural name; of two the one that was loaded last.
    #[doc(hidden)]
    pub fn resource(&self, group: &str, version: &str, plural: &str) -> Option<Resource<'_>> {
        let is_it =
            |one: &Resource<'_>| one.plural() == plural && one.version() == version && one.group() == group;
        // Later documents count.
        self.resources().rev().find(is_it)
    }
}

impl<'s> Resource<'s> {
    /// The group; empty for the core group.
    pub fn group(self) -> &'s str {
        self.text(self.entry.group)
    }

    /// The version.
    pub fn version(self) -> &'s str {
        self.text(self.entry.version)
    }

    /// The kind of its objects.
    pub fn kind(self) -> &'s str {
        self.text(self.entry.kind)
    }

    /// The kind of a list of its objects, e.g. `PodList`.
    pub fn list_kind(self) -> Cow<'s, str> {
        match self.schema.model().given(self.entry.list_kind) {
            Some(kind) => Cow::Borrowed(kind),
            // The API server's default.
            None => Cow::Owned(format!("{}List", self.kind())),
        }
    }

    /// The name in paths, e.g. `pods`.
    pub fn plural(self) -> &'s str {
        self.text(self.entry.plural)
    }

    /// The name of one, e.g. `pod`.
    pub fn singular(self) -> &'s str {
        self.text(self.entry.singular)
    }

    /// Whether its objects live in namespaces.
    pub fn is_namespaced(self) -> bool {
        self.entry.namespaced
    }

    /// What can be done with it: `create`, `get`, `patch`, …
    pub fn verbs(self) -> impl Iterator<Item = &'s str> {
        texts(self.schema, &self.entry.verbs)
    }

    /// Abbreviations, e.g. `po`.
    pub fn short_names(self) -> impl Iterator<Item = &'s str> {
        texts(self.schema, &self.entry.short_names)
    }

    /// Groups of resources it belongs to, e.g. `all`.
    pub fn categories(self) -> impl Iterator<Item = &'s str> {
        texts(self.schema, &self.entry.categories)
    }

    /// Whether an API server takes strategic merge patches of it.
    pub fn strategic_patch(self) -> StrategicPatch {
        self.entry.strategic_patch
    }

    /// Its parts with an address of their own.
    pub fn subresources(self) -> impl Iterator<Item = Subresource<'s>> {
        self.entry.subresources.iter().map(move |entry| Subresource { schema: self.schema, entry })
    }

    fn text(self, name: Name) -> &'s str {
        self.schema.model().text(name)
    }
}

impl<'s> Subresource<'s> {
    /// The last part of its address, e.g. `status`.
    pub fn name(self) -> &'s str {
        self.text(self.entry.name)
    }

    /// The group of the kind it takes and gives.
    pub fn group(self) -> &'s str {
        self.text(self.entry.group)
    }

    /// The version of the kind it takes and gives.
    pub fn version(self) -> &'s str {
        self.text(self.entry.version)
    }

    /// The kind it takes and gives.
    pub fn kind(self) -> &'s str {
        self.text(self.entry.kind)
    }

    /// What can be done with it.
    pub fn verbs(self) -> impl Iterator<Item = &'s str> {
        texts(self.schema, &self.entry.verbs)
    }

    fn text(self, name: Name) -> &'s str {
        self.schema.model().text(name)
    }
}

fn texts<'s>(schema: &'s Schema, names: &'s [Name]) -> impl Iterator<Item = &'s str> {
    names.iter().map(|name| schema.model().text(*name))
}
