//! The group `flowcontrol.apiserver.k8s.io`.

mod flow_schema;
mod priority_level;
mod status;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[flow_schema::RULES, priority_level::RULES];
