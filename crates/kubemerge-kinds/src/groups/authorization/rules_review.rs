//! SelfSubjectRulesReview, which is answered and not stored.

use crate::registry::{Coverage, KindEntry};

pub(super) const KIND: KindEntry =
    KindEntry { kind: "SelfSubjectRulesReview", coverage: Coverage::TypedForm, ..KindEntry::CLUSTER };
