//! The group `flowcontrol.apiserver.k8s.io`.

mod flow_schema;
mod priority_level;
mod status;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[flow_schema::KIND, priority_level::KIND];
