//! The group `storagemigration.k8s.io`.

mod storage_version_migration;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[storage_version_migration::KIND];
