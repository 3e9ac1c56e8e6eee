//! SelfSubjectReview, which is answered and not stored.

use crate::registry::{Coverage, KindEntry};

pub(super) const KIND: KindEntry =
    KindEntry { kind: "SelfSubjectReview", coverage: Coverage::TypedForm, ..KindEntry::CLUSTER };
