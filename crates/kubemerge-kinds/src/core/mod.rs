//! The core group.

pub(crate) mod claim_spec;
mod config_map;
mod pod;
mod pod_prepare;
mod pod_resize;
pub(crate) mod pod_spec;
mod pod_status;
mod pod_status_update;
pub(crate) mod pod_template;
mod pod_update;
mod replication_controller;
mod service;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] =
    &[config_map::RULES, pod::RULES, pod_template::RULES, replication_controller::RULES, service::RULES];
