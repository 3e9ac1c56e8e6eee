//! What the rules of a kind refuse, and what they advise against.

use super::hook::{Validate, ValidateUpdate, Warn};

/// What is refused, and what is advised against.
#[derive(Clone, Copy, Debug)]
pub struct ValidationRules {
    /// How metadata is validated.
    pub metadata: MetadataRule,
    /// `Validate`, without metadata: that is checked before, by the scope of the kind and its rule for names.
    pub object: Validate,
    /// What only new objects are held to.
    pub new_only: Validate,
    /// `ValidateUpdate`, without metadata: what may not change.
    pub update: ValidateUpdate,
    /// Whether an update validates the new object as if it were created, too.
    pub on_update: OnUpdate,
    /// `WarningsOnCreate` and `WarningsOnUpdate`, of valid objects.
    pub warnings: Warn,
    /// Whether a server may store objects that were not validated.
    pub may_be_off: MayBeOff,
}

/// Whether validation may be turned off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MayBeOff {
    /// It may: nothing but the object depends on it.
    Yes,
    /// It may not: what the object makes the server do depends on it.
    No,
}

/// What an update validates of the new object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnUpdate {
    /// [`ValidationRules::object`] and then [`ValidationRules::update`]; metadata of the new object in full.
    ValidateWhole,
    /// [`ValidationRules::object`] and then [`ValidationRules::update`]; of metadata only what may change.
    ValidateObject,
    /// Only [`ValidationRules::update`]; metadata of the new object in full.
    ValidateMetadata,
    /// Only [`ValidationRules::update`], and of metadata only what may change.
    ValidateChanges,
}

/// How the metadata of a kind is validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetadataRule {
    /// With the rest of the object, by the name rule of the kind.
    OfKind,
    /// In the same way, but finalizers need no domain.
    AnyFinalizers,
    /// Only as the API server validates every object, after the rest of it was found valid.
    Generic,
    /// Not at all: reviews have no name.
    Unchecked,
}

impl ValidationRules {
    /// Everything is valid.
    pub const DEFAULT: ValidationRules = ValidationRules {
        metadata: MetadataRule::OfKind,
        object: |_| {},
        new_only: |_| {},
        update: |_, _| {},
        on_update: OnUpdate::ValidateWhole,
        warnings: |_, _| Vec::new(),
        may_be_off: MayBeOff::Yes,
    };
}
