//! What a write does to an object of a kind, and which writes are allowed.

use super::generation::Counted;
use super::hook::{Adjust, Begin, ChangeObject, ChangeUpdate, RecordUser};
use super::reset_fields::{Names, ONLY_STATUS};
use crate::meta::NameRule;

pub use super::generation::GenerationRule;

/// What a write does to an object, and which writes are allowed.
#[derive(Clone, Copy, Debug)]
pub struct Strategy {
    /// How objects may be named.
    pub name: NameRule,
    /// What a new object without a name gets.
    pub missing_name: MissingName,
    /// What follows from the name of an object, whatever its types come from.
    pub named: Adjust,
    /// When `metadata.generation` grows.
    pub generation: GenerationRule,
    /// Which form of an update the generation counts.
    pub counted: Counted,
    /// Whether a PUT may leave out the resourceVersion.
    pub unconditional_update: Permission,
    /// Whether a PUT may create the object.
    pub create_on_update: Permission,
    /// What a deletion waits for, besides finalizers.
    pub deletion: Deletion,
    /// What a DELETE answers.
    pub delete_answer: DeleteAnswer,
    /// What happens to dependents unless the request says.
    pub default_propagation: Propagation,
    /// The fields that the main endpoint takes from the stored object; no manager comes to own them there.
    pub resets: &'static [Names],
    /// The status of a new object of a kind whose status is reset.
    pub status_on_create: StatusOnCreate,
    /// The first state of an object that is stored without the API, unless it has a status.
    pub loaded: Adjust,
    /// `BeginCreate` and `BeginUpdate`, with the stored object for updates. Few kinds have it.
    pub begin: Begin,
    /// `PrepareForCreate`: resets what clients may not set, drops disabled fields.
    pub prepare_create: ChangeObject,
    /// The part of `PrepareForCreate` that depends on the user. Few kinds have it.
    pub record_user: Option<RecordUser>,
    /// `PrepareForUpdate`.
    pub prepare_update: ChangeUpdate,
    /// Whether Kubernetes stores a new object, complete but for `PrepareForCreate`, without something that it fills in
    /// whenever it reads the object: the first write without a change is written then.
    pub completed_by_reading: fn(&crate::tree::Map<'_>) -> bool,
}

/// Whether something may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// It may.
    Granted,
    /// It may not.
    Denied,
}

/// What happens to a new object with neither a name nor the base of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingName {
    /// It is refused.
    Refused,
    /// Its name is a new uid.
    Uid,
}

/// What a deletion waits for, besides finalizers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// Nothing.
    AtOnce,
    /// The end of a grace period, which its containers have.
    AfterGracePeriod,
    /// All that is in it is deleted first. It has finalizers in its spec as well.
    AfterContent,
}

/// What the answer to an immediate delete holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteAnswer {
    /// A `Status`.
    Status,
    /// The object.
    Object,
}

/// What happens to dependents unless the request says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// They are deleted after the owner.
    Background,
    /// They are deleted before the owner.
    Foreground,
    /// They stay.
    Orphan,
    /// Garbage collection finalizers are never set.
    Unsupported,
}

/// The status of a new object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusOnCreate {
    /// What the client sends is dropped.
    Emptied,
    /// The kind sets it, or keeps what the client sends.
    Own,
}

impl Strategy {
    /// A kind without a status.
    pub const DEFAULT: Strategy = Strategy {
        name: NameRule::Subdomain,
        missing_name: MissingName::Refused,
        named: |_| {},
        generation: GenerationRule::Untracked,
        counted: Counted::Prepared,
        unconditional_update: Permission::Granted,
        create_on_update: Permission::Denied,
        deletion: Deletion::AtOnce,
        delete_answer: DeleteAnswer::Status,
        default_propagation: Propagation::Background,
        resets: &[],
        status_on_create: StatusOnCreate::Emptied,
        loaded: |_| {},
        begin: |_, _, _| Vec::new(),
        prepare_create: |_, _| {},
        record_user: None,
        completed_by_reading: |_| false,
        prepare_update: |_, _, _| {},
    };

    /// A kind whose status has an endpoint of its own.
    pub const WITH_STATUS: Strategy = Strategy { resets: ONLY_STATUS, ..Strategy::DEFAULT };

    /// A custom resource.
    pub const CUSTOM: Strategy = Strategy {
        generation: GenerationRule::Content,
        unconditional_update: Permission::Denied,
        ..Strategy::DEFAULT
    };
}
