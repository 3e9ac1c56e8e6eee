//! Pod specs: of Pods and of everything with a pod template.
//!
//! [`defaults`] and [`validate`] are for the spec itself; `pod_template.rs` adds what templates have around it.

mod defaults;
mod image;
mod spec;
mod volume_defaults;

pub(crate) use defaults::{defaults, pod_defaults, resource_list};
pub(crate) use spec::validate;
#[allow(unused_imports, reason = "persistent volumes have the same sources")]
pub(crate) use volume_defaults::storage_systems;
