//! VolumeAttributesClass.

use super::parameters::{self, Least, driver};
use crate::registry::Rules;

pub(super) const RULES: Rules = Rules {
    kind: "VolumeAttributesClass",
    validate: |class| {
        driver(class.field("driverName"));
        parameters::validate(class.field("parameters"), Least::One);
    },
    validate_update: |class, old| {
        for name in ["driverName", "parameters"] {
            if !class.field(name).same_as(old.field(name)) {
                class.field(name).forbidden(format!("updates to {name} are forbidden."));
            }
        }
    },
    ..Rules::CLUSTER
};
