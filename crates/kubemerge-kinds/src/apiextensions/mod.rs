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

pub(crate) use warnings::warnings;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] = &[definition::RULES];
