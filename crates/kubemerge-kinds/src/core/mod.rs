//! The core group.

pub(crate) mod claim_spec;
mod config_map;
mod pod;
pub(crate) mod pod_spec;
pub(crate) mod pod_template;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[config_map::RULES, pod::RULES, pod_template::RULES];
