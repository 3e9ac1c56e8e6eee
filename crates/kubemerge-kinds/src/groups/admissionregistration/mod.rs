//! The group `admissionregistration.k8s.io`.

mod binding;
mod client_config;
mod expression;
mod match_condition;
mod mutating_policy;
mod param;
mod policy;
mod reserved_name;
mod rule;
mod validating_policy;
mod webhook;

pub(crate) use client_config::webhook_client;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[
    webhook::VALIDATING,
    webhook::MUTATING,
    validating_policy::KIND,
    binding::VALIDATING,
    mutating_policy::KIND,
    binding::MUTATING,
];
