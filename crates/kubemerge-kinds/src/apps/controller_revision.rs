//! ControllerRevision.

use crate::field::Field;
use crate::registry::Rules;
use crate::tree::Value;

pub(super) const RULES: Rules = Rules {
    kind: "ControllerRevision",
    validate: |revision| revision.field("revision").check_not_negative(),
    validate_create_only: |revision| data(revision.field("data")),
    validate_update: |revision, old| {
        revision.field("data").check_immutable(old.field("data"));
    },
    ..Rules::NAMESPACED
};

fn data(data: Field<'_>) {
    match data.value() {
        None => data.required("data is mandatory"),
        Some(Value::Map(_)) => {}
        // Upstream: data of another type is reported as missing.
        Some(_) => data.required("data must be a valid JSON object"),
    }
}
