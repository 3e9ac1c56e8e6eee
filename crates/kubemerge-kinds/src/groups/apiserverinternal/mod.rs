//! The kinds of the group `internal.apiserver.k8s.io`.

mod storage_version;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[storage_version::KIND];
