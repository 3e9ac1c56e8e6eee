//! The details in which the dialects differ.
//!
//! A merge asks here instead of naming a dialect. Larger decisions are handed over as a whole: in
//! `apply/by_dialect.rs` for a value that is merged, in `verbs.rs` for a verb. No other file names a dialect, so
//! another dialect is one more variant here, one more arm there and one more set of verbs.

use crate::go_text::go_text;
use kubemerge_schema::{Dialect, Type};
use kubemerge_value::Node;

/// The strategy of a dialect that follows Kubernetes' directives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// Exactly what Kubernetes does.
    Upstream,
    /// What its design documents promise.
    Spec,
}

impl Strategy {
    /// The strategy for the dialect of a compiled schema; none for kustomize, which has a walk of its own.
    pub(crate) fn of(ty: Type<'_>) -> Option<Self> {
        match ty.schema().dialect() {
            Dialect::Upstream => Some(Strategy::Upstream),
            Dialect::Spec => Some(Strategy::Spec),
            _ => None,
        }
    }

    /// Whether `$patch` in a map is obeyed before anything else in it is looked at.
    pub(crate) fn obeys_patch_word_first(self) -> bool {
        // Upstream: what else the map holds is not even checked
        // (apply/patch-directive.yaml, `replace on a map keeps nulls`).
        self == Strategy::Upstream
    }

    /// Whether faults of order lists come before all other faults of a map.
    pub(crate) fn meets_order_lists_first(self) -> bool {
        self == Strategy::Upstream
    }

    /// Whether a directive key must name a field after its slash.
    pub(crate) fn requires_field_names(self) -> bool {
        self == Strategy::Spec
    }

    /// Whether every element of `$retainKeys` must be a string.
    pub(crate) fn requires_retained_names(self) -> bool {
        // Upstream: other scalars name no field (apply/retain-keys.yaml, `elements that are not strings`).
        self == Strategy::Spec
    }

    /// Whether null is a value of a merge key like any other; if not, the key counts as absent.
    pub(crate) fn null_is_a_key(self) -> bool {
        // Upstream: a null key matches, and the merge removes it (apply/merge-key.yaml, `null key on both sides`).
        self == Strategy::Upstream
    }

    /// Whether a patch of a value of this type clears members of unions that it does not name.
    pub(crate) fn clears_unions(self, ty: Type<'_>) -> bool {
        self == Strategy::Spec && !ty.unions().is_empty()
    }

    /// Whether items of lists that keep their order are edited in the text of the live document.
    pub(crate) fn edits_items_in_text(self) -> bool {
        // Items may be replaced as a whole in `spec`, which its own merge of lists knows about.
        self == Strategy::Upstream
    }

    /// What is said about an item that has none of these merge keys.
    pub(crate) fn missing_key_message(self, item: Node<'_>, names: &str) -> String {
        match self {
            Strategy::Upstream => {
                format!("map: {} does not contain declared merge key: {names}", go_text(item))
            }
            Strategy::Spec => format!("item has none of the merge keys [{names}]"),
        }
    }
}
