//! The group `storagemigration.k8s.io`.

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[];
