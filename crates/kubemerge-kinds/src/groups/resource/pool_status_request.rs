//! ResourcePoolStatusRequest.

use crate::registry::{Coverage, DeleteAnswer, KindEntry, Permission, Strategy, SubresourceRules};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "ResourcePoolStatusRequest",
    coverage: Coverage::TypedForm,
    strategy: Strategy {
        unconditional_update: Permission::Denied,
        delete_answer: DeleteAnswer::Object,
        ..Strategy::WITH_STATUS
    },
    subresources: &[SubresourceRules::STATUS_ALONE],
    ..KindEntry::CLUSTER
};
