//! CSIDriver.

use std::collections::BTreeSet;

use crate::field::Field;
use crate::registry::{Context, Generation, OnUpdate, Rules, count_generation};
use crate::tree::{List, Map, Value};

pub(super) const RULES: Rules = Rules {
    kind: "CSIDriver",
    defaults,
    prepare_update: |driver, old, _| {
        // The generation starts at zero, unlike that of most kinds.
        if !driver.same_field_in_go(old, "spec") {
            count_generation(driver, old);
        }
    },
    validate: |driver| spec(driver.field("spec")),
    validate_update: |driver, old| {
        let (spec, old) = (driver.field("spec"), old.field("spec"));
        // Upstream misspells the field.
        spec.field("attachRequired").renamed("attachedRequired").check_immutable(old.field("attachRequired"));
        spec.field("volumeLifecycleModes").check_immutable(old.field("volumeLifecycleModes"));
    },
    on_update: OnUpdate::ValidateObject,
    generation: Generation::Own,
    ..Rules::CLUSTER
};

fn defaults(driver: &mut Map<'_>, context: Context) {
    let spec = driver.ensure_map("spec");
    spec.set_if_absent("attachRequired", true);
    spec.set_if_absent("podInfoOnMount", false);
    spec.set_if_absent("storageCapacity", false);
    spec.set_if_absent("fsGroupPolicy", "ReadWriteOnceWithFSType");
    spec.set_if_absent("requiresRepublish", false);
    // The gate SELinuxMountReadWriteOncePod is on by default since 1.28.
    if context.since(28) {
        spec.set_if_absent("seLinuxMount", false);
    }
    if context.since(37) {
        spec.set_if_absent("preventPodSchedulingIfMissing", false);
    }
    if spec.list("volumeLifecycleModes").is_empty() {
        let mut modes = List::new_in(spec.arena());
        modes.push("Persistent");
        spec.set("volumeLifecycleModes", Value::List(modes));
    }
}

fn spec(spec: Field<'_>) {
    const MIN_UPDATE_SECONDS: i64 = 10;
    let policy = spec.field("fsGroupPolicy");
    if policy.is_set() {
        policy.one_of(&["File", "None", "ReadWriteOnceWithFSType"]);
    }
    token_requests(spec.field("tokenRequests"));
    let modes = spec.field("volumeLifecycleModes");
    for mode in modes.items() {
        // Upstream reports modes at the list.
        mode.reported_at(modes).one_of(&["Persistent", "Ephemeral"]);
    }
    let period = spec.field("nodeAllocatableUpdatePeriodSeconds");
    if period.opt_int().is_some_and(|seconds| seconds < MIN_UPDATE_SECONDS) {
        period.invalid("must be greater than or equal to 10 seconds");
    }
    let in_secrets = spec.field("serviceAccountTokenInSecrets");
    if in_secrets.is_set() && spec.field("tokenRequests").is_empty() {
        in_secrets.invalid("serviceAccountTokenInSecrets is set but no tokenRequests are specified");
    }
}

fn token_requests(requests: Field<'_>) {
    const MIN_SECONDS: i64 = 600;
    const MAX_SECONDS: i64 = 1 << 32;
    let mut audiences = BTreeSet::new();
    for request in requests.items() {
        let (audience, expiration) = (request.field("audience"), request.field("expirationSeconds"));
        if !audiences.insert(audience.str()) {
            audience.duplicate();
            continue;
        }
        match expiration.opt_int() {
            Some(seconds) if seconds < MIN_SECONDS => {
                expiration.invalid("may not specify a duration less than 10 minutes");
            }
            Some(seconds) if seconds > MAX_SECONDS => {
                expiration.invalid("may not specify a duration larger than 2^32 seconds");
            }
            _ => {}
        }
    }
}
