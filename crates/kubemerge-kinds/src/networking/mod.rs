//! The group `networking.k8s.io`.

mod ingress;
mod ingress_class;
mod ip_address;
mod network_policy;
mod service_cidr;

use crate::field::Field;
use crate::format::path_segment_name;
use crate::registry::Rules;

pub(crate) const RULES: &[Rules] =
    &[ingress::RULES, ingress_class::RULES, network_policy::RULES, ip_address::RULES, service_cidr::RULES];

/// A required part of a reference that becomes part of a path.
fn required_path_segment(field: Field<'_>) {
    if !field.require("") {
        field.check(path_segment_name);
    }
}
