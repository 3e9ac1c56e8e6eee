//! The group `coordination.k8s.io`.

mod lease;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[lease::RULES];
