//! The group `apiextensions.k8s.io`.

mod approval;
mod columns;
mod conversion;
mod definition;
mod internal_spec;
mod rule_budget;
mod schema;
mod spec;
mod validation_rules;
mod warnings;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[definition::KIND];
