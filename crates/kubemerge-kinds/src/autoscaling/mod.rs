//! The group `autoscaling`.

mod autoscaler;
mod autoscaler_v1;
mod autoscaler_v2;
mod behavior;
mod conversion;
mod conversion_metrics;
mod metrics;
mod reference;

pub use conversion::{autoscaler_to_v1, autoscaler_to_v2};

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[autoscaler_v1::RULES, autoscaler_v2::RULES];
