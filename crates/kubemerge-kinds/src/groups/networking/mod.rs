//! The group `networking.k8s.io`.

mod ingress;
mod ingress_class;
mod ip_address;
mod network_policy;
mod reference;
mod service_cidr;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] =
    &[ingress::KIND, ingress_class::KIND, network_policy::KIND, ip_address::KIND, service_cidr::KIND];
