//! The group `autoscaling`.

mod autoscaler;
mod autoscaler_v1;
mod autoscaler_v2;
mod behavior;
mod conversion;
mod conversion_metrics;
mod metrics;
mod reference;
mod scale;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] =
    &[autoscaler_v1::KIND, autoscaler_v2::KIND, autoscaler::OLDER, scale::KIND];
