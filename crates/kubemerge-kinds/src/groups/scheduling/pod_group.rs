//! PodGroup.

use crate::registry::{Coverage, KindEntry, Permission, Strategy, SubresourceRules};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "PodGroup",
    coverage: Coverage::TypedForm,
    strategy: Strategy { unconditional_update: Permission::Denied, ..Strategy::WITH_STATUS },
    subresources: &[SubresourceRules::STATUS_ALONE],
    ..KindEntry::NAMESPACED
};
