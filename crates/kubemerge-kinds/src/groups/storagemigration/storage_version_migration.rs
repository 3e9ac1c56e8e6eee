//! StorageVersionMigration.

use crate::columns::{Cell, KindColumn, NAME, control};
use crate::field::Field;
use crate::format::{dns1035_label, dns1123_subdomain};
use crate::meta::conditions;
use crate::registry::{KindEntry, Permission, Presentation, Strategy, SubresourceRules, ValidationRules};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "StorageVersionMigration",
    strategy: Strategy { unconditional_update: Permission::Denied, ..Strategy::WITH_STATUS },
    validation: ValidationRules {
        object: validate,
        update: |migration, old| {
            let go_type = "storagemigration.StorageVersionMigrationSpec";
            migration.field("spec").check_immutable_struct(old.field("spec"), go_type);
        },
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        validate_update: |migration, old| status(migration.field("status"), old.field("status")),
        ..SubresourceRules::STATUS_ALONE
    }],
    presentation: Presentation {
        columns: &[
            // Upstream: the name of this kind is a plain text.
            KindColumn { format: "", ..NAME },
            KindColumn::string("Resource", Cell::Computed(control::migrated_resource)),
            KindColumn::string("Status", Cell::Computed(control::migration_status)),
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

fn validate(migration: Field<'_>) {
    let resource = migration.fields(["spec", "resource"]);
    let (name, group) = (resource.field("resource"), resource.field("group"));
    if !name.require("resource is required to be set") {
        joined(name, dns1035_label(name.str()));
    }
    if !group.is_empty() {
        joined(group, dns1123_subdomain(group.str()));
    }
}

fn joined(field: Field<'_>, problems: Vec<String>) {
    if !problems.is_empty() {
        field.invalid(problems.join(","));
    }
}

fn status(status: Field<'_>, old: Field<'_>) {
    let (version, stored) = (status.field("resourceVersion"), old.field("resourceVersion"));
    if let Some(problem) = version_problem(version.str()) {
        version.invalid(problem);
    }
    let conditions = status.field("conditions");
    self::conditions(conditions);
    if !stored.is_empty() && stored.str() != version.str() {
        version.invalid("field is immutable");
    }
    let is_true = |status: Field<'_>, kind: &str| {
        let conditions = status.field("conditions");
        let found = conditions.items().find(|one| one.field("type").str() == kind);
        found.is_some_and(|condition| condition.field("status").str() == "True")
    };
    let go_type = "[]metav1.Condition";
    if is_true(status, "Succeeded") && is_true(status, "Failed") {
        let message = "Both success and failed conditions cannot be true at the same time";
        conditions.invalid_struct(go_type, message);
    }
    for (kind, word) in [("Succeeded", "Success"), ("Failed", "Failed")] {
        if is_true(old, kind) && !is_true(status, kind) {
            let message = format!("{word} condition cannot be set to false once it is true");
            conditions.invalid_struct(go_type, message);
        }
    }
}

/// Resource versions that can be compared are whole numbers without leading zeros.
fn version_problem(version: &str) -> Option<String> {
    let is_number = version.bytes().all(|byte| byte.is_ascii_digit()) && !version.starts_with('0');
    (!is_number).then(|| format!("resource version is not well formed: {version}"))
}
