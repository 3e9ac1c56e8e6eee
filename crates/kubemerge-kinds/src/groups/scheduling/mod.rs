//! The group `scheduling.k8s.io`.

mod composite_pod_group;
mod pod_group;
mod priority_class;
mod workload;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] =
    &[composite_pod_group::KIND, pod_group::KIND, priority_class::KIND, workload::KIND];
