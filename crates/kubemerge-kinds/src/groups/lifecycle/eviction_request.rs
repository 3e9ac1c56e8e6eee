//! EvictionRequest.

use crate::registry::{Coverage, KindEntry, Strategy, SubresourceRules};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "EvictionRequest",
    coverage: Coverage::TypedForm,
    strategy: Strategy::WITH_STATUS,
    subresources: &[SubresourceRules::STATUS_ALONE],
    ..KindEntry::NAMESPACED
};
