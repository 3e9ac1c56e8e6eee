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

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] =
    &[controller_revision::KIND, daemon_set::KIND, deployment::KIND, replica_set::KIND, stateful_set::KIND];
