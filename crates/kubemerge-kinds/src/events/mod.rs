//! The group `events.k8s.io`.

mod event;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[event::RULES];
