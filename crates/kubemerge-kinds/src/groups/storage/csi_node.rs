//! CSINode.

use std::collections::BTreeSet;

use crate::columns::{AGE, Cell, KindColumn, NAME};
use crate::field::Field;
use crate::format::qualified_name;
use crate::groups::core_v1::pod_spec::csi_driver_name;
use crate::registry::{
    DeleteAnswer, KindEntry, Permission, Presentation, Strategy, SubresourceRules, ValidationRules,
};
use crate::tree::{Arena, Map};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "CSINode",
    strategy: Strategy {
        unconditional_update: Permission::Denied,
        delete_answer: DeleteAnswer::Object,
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        object: |node| drivers(node.fields(["spec", "drivers"])),
        update: validate_update,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        prepare_update: |node, old, _| drop_disabled_fields(node, old),
        ..SubresourceRules::STATUS_ALONE
    }],
    presentation: Presentation {
        columns: &[NAME, KindColumn::integer("Drivers", Cell::Count("/spec/drivers")), AGE],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

/// The health of storage is off by default.
fn drop_disabled_fields(node: &mut Map<'_>, old: &Map<'_>) {
    let is_stored = old.map("status").is_some_and(|status| !status.list("storageHealth").is_empty());
    if let Some(status) = node.map_mut("status")
        && !is_stored
    {
        status.remove("storageHealth");
    }
}

fn drivers(drivers: Field<'_>) {
    const MAX_NODE_ID: usize = 256;
    let mut names = BTreeSet::new();
    for driver in drivers.items() {
        let (name, id) = (driver.field("name"), driver.field("nodeID"));
        csi_driver_name(name);
        id.require("");
        if id.str().len() > MAX_NODE_ID {
            id.invalid(format!("must be {MAX_NODE_ID} characters or less"));
        }
        driver.fields(["allocatable", "count"]).check_not_negative();
        if !names.insert(name.str()) {
            name.duplicate();
        }
        topology_keys(driver);
    }
}

/// Upstream reports keys at the path of the driver.
fn topology_keys(driver: Field<'_>) {
    let mut known = BTreeSet::new();
    for key in driver.field("topologyKeys").items().map(|key| key.reported_at(driver)) {
        key.require("");
        if !known.insert(key.str()) {
            key.duplicate();
        }
        key.check(qualified_name);
    }
}

/// Of a driver only the count of volumes changes.
fn validate_update(node: Field<'_>, old: Field<'_>) {
    let drivers = node.fields(["spec", "drivers"]);
    for before in old.fields(["spec", "drivers"]).items() {
        let is_same_name = |driver: &Field<'_>| driver.field("name").str() == before.field("name").str();
        for driver in drivers.items().filter(is_same_name) {
            let arena = Arena::new();
            let [now, then] = [driver, before].map(|driver| {
                let mut copy = driver.map().map_or_else(|| Map::new_in(&arena), |map| map.copy_in(&arena));
                copy.remove("allocatable");
                copy
            });
            if !now.same_in_go(&then) {
                let now = drivers.with_copy_of(&crate::tree::Value::Map(now));
                now.invalid_struct("*storage.CSINodeDriver", "field is immutable");
            }
        }
    }
}
