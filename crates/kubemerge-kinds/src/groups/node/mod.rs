//! The group `node.k8s.io`.

mod runtime_class;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[runtime_class::KIND];
