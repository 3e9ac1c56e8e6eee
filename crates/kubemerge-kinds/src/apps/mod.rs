//! The group `apps`.

mod annotation;
mod controller_revision;
mod daemon_set;
mod deployment;
mod replica_set;
pub(crate) mod rolling_update;
mod stateful_set;
mod stateful_set_defaults;
mod workload;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[
    controller_revision::RULES,
    daemon_set::RULES,
    deployment::RULES,
    replica_set::RULES,
    stateful_set::RULES,
];
