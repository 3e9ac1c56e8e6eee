//! The group `coordination.k8s.io`.

mod lease;
mod lease_candidate;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[lease::KIND, lease_candidate::KIND];
