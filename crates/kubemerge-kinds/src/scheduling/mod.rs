//! The group `scheduling.k8s.io`.

mod priority_class;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[priority_class::RULES];
