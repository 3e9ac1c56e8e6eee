//! The group `resource.k8s.io`.

mod capacity;
mod claim;
mod claim_spec;
mod claim_status;
mod config;
mod device;
mod device_class;
mod names;
mod selector;
mod slice;
mod taint;
mod taint_rule;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] =
    &[claim::CLAIM, claim::TEMPLATE, device_class::RULES, slice::RULES, taint_rule::RULES];
