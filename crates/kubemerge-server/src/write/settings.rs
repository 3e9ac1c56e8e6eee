//! What can be chosen about writes.

/// Whether dependents are deleted with their owners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GarbageCollection {
    /// Within the request that deletes the owner.
    #[default]
    Synchronous,
    /// Never.
    Off,
}

/// What happens to namespaces that a new object names and that do not exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MissingNamespaces {
    /// The request is refused, as Kubernetes does.
    #[default]
    Refused,
    /// They are created.
    Created,
}

/// When pods that are deleted gracefully are removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PodTermination {
    /// When a kubelet, or a test in its place, deletes them with grace period 0.
    #[default]
    ByKubelet,
    /// With the request that deletes them.
    Immediate,
}

/// The settings of all writes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WriteSettings {
    pub(crate) garbage_collection: GarbageCollection,
    pub(crate) missing_namespaces: MissingNamespaces,
    pub(crate) pod_termination: PodTermination,
}
