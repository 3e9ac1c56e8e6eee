//! Lease.

use crate::columns::{AGE, Cell, KindColumn, NAME};
use crate::registry::{
    KindEntry, MetadataRule, OnUpdate, Permission, Presentation, Strategy, ValidationRules,
};
use crate::{field::Field, tree::Map};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "Lease",
    strategy: Strategy {
        unconditional_update: Permission::Denied,
        create_on_update: Permission::Granted,
        prepare_create: |lease, _| drop_disabled_fields(lease, None),
        prepare_update: |lease, old, _| drop_disabled_fields(lease, Some(old)),
        ..Strategy::DEFAULT
    },
    validation: ValidationRules {
        metadata: MetadataRule::AnyFinalizers,
        object: validate,
        on_update: OnUpdate::ValidateObject,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[NAME, KindColumn::string("Holder", Cell::Text("/spec/holderIdentity")), AGE],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

/// Coordinated leader election is off by default: its fields stay only where they are stored already.
fn drop_disabled_fields(lease: &mut Map<'_>, old: Option<&Map<'_>>) {
    let stored = old.and_then(|old| old.map("spec"));
    let Some(spec) = lease.map_mut("spec") else { return };
    for name in ["strategy", "preferredHolder"] {
        if !stored.is_some_and(|stored| stored.has(name)) {
            spec.remove(name);
        }
    }
}

fn validate(lease: Field<'_>) {
    let spec = lease.field("spec");
    let duration = spec.field("leaseDurationSeconds");
    if duration.is_set() && duration.int() <= 0 {
        duration.invalid("must be greater than 0");
    }
    let transitions = spec.field("leaseTransitions");
    if transitions.int() < 0 {
        transitions.invalid("must be greater than or equal to 0");
    }
}
