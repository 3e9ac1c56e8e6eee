//! The group `discovery.k8s.io`.

mod endpoint_slice;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[endpoint_slice::RULES];
