//! The group `storagemigration.k8s.io`.

mod storage_version_migration;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[storage_version_migration::RULES];
