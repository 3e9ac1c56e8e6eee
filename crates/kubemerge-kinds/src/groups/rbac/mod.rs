//! The group `rbac.authorization.k8s.io`.

mod binding;
mod role;

use crate::registry::KindEntry;

/// The group's name, which references to its roles and subjects carry.
const GROUP: &str = "rbac.authorization.k8s.io";

pub(crate) const KINDS: &[KindEntry] =
    &[role::ROLE, role::CLUSTER_ROLE, binding::ROLE_BINDING, binding::CLUSTER_ROLE_BINDING];
