//! The group `discovery.k8s.io`.

mod endpoint_slice;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[endpoint_slice::KIND];
