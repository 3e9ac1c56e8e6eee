//! The group `scheduling.k8s.io`.

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[];
