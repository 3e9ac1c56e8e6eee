//! The group `autoscaling`.

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[];
