//! What the admission plugins and allocators of the API server do to objects, as functions of the object and of facts
//! that a server looks up: classes, free addresses.
//!
//! The rules of a kind ([`crate::groups`]) run after these. Plugins that only need metadata are part of the server.

mod classes;
mod node;
mod pod;
mod warnings;

pub use classes::{DefaultClass, newest_default, set_claim_class, set_ingress_class};
pub use node::add_not_ready_taint;
pub use pod::{PriorityOfClass, add_default_tolerations, keep_priority, set_overhead, set_priority};

pub use warnings::warnings;

pub use crate::core::service::allocate::{AllocationError, Allocator, addresses, allocate, node_ports};
