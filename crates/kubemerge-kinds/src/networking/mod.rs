//! The group `networking.k8s.io`.

mod ingress;
mod ingress_class;
mod ip_address;
mod network_policy;
mod reference;
mod service_cidr;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] =
    &[ingress::RULES, ingress_class::RULES, network_policy::RULES, ip_address::RULES, service_cidr::RULES];
