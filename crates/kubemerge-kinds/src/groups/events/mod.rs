//! The group `events.k8s.io`.

mod event;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[event::KIND];
