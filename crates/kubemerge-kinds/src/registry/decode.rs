//! What happens to an object between its text and the strategy of its kind.

use super::hook::{Adjust, ChangeObject, RefuseConversion};

/// From text to an object.
#[derive(Clone, Copy, Debug)]
pub struct DecodeRules {
    /// Fills in what is absent: `SetDefaults_*`. Runs on everything that is decoded, stored objects too.
    pub defaults: ChangeObject,
    /// What the conversion to Kubernetes' internal type refuses: the API server answers 400 with this message.
    pub refuse_conversion: RefuseConversion,
    /// What the conversion to and from Kubernetes' internal type adds before owners of fields are tracked; the strategy
    /// sets it again. Few kinds have it.
    pub track: Option<Adjust>,
}

impl DecodeRules {
    /// Nothing is filled in and nothing refused.
    pub const DEFAULT: DecodeRules =
        DecodeRules { defaults: |_, _| {}, refuse_conversion: |_| None, track: None };
}
