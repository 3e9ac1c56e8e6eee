//! IPAddress: an address that is taken.

use super::reference::{declared_path_segment, required_path_segment};
use crate::columns::{AGE, Cell, KindColumn, NAME, network};
use crate::field::{BadValue, Field};
use crate::format::{dns1123_subdomain, path_segment_name, strict_ip};
use crate::meta::NameRule;
use crate::registry::{KindEntry, OnUpdate, Presentation, Strategy, ValidationRules};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "IPAddress",
    strategy: Strategy { name: NameRule::Custom(strict_ip), ..Strategy::DEFAULT },
    validation: ValidationRules {
        object: |address| validate(address, declared_path_segment),
        update: validate_update,
        on_update: OnUpdate::ValidateMetadata,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("ParentRef", Cell::Computed(network::parent_ref)),
            // Upstream: there is a cell for the age without a column.
            KindColumn { name: "", ..AGE },
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

fn validate(address: Field<'_>, required: fn(Field<'_>)) {
    let parent = address.fields(["spec", "parentRef"]);
    if !parent.is_set() {
        return parent.required("");
    }
    if !parent.field("group").is_empty() {
        parent.field("group").check(dns1123_subdomain);
    }
    required(parent.field("resource"));
    required(parent.field("name"));
    if !parent.field("namespace").is_empty() {
        parent.field("namespace").check(path_segment_name);
    }
}

fn validate_update(address: Field<'_>, old: Field<'_>) {
    let parent = address.fields(["spec", "parentRef"]);
    let is_kept = parent.same_as(old.fields(["spec", "parentRef"]));
    // Upstream: declared rules do not look into what may not change and has changed.
    validate(address, if is_kept { declared_path_segment } else { required_path_segment });
    if !is_kept {
        // Upstream: the declarative rule does not tell the value.
        parent.declared().invalid_as(BadValue::null(), "field is immutable");
    }
}
