//! The kinds of the group `lifecycle.k8s.io`.

mod eviction;
mod eviction_request;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[eviction::KIND, eviction_request::KIND];
