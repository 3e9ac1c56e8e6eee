//! The endpoints of a kind that take whole objects of it, such as `status`.

use super::generation::GenerationRule;
use super::hook::{ChangeObject, ChangeUpdate, ValidateUpdate};
use super::reset_fields::{Names, SPEC, SPEC_AND_METADATA};

/// The rules of a subresource that takes whole objects of the kind.
#[derive(Clone, Copy, Debug)]
pub struct SubresourceRules {
    /// Its name.
    pub name: &'static str,
    /// The fields that it takes from the stored object; no manager comes to own them there.
    pub resets: &'static [Names],
    /// What happens to the object of the client before the reset.
    pub before_reset: ChangeObject,
    /// `PrepareForUpdate`, after the reset.
    pub prepare_update: ChangeUpdate,
    /// When `metadata.generation` grows.
    pub generation: GenerationRule,
    /// `ValidateUpdate`, without metadata.
    pub validate_update: ValidateUpdate,
}

impl SubresourceRules {
    /// A `status` that accepts everything; the spec stays as it is.
    pub const STATUS: SubresourceRules = SubresourceRules {
        name: "status",
        resets: SPEC,
        before_reset: |_, _| {},
        prepare_update: |_, _, _| {},
        generation: GenerationRule::Untracked,
        validate_update: |_, _| {},
    };

    /// A `status` that accepts everything; spec and metadata stay as they are.
    pub const STATUS_ALONE: SubresourceRules =
        SubresourceRules { resets: SPEC_AND_METADATA, ..SubresourceRules::STATUS };

    /// Another endpoint that accepts everything and resets nothing.
    pub const OTHER: SubresourceRules =
        SubresourceRules { name: "", resets: &[], ..SubresourceRules::STATUS };
}
