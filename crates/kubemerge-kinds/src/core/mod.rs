//! The core group.

pub(crate) mod claim_spec;
mod config_map;
mod endpoints;
pub(crate) mod event;
mod limit_range;
mod namespace;
mod node;
pub(crate) mod persistent_volume;
mod persistent_volume_claim;
pub(crate) mod persistent_volume_spec;
mod pod;
mod pod_prepare;
mod pod_resize;
pub(crate) mod pod_spec;
mod pod_status;
mod pod_status_update;
pub(crate) mod pod_template;
mod pod_update;
mod replication_controller;
mod resource_quota;
mod secret;
pub(crate) mod service;
mod service_account;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[
    config_map::RULES,
    endpoints::RULES,
    event::RULES,
    limit_range::RULES,
    namespace::RULES,
    node::RULES,
    persistent_volume::RULES,
    persistent_volume_claim::RULES,
    pod::RULES,
    pod_template::RULES,
    replication_controller::RULES,
    resource_quota::RULES,
    secret::RULES,
    service::RULES,
    service_account::RULES,
];
