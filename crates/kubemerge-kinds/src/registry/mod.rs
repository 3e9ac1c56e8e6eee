//! The entry of a kind: all that is true of it, nested by who reads it.
//!
//! The folders of the API groups have one constant for each kind, in the file of the kind; `groups.rs` lists the folders.
//! There is no other table by group and kind.

mod conversion;
mod decode;
mod generation;
mod hook;
mod keep;
mod presentation;
pub mod reset_fields;
mod storage;
pub mod strategy;
mod subresource;
mod times;
mod validation;

pub use conversion::{RulesRead, VersionConversion};
pub use decode::DecodeRules;
pub use generation::{Counted, GenerationRule};
pub use hook::{
    Adjust, Begin, ChangeObject, ChangeUpdate, Context, RecordUser, RefuseConversion, RowCondition, Validate,
    ValidateUpdate, Warn,
};
pub(crate) use keep::{keep_field, keep_whole_metadata};
pub use presentation::{Presentation, Selectable, SelectableField, SelectableFields, SelectorRefusal};
pub use reset_fields::Names;
pub use storage::StorageFolder;
pub use strategy::{DeleteAnswer, Deletion, MissingName, Permission, Propagation, StatusOnCreate, Strategy};
pub use subresource::SubresourceRules;
pub use times::{SetDefaultTimes, SetTimes, Times, Written};
pub use validation::{MayBeOff, MetadataRule, OnUpdate, ValidationRules};

pub use crate::meta::Scope;

/// The entry of a kind.
///
/// Fill in what the kind has and take the rest from [`KindEntry::NAMESPACED`] or [`KindEntry::CLUSTER`]; each part has
/// a constant for what most kinds have.
#[derive(Clone, Copy)]
pub struct KindEntry {
    /// The kind, e.g. `ConfigMap`.
    pub kind: &'static str,
    /// The versions that the entry is for; empty for all.
    pub versions: &'static [&'static str],
    /// Whether objects live in namespaces.
    pub scope: Scope,
    /// How much is known of the kind.
    pub coverage: Coverage,
    /// How objects become those of the stored version, if that has other fields.
    pub conversion: Option<VersionConversion>,
    /// From text to an object.
    pub decode: DecodeRules,
    /// What a write does to an object, and which writes are allowed.
    pub strategy: Strategy,
    /// The times that a write sets.
    pub times: Times,
    /// Where Kubernetes keeps its objects in etcd.
    pub folder: StorageFolder,
    /// What is refused, and what is advised against.
    pub validation: ValidationRules,
    /// The endpoints that speak the same kind, such as `status`.
    pub subresources: &'static [SubresourceRules],
    /// What reads show and select.
    pub presentation: Presentation,
}

/// How much of a kind an entry has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// How objects are defaulted, prepared and validated.
    Rules,
    /// Only the typed form and what all kinds have in common: objects are neither defaulted nor prepared nor validated
    /// by rules of the kind.
    TypedForm,
}

impl KindEntry {
    /// A namespaced kind that accepts everything.
    pub const NAMESPACED: KindEntry = KindEntry {
        kind: "",
        versions: &[],
        scope: Scope::Namespaced,
        coverage: Coverage::Rules,
        conversion: None,
        decode: DecodeRules::DEFAULT,
        strategy: Strategy::DEFAULT,
        times: Times::NONE,
        folder: StorageFolder::Plural,
        validation: ValidationRules::DEFAULT,
        subresources: &[],
        presentation: Presentation::DEFAULT,
    };

    /// A cluster-scoped kind that accepts everything.
    pub const CLUSTER: KindEntry = KindEntry { scope: Scope::Cluster, ..KindEntry::NAMESPACED };

    /// A kind of an older version of Kubernetes that has no entry.
    pub const UNLISTED: KindEntry = KindEntry { coverage: Coverage::TypedForm, ..KindEntry::NAMESPACED };

    /// The rules of a subresource.
    pub fn subresource(&self, name: &str) -> Option<&'static SubresourceRules> {
        self.subresources.iter().find(|one| one.name == name)
    }

    /// What an endpoint takes from the stored object; the subresource is empty for the object itself.
    pub fn resets(&self, subresource: &str) -> &'static [Names] {
        match subresource {
            "" => self.strategy.resets,
            name => self.subresource(name).map_or(&[], |one| one.resets),
        }
    }
}

impl std::fmt::Debug for KindEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KindEntry").field("kind", &self.kind).finish_non_exhaustive()
    }
}
