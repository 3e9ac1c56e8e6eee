//! VolumeAttributesClass.

use super::parameters::{self, Least, driver};
use crate::columns::{AGE, Cell, KindColumn, NAME};
use crate::field::Field;
use crate::registry::{DeleteAnswer, KindEntry, OnUpdate, Presentation, Strategy, ValidationRules};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "VolumeAttributesClass",
    strategy: Strategy { delete_answer: DeleteAnswer::Object, ..Strategy::DEFAULT },
    validation: ValidationRules {
        object: validate,
        update: |class, old| {
            for name in ["driverName", "parameters"] {
                if !class.field(name).same_as(old.field(name)) {
                    class.field(name).forbidden(format!("updates to {name} are forbidden."));
                }
            }
            validate(class);
        },
        on_update: OnUpdate::ValidateMetadata,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[NAME, KindColumn::string("DriverName", Cell::Text("/driverName")), AGE],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

fn validate(class: Field<'_>) {
    driver(class.field("driverName"));
    parameters::validate(class.field("parameters"), Least::One);
}
