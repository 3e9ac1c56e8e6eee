//! CSIDriver.

use std::collections::BTreeSet;

use crate::columns::{AGE, Cell, KindColumn, NAME, storage};
use crate::field::Field;
use crate::registry::{
    Context, DecodeRules, DeleteAnswer, GenerationRule, KindEntry, OnUpdate, Permission, Presentation,
    Strategy, ValidationRules,
};
use crate::tree::{List, Map, Value};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "CSIDriver",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        generation: GenerationRule::SpecFromZero,
        unconditional_update: Permission::Denied,
        delete_answer: DeleteAnswer::Object,
        ..Strategy::DEFAULT
    },
    validation: ValidationRules {
        object: |driver| spec(driver.field("spec")),
        update: |driver, old| {
            let (spec, old) = (driver.field("spec"), old.field("spec"));
            // Upstream misspells the field.
            spec.field("attachRequired")
                .renamed("attachedRequired")
                .check_immutable(old.field("attachRequired"));
            spec.field("volumeLifecycleModes").check_immutable(old.field("volumeLifecycleModes"));
        },
        on_update: OnUpdate::ValidateObject,
        warnings,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::boolean("AttachRequired", Cell::ComputedValue(storage::attach_required)),
            KindColumn::boolean("PodInfoOnMount", Cell::Flag("/spec/podInfoOnMount")),
            KindColumn::boolean("StorageCapacity", Cell::Flag("/spec/storageCapacity")),
            KindColumn::string("TokenRequests", Cell::Computed(storage::token_requests)),
            KindColumn::boolean("RequiresRepublish", Cell::Flag("/spec/requiresRepublish")),
            KindColumn::string("Modes", Cell::Computed(storage::lifecycle_modes)),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
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

/// Tokens of a driver end up in attributes of volumes unless the driver says otherwise.
fn warnings(driver: Field<'_>, old: Option<Field<'_>>) -> Vec<String> {
    let spec = driver.field("spec");
    let requests = spec.field("tokenRequests");
    let is_changed = old.is_none_or(|old| !requests.same_as(old.fields(["spec", "tokenRequests"])));
    if !is_changed || requests.is_empty() || spec.field("serviceAccountTokenInSecrets").is_set() {
        return Vec::new();
    }
    let warning = "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent \
                   possible logging of tokens in volume attributes";
    vec![warning.into()]
}
