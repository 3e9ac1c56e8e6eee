//! The identity of a new object: its uid, when it was created, and its first generation.

use crate::{
    catalog::{Resource, cluster::Cluster},
    object::Object,
};

/// Gives a new object its identity.
pub(crate) fn set_identity(cluster: &Cluster, resource: &Resource, object: &mut Object) {
    let generation = resource.strategy.generation.first();
    object.metadata.set_identity(&cluster.clock.now().text(), generation, &cluster.entropy.uid());
}
