//! The facts of a schema, for readers other than the merge: definitions, fields, kinds, resources.
//!
//! [`Type`] is the cursor here too. What a property says about itself (default, list type, strategy) is
//! read from the property; what describes its value (fields, items, format) from the end of its references.

use std::borrow::Cow;

use serde_json::Value;

use crate::cursor::Type;
use crate::model::{
    DefinitionId, FieldEntry, Flags, KindEntry, ListType, MapType, NOWHERE, Name, Node, NodeId, Origin,
    Required, ResourceEntry, SubresourceEntry,
};
use crate::schema::Schema;

/// A named type.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'s> {
    schema: &'s Schema,
    id: DefinitionId,
}

/// A declared field of an object.
#[derive(Clone, Copy, Debug)]
pub struct Field<'s> {
    /// Its name.
    pub name: &'s str,
    /// Whether the object must have it.
    pub required: Required,
    /// What the schema says about it.
    pub ty: Type<'s>,
}

/// A group, version and kind, and the definition that describes it.
#[derive(Clone, Copy, Debug)]
pub struct KindOf<'s> {
    /// The group; empty for the core group.
    pub group: &'s str,
    /// The version.
    pub version: &'s str,
    /// The kind.
    pub kind: &'s str,
    /// The definition.
    pub definition: Definition<'s>,
}

impl KindOf<'_> {
    /// Group and version as objects write them: `v1`, `apps/v1`.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_owned()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }
}

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
    /// Every definition, in the order of loading.
    pub fn definitions(&self) -> impl Iterator<Item = Definition<'_>> {
        self.model().visible_definitions().map(|(id, _)| Definition { schema: self, id })
    }

    /// Every kind, sorted by group, version and kind.
    pub fn kinds(&self) -> Vec<KindOf<'_>> {
        let mut kinds: Vec<KindOf<'_>> = self.model().kinds.iter().map(|entry| self.kind_of(entry)).collect();
        // Of two with one name the later one counts.
        kinds.reverse();
        kinds.sort_by_key(|kind| (kind.group, kind.version, kind.kind));
        kinds.dedup_by_key(|kind| (kind.group, kind.version, kind.kind));
        kinds
    }

    fn kind_of(&self, entry: &KindEntry) -> KindOf<'_> {
        let text = |name| self.model().text(name);
        KindOf {
            group: text(entry.group),
            version: text(entry.version),
            kind: text(entry.kind),
            definition: Definition { schema: self, id: entry.definition },
        }
    }

    /// Every resource: of the built-in tables, and of custom resource definitions.
    pub fn resources(&self) -> impl DoubleEndedIterator<Item = Resource<'_>> {
        self.model().resources.iter().map(|entry| Resource { schema: self, entry })
    }

    /// The resource of a group and version with a plural name; of two the one that was loaded last.
    pub fn resource(&self, group: &str, version: &str, plural: &str) -> Option<Resource<'_>> {
        let is_it =
            |one: &Resource<'_>| one.plural() == plural && one.version() == version && one.group() == group;
        self.resources().rev().find(is_it)
    }
}

impl<'s> Definition<'s> {
    /// Its full name.
    pub fn name(self) -> &'s str {
        self.schema.model().text(self.entry().name)
    }

    /// The cursor at its root.
    pub fn ty(self) -> Type<'s> {
        Type { schema: self.schema, node: self.entry().node }
    }

    /// Where it came from.
    pub fn origin(self) -> Origin {
        self.entry().origin
    }

    /// The kinds it describes.
    pub fn kinds(self) -> impl Iterator<Item = KindOf<'s>> {
        let own = self.schema.model().kinds.iter().filter(move |entry| entry.definition == self.id);
        own.map(move |entry| self.schema.kind_of(entry))
    }

    fn entry(self) -> &'s crate::model::DefinitionEntry {
        &self.schema.model().definitions[self.id as usize]
    }
}

impl<'s> Type<'s> {
    /// The declared fields, sorted by name.
    pub fn fields(self) -> impl Iterator<Item = Field<'s>> {
        let entries = self.resolved().map_or(&[][..], |node| self.model().fields(node));
        entries.iter().map(move |entry| self.field_of(entry))
    }

    /// A declared field.
    pub fn field(self, name: &str) -> Option<Field<'s>> {
        let index = self.model().find_field(self.resolved()?, name)?;
        Some(self.field_of(&self.model().fields[index]))
    }

    fn field_of(self, entry: &FieldEntry) -> Field<'s> {
        Field { name: self.model().text(entry.name), required: entry.required, ty: self.at(entry.node) }
    }

    /// The definition that a property names, as opposed to describing its value in place.
    pub fn reference(self) -> Option<Definition<'s>> {
        let id = self.given()?.refers_to;
        (id != NOWHERE).then_some(Definition { schema: self.schema, id })
    }

    /// A number that tells the description of the value apart from all others of this schema.
    pub fn description(self) -> Option<usize> {
        (!self.is_untyped()).then(|| self.model().resolve(self.node) as usize)
    }

    /// What the items of a list are.
    pub fn items(self) -> Option<Type<'s>> {
        self.child(self.resolved()?.items)
    }

    /// What undeclared fields are, where the schema describes them.
    pub fn additional_properties(self) -> Option<Type<'s>> {
        self.child(self.resolved()?.additional)
    }

    /// The format, e.g. `int32` or `date-time`.
    pub fn format(self) -> Option<&'s str> {
        self.model().given(self.resolved()?.format)
    }

    /// The default of the property.
    pub fn default(self) -> Option<Value> {
        serde_json::from_str(self.model().given(self.given()?.default)?).ok()
    }

    /// `x-kubernetes-patch-strategy` of the property.
    pub fn patch_strategy(self) -> Option<&'s str> {
        self.text(|node| node.strategy)
    }

    /// `x-kubernetes-patch-merge-key` of the property.
    pub fn patch_merge_key(self) -> Option<&'s str> {
        self.text(|node| node.merge_key)
    }

    /// `x-kubernetes-list-type` of the property.
    pub fn list_type(self) -> ListType {
        self.given().map_or(ListType::Unset, |node| node.list_type)
    }

    /// `x-kubernetes-list-map-keys` of the property.
    pub fn list_map_keys(self) -> impl Iterator<Item = &'s str> {
        let model = self.model();
        let keys = self.given().map_or(&[][..], |node| model.list_map_keys(node));
        keys.iter().map(|key| model.text(*key))
    }

    /// `x-kubernetes-map-type` of the property, else of the type it refers to.
    pub fn map_type(self) -> MapType {
        match self.own_map_type() {
            MapType::Unset => self.resolved().map_or(MapType::Unset, |node| node.map_type),
            own => own,
        }
    }

    /// `x-kubernetes-map-type` of the property itself.
    pub(crate) fn own_map_type(self) -> MapType {
        self.given().map_or(MapType::Unset, |node| node.map_type)
    }

    /// Whether the value may be an integer or a string.
    pub fn is_int_or_string(self) -> bool {
        self.has(Flags::INT_OR_STRING) || self.format() == Some("int-or-string")
    }

    /// Whether fields nobody declared are kept (`x-kubernetes-preserve-unknown-fields`).
    pub fn preserves_unknown_fields(self) -> bool {
        self.has(Flags::PRESERVE_UNKNOWN)
    }

    /// Whether the value is a whole Kubernetes object (`x-kubernetes-embedded-resource`).
    pub fn is_embedded_resource(self) -> bool {
        self.has(Flags::EMBEDDED_RESOURCE)
    }

    /// Whether the value may be null.
    pub fn is_nullable(self) -> bool {
        self.has(Flags::NULLABLE)
    }

    /// Whether the field is a pointer in Kubernetes' own code, so that a zero is not the same as nothing.
    /// Known for built-in types only.
    pub fn is_pointer(self) -> bool {
        self.given().is_some_and(|node| node.flags.has(Flags::POINTER))
    }

    /// Whether the schema declares unions (`x-kubernetes-unions`), which have no effect on merges.
    pub fn has_unions(self) -> bool {
        self.has(Flags::UNIONS)
    }

    fn has(self, flag: Flags) -> bool {
        [self.given(), self.resolved()].into_iter().flatten().any(|node| node.flags.has(flag))
    }

    /// The node as the property gives it, before references.
    fn given(self) -> Option<&'s Node> {
        (!self.is_untyped()).then(|| self.model().node(self.node))
    }

    fn text(self, name: fn(&Node) -> Name) -> Option<&'s str> {
        self.model().given(name(self.given()?))
    }

    fn child(self, id: NodeId) -> Option<Type<'s>> {
        (id != NOWHERE).then(|| self.at(id))
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
