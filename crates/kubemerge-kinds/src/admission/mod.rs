//! What the admission plugins and allocators of the API server do to objects, as functions of the object and of facts
//! that a server looks up: classes, free addresses.
//!
//! The rules of a kind ([`crate::groups`]) run after these. Plugins that only need metadata are part of the server.

mod amounts;
mod classes;
mod limit_ranges;
mod node;
mod pod;
mod quotas;
mod service_account;
mod signing_request;

pub(crate) use amounts::of_containers;
pub use amounts::{ResourceAmount, ResourceAmounts};
pub use classes::{DefaultClass, newest_default, set_claim_class, set_ingress_class};
pub use limit_ranges::{check_claim_limits, check_pod_limits, set_container_limits};
pub use node::add_not_ready_taint;
pub use pod::{
    PodRefusal, PriorityOfClass, add_default_tolerations, check_overhead, keep_priority, set_overhead,
    set_priority, set_scheduling, set_topology_labels,
};
pub use quotas::{
    QuotaResource, add_usage, exceeded, is_in_scope, missing_requests, quota_limits, quota_status,
    quota_usage,
};
pub use service_account::{is_mirror_pod, set_account_parts, set_default_account};
pub use signing_request::check_subject;

pub use crate::groups::core_v1::service::allocate::{
    AllocationError, Allocator, Unavailable, addresses, allocate, node_ports,
};
