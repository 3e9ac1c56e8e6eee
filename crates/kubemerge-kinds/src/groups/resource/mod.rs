//! The group `resource.k8s.io`.

mod capacity;
mod claim;
mod claim_spec;
mod claim_status;
mod config;
mod device;
mod device_class;
mod names;
mod pool_status_request;
mod selector;
mod slice;
mod taint;
mod taint_rule;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[
    claim::CLAIM,
    claim::TEMPLATE,
    device_class::KIND,
    slice::KIND,
    taint_rule::KIND,
    pool_status_request::KIND,
];
