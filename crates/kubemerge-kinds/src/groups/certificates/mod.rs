//! The group `certificates.k8s.io`.

mod content;
mod pod_certificate_request;
mod signing_request;
mod signing_request_update;
mod trust_bundle;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] =
    &[signing_request::KIND, trust_bundle::KIND, pod_certificate_request::KIND];
