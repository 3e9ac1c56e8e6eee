//! ConfigMap.

use crate::columns::{AGE, Cell, KindColumn, NAME, control};
use crate::field::Field;
use crate::format::config_map_key;
use crate::registry::{KindEntry, Presentation, ValidationRules};
use crate::typed::base64;

/// What all values of an object may measure together.
const MAX_DATA_BYTES: usize = 1024 * 1024;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "ConfigMap",
    validation: ValidationRules { object: validate, update: validate_update, ..ValidationRules::DEFAULT },
    presentation: Presentation {
        columns: &[NAME, KindColumn::string("Data", Cell::ComputedValue(control::data_count)), AGE],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

fn validate(map: Field<'_>) {
    let (data, binary) = (map.field("data"), map.field("binaryData"));
    let mut bytes = 0;
    for (key, value) in data.entries() {
        value.report_key_problems(key);
        // Both kinds of data become files of one folder when they are mounted.
        if binary.key(key).is_set() {
            value.invalid_as(key, "duplicate of key present in binaryData");
        }
        bytes += value.str().len();
    }
    for (key, value) in binary.entries() {
        value.report_key_problems(key);
        bytes += base64::decoded_len(value.str());
    }
    if bytes > MAX_DATA_BYTES {
        // Kubernetes reports this without a path, which prints as empty.
        map.reported_at_nothing().too_long(MAX_DATA_BYTES);
    }
}

fn validate_update(map: Field<'_>, old: Field<'_>) {
    // Only a new object takes the place of one that was made immutable.
    if old.field("immutable").bool() {
        let immutable = map.field("immutable");
        if !immutable.bool() {
            immutable.forbidden("field is immutable when `immutable` is set");
        }
        for name in ["data", "binaryData"] {
            let field = map.field(name);
            if !field.same_as(old.field(name)) {
                field.forbidden("field is immutable when `immutable` is set");
            }
        }
    }
}

impl Field<'_> {
    /// Reports what is wrong with a key of the data of a ConfigMap or Secret.
    pub(super) fn report_key_problems(self, key: &str) {
        config_map_key(key).into_iter().for_each(|problem| self.invalid_as(key, problem));
    }
}
