//! Counts the metadata of a schema.

use crate::model::{ListType, MapType};
use crate::schema::{Schema, Type};

/// How often each kind of metadata occurs in the definitions of a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Definitions.
    pub definitions: usize,
    /// Kinds (group, version and kind).
    pub kinds: usize,
    /// Resources of the REST interface.
    pub resources: usize,
    /// `x-kubernetes-patch-strategy`.
    pub patch_strategy: usize,
    /// `x-kubernetes-patch-merge-key`.
    pub patch_merge_key: usize,
    /// `x-kubernetes-list-type`.
    pub list_type: usize,
    /// `x-kubernetes-list-map-keys`.
    pub list_map_keys: usize,
    /// `x-kubernetes-map-type`.
    pub map_type: usize,
}

impl Schema {
    /// Counts definitions, kinds and metadata as the documents give them.
    #[doc(hidden)]
    pub fn stats(&self) -> Stats {
        let mut stats =
            Stats { kinds: self.kinds().len(), resources: self.resources().count(), ..Stats::default() };
        for definition in self.definitions() {
            stats.definitions += 1;
            stats.add(definition.ty());
        }
        stats
    }
}

impl Stats {
    /// Counts a schema and what it describes in place.
    fn add(&mut self, ty: Type<'_>) {
        self.patch_strategy += usize::from(ty.patch_strategy().is_some());
        self.patch_merge_key += usize::from(ty.patch_merge_key().is_some());
        self.list_type += usize::from(ty.list_type() != ListType::Unset);
        self.list_map_keys += usize::from(ty.list_map_keys().next().is_some());
        self.map_type += usize::from(ty.own_map_type() != MapType::Unset);
        // Counted where it is defined, or recursive types would never end.
        if ty.reference().is_some() {
            return;
        }
        ty.fields().for_each(|field| self.add(field.ty));
        ty.items().into_iter().chain(ty.additional_properties()).for_each(|child| self.add(child));
    }
}
