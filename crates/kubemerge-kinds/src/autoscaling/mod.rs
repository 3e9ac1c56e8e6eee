//! The group `autoscaling`.

mod autoscaler;
mod autoscaler_v1;
mod autoscaler_v2;
mod behavior;
mod metrics;
mod reference;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[autoscaler_v1::RULES, autoscaler_v2::RULES];
