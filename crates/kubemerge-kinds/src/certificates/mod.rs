//! The group `certificates.k8s.io`.

mod content;
mod der;
mod pem;
mod pod_certificate_request;
mod signing_request;
mod signing_request_update;
mod trust_bundle;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] =
    &[signing_request::RULES, trust_bundle::RULES, pod_certificate_request::RULES];
