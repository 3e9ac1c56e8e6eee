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

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[cron_job::RULES, job::RULES];
