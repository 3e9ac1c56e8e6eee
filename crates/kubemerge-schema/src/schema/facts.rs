//! What a schema says about a value, for readers other than the merge.
//!
//! What a property says about itself (default, list type, strategy) is read from the property; what
//! describes its value (fields, items, format) from the end of its references.

use serde_json::Value;

use super::{Definition, Type};
use crate::model::{FieldEntry, Flags, ListType, MapType, Name, Node, NodeId, Required, UNTYPED};

/// A declared field of an object.
#[derive(Clone, Copy, Debug)]
pub struct DeclaredField<'s> {
    /// Its name.
    pub name: &'s str,
    /// Whether the object must have it.
    pub required: Required,
    /// What the schema says about it.
    pub ty: Type<'s>,
}

impl<'s> Type<'s> {
    /// The declared fields, sorted by name.
    pub fn fields(self) -> impl Iterator<Item = DeclaredField<'s>> {
        let entries = self.resolved().map_or(&[][..], |node| self.model().fields(node));
        entries.iter().map(move |entry| self.field_of(entry))
    }

    /// A declared field.
    pub fn field(self, name: &str) -> Option<DeclaredField<'s>> {
        let index = self.model().find_field(self.resolved()?, name)?;
        Some(self.field_of(self.model().field(index)))
    }

    fn field_of(self, entry: &FieldEntry) -> DeclaredField<'s> {
        DeclaredField {
            name: self.model().text(entry.name),
            required: entry.required,
            ty: self.at(entry.node),
        }
    }

    /// The definition that a property names, as opposed to describing its value in place.
    pub fn reference(self) -> Option<Definition<'s>> {
        let id = self.given()?.refers_to;
        (id != UNTYPED).then_some(Definition::new(self.schema, id))
    }

    /// A number that distinguishes the description of the value from all others of this schema.
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
        // Written by the loader from JSON, so it always parses.
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
        // Built-in documents use the format, definitions the extension.
        self.has(Flags::INT_OR_STRING) || self.format() == Some("int-or-string")
    }

    /// Whether undeclared fields are kept (`x-kubernetes-preserve-unknown-fields`).
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

    /// Whether the schema declares unions (`x-kubernetes-unions`). Malformed ones count.
    pub fn has_unions(self) -> bool {
        self.has(Flags::UNIONS)
    }

    fn has(self, flag: Flags) -> bool {
        // A property may say more than the type it refers to.
        [self.given(), self.resolved()].into_iter().flatten().any(|node| node.flags.has(flag))
    }

    /// The node as the property gives it, before references.
    pub(super) fn given(self) -> Option<&'s Node> {
        (!self.is_untyped()).then(|| self.model().node(self.node))
    }

    fn text(self, name: fn(&Node) -> Name) -> Option<&'s str> {
        self.model().given(name(self.given()?))
    }

    fn child(self, id: NodeId) -> Option<Type<'s>> {
        (id != UNTYPED).then(|| self.at(id))
    }
}
