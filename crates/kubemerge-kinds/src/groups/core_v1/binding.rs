//! Binding, which a scheduler creates and no one stores.

use crate::registry::{Coverage, KindEntry};

pub(super) const KIND: KindEntry =
    KindEntry { kind: "Binding", coverage: Coverage::TypedForm, ..KindEntry::NAMESPACED };
