//! The group `policy`.

mod pod_disruption_budget;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[pod_disruption_budget::KIND];
