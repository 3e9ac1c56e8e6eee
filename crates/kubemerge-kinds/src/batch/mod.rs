//! The group `batch`.

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[];
