//! The group `apps`.

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[];
