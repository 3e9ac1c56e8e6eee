//! Pod specs: of Pods and of everything with a pod template.
//!
//! [`defaults`] and [`validate`] are for the spec itself; `pod_template.rs` adds what templates have around it.

mod affinity;
mod annotations;
mod containers;
mod defaults;
mod disabled;
mod dns;
mod env;
mod handlers;
mod image;
mod operating_system;
mod paths;
mod pod_level;
mod pod_of;
mod profiles;
mod projected;
mod resources;
mod security;
mod spec;
mod tolerations;
mod topology;
mod volume_defaults;
mod volume_mounts;
mod volume_sources;
mod volumes;
mod warnings;

#[allow(unused_imports, reason = "kinds with pod specs, claims and volumes share these rules")]
pub(crate) use self::{
    affinity::node_selector,
    annotations::{match_annotations, pod_annotations},
    containers::trimmed_image,
    defaults::{defaults, pod_defaults, resource_list},
    disabled::drop_disabled_fields,
    handlers::port_number_or_name,
    paths::no_backsteps,
    pod_level::complete as complete_pod_level,
    pod_of::PodOf,
    projected::signer_name,
    resources::{
        container_resource_name, is_extended, is_native, is_standard, overcommits, overhead, quantity_value,
        resource_name,
    },
    spec::validate,
    tolerations::{taint_effect, tolerations},
    volume_defaults::storage_systems,
    volume_sources::{csi_driver_name, is_iscsi_name, source as volume_source},
    warnings::{is_counted, template_warnings, warnings},
};

use crate::field::Field;

/// All containers of a pod spec: init, regular and ephemeral ones.
fn all_containers(spec: Field<'_>) -> impl Iterator<Item = Field<'_>> {
    let lists = ["initContainers", "containers", "ephemeralContainers"];
    lists.into_iter().flat_map(move |name| spec.field(name).items())
}
