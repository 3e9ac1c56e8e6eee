//! The group `node.k8s.io`.

mod runtime_class;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[runtime_class::RULES];
