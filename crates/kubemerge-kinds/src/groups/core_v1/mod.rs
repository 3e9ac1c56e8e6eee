//! The core group.

mod binding;
pub(crate) mod claim_spec;
mod component_status;
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

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[
    binding::KIND,
    component_status::KIND,
    config_map::KIND,
    endpoints::KIND,
    event::KIND,
    limit_range::KIND,
    namespace::KIND,
    node::KIND,
    persistent_volume::KIND,
    persistent_volume_claim::KIND,
    pod::KIND,
    pod_template::KIND,
    replication_controller::KIND,
    resource_quota::KIND,
    secret::KIND,
    service::KIND,
    service_account::KIND,
];
