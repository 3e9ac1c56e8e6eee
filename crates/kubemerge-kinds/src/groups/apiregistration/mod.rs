//! The group `apiregistration.k8s.io`.

mod api_service;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[api_service::KIND];
