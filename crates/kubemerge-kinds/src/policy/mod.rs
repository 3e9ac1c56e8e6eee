//! The group `policy`.

mod pod_disruption_budget;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[pod_disruption_budget::RULES];
