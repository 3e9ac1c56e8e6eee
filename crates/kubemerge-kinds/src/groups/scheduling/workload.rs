//! Workload.

use crate::registry::{Coverage, KindEntry, Permission, Strategy};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "Workload",
    coverage: Coverage::TypedForm,
    strategy: Strategy { unconditional_update: Permission::Denied, ..Strategy::DEFAULT },
    ..KindEntry::NAMESPACED
};
