//! LeaseCandidate.

use crate::registry::{Coverage, KindEntry, Permission, Strategy};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "LeaseCandidate",
    coverage: Coverage::TypedForm,
    strategy: Strategy {
        unconditional_update: Permission::Denied,
        create_on_update: Permission::Granted,
        ..Strategy::DEFAULT
    },
    ..KindEntry::NAMESPACED
};
