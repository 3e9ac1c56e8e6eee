//! The group `apiregistration.k8s.io`.

mod api_service;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[api_service::RULES];
