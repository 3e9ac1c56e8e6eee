//! The group `storage.k8s.io`.

mod csi_driver;
mod csi_node;
mod csi_storage_capacity;
mod parameters;
mod storage_class;
mod volume_attachment;
mod volume_attributes_class;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[
    csi_driver::RULES,
    csi_node::RULES,
    csi_storage_capacity::RULES,
    storage_class::RULES,
    volume_attachment::RULES,
    volume_attributes_class::RULES,
];
