//! The core group.

mod config_map;
mod pod;
pub(crate) mod pod_spec;
pub(crate) mod pod_template;

use crate::registry::{Context, Rules};
use crate::tree::Map;

pub(crate) const RULES: &[Rules] = &[config_map::RULES, pod::RULES, pod_template::RULES];

/// Defaults of the spec of a claim: of claims, of their templates and of ephemeral volumes.
pub(crate) fn claim_spec_defaults(spec: &mut Map<'_>, _context: Context) {
    spec.set_if_absent("volumeMode", "Filesystem");
    if let Some(resources) = spec.map_mut("resources") {
        pod_spec::resource_list(resources, "limits");
        pod_spec::resource_list(resources, "requests");
    }
}
