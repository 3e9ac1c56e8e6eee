//! The group `batch`.

mod cron_job;
mod cron_schedule;
mod failure_policy;
mod indexes;
mod job;
mod job_spec;
mod job_status;
mod job_template_update;
mod success_policy;
mod time_zone;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[cron_job::KIND, job::KIND];
