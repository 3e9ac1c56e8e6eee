//! CSIStorageCapacity.

use crate::field::Field;
use crate::format::dns1123_subdomain;
use crate::meta::{Selector, label_selector};
use crate::registry::{KindEntry, Permission, Strategy, ValidationRules};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "CSIStorageCapacity",
    strategy: Strategy { unconditional_update: Permission::Denied, ..Strategy::DEFAULT },
    validation: ValidationRules {
        object: validate,
        update: |capacity, old| {
            let topology = capacity.field("nodeTopology");
            topology.check_immutable_struct(old.field("nodeTopology"), "*metav1.LabelSelector");
            capacity.field("storageClassName").check_immutable(old.field("storageClassName"));
        },
        ..ValidationRules::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

fn validate(object: Field<'_>) {
    label_selector(object.field("nodeTopology"), Selector::Strict);
    object.field("storageClassName").check(dns1123_subdomain);
    let capacity = object.field("capacity");
    if capacity.quantity().sign() < 0 {
        capacity.invalid("must be greater than or equal to 0");
    }
}
