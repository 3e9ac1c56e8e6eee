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

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[
    webhook::VALIDATING,
    webhook::MUTATING,
    validating_policy::RULES,
    binding::VALIDATING,
    mutating_policy::RULES,
    binding::MUTATING,
];
