//! The group `policy`.

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[];
