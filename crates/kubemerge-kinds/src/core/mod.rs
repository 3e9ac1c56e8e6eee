//! The core group.

mod config_map;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[config_map::RULES];
