//! ControllerRevision.

use crate::columns::{AGE, Cell, KindColumn, NAME, control};
use crate::field::Field;
use crate::registry::{KindEntry, Presentation, ValidationRules};
use crate::tree::Value;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "ControllerRevision",
    validation: ValidationRules {
        object: |revision| revision.field("revision").check_not_negative(),
        new_only: |revision| data(revision.field("data")),
        update: |revision, old| {
            revision.field("data").check_immutable(old.field("data"));
        },
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Controller", Cell::Computed(control::controller)),
            KindColumn::string("Revision", Cell::Number("/revision")),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

fn data(data: Field<'_>) {
    match data.value() {
        None => data.required("data is mandatory"),
        Some(Value::Map(_)) => {}
        // Upstream: data of another type is reported as missing.
        Some(_) => data.required("data must be a valid JSON object"),
    }
}
