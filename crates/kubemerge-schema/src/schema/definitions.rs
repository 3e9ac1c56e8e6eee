//! The definitions of a schema, and the kinds they describe.

use super::{Schema, Type};
use crate::model::{DefinitionEntry, DefinitionId, KindEntry, Origin};

/// A named type.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'s> {
    schema: &'s Schema,
    id: DefinitionId,
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

impl Schema {
    /// Every definition, in the order of loading.
    #[doc(hidden)]
    pub fn definitions(&self) -> impl Iterator<Item = Definition<'_>> {
        self.model().visible_definitions().map(|(id, _)| Definition { schema: self, id })
    }

    /// Every kind, sorted by group, version and kind.
    #[doc(hidden)]
    pub fn kinds(&self) -> Vec<KindOf<'_>> {
        let model = self.model();
        let mut entries: Vec<&KindEntry> = model.kinds.iter().collect();
        entries.sort_by_key(|entry| model.rank(entry));
        // Of two with one name the one that counts comes first, and stays.
        let mut kinds: Vec<KindOf<'_>> = entries.into_iter().rev().map(|entry| self.kind_of(entry)).collect();
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
}

impl<'s> Definition<'s> {
    pub(super) fn new(schema: &'s Schema, id: DefinitionId) -> Definition<'s> {
        Definition { schema, id }
    }

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

    fn entry(self) -> &'s DefinitionEntry {
        self.schema.model().definition(self.id)
    }
}
