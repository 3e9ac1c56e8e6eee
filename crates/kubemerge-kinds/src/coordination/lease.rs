//! Lease.

use crate::registry::{MetadataRule, OnUpdate, Rules};
use crate::{field::Field, tree::Map};

pub(super) const RULES: Rules = Rules {
    kind: "Lease",
    metadata: MetadataRule::AnyFinalizers,
    prepare_create: |lease, _| drop_disabled_fields(lease, None),
    prepare_update: |lease, old, _| drop_disabled_fields(lease, Some(old)),
    validate,
    on_update: OnUpdate::ValidateObject,
    ..Rules::NAMESPACED
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
