//! Overlays: a caller's own rules for some fields, in place of the published ones.
//!
//! An overlay acts in [`Dialect::Spec`](crate::Dialect) only; in `upstream`, which is what Kubernetes does,
//! it is ignored with a warning. As a document it is a list of rules. Each names a field, by definition and
//! field or by kind and path, and gives keys, a strategy, or both:
//!
//! ```yaml
//! rules:
//! - definition: ServiceSpec        # full name, or the last part where that is unique
//!   field: ports
//!   keys: [name, port]             # used as they are; never widened
//!   defaults: {protocol: TCP}      # optional: values of keys that an item lacks
//! - kind: apps/v1/Deployment
//!   path: spec.strategy            # steps through lists silently
//!   strategy: retainKeys           # merge, replace, retainKeys, or merge,retainKeys
//! ```
//!
//! A rule belongs to the type that holds the field, so `v1/Pod` with `spec.containers` changes the
//! containers of deployments too. Keys without a strategy mean `merge`; a strategy without keys keeps the
//! published keys.

mod apply;
mod design_documents;
mod read;
mod rule;

pub(crate) use apply::{apply, has_type};
pub use rule::{Overlay, OverlayRule, OverlayTarget, Presence};
