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

/// An admission plugin of kube-apiserver that is off unless it is asked for, because it needs objects that other
/// components of a cluster create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdmissionPlugin {
    /// New containers get the defaults of the namespace's LimitRanges; pods and claims beyond their limits are refused.
    LimitRanger,
    /// Objects for which a ResourceQuota has no room are refused; the status of quotas shows what is used.
    ResourceQuota,
    /// New pods get a service account, which must exist, with its token and pull secrets.
    ServiceAccount,
}

/// The plugins that are on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AdmissionPlugins(u8);

impl AdmissionPlugins {
    pub(crate) fn add(&mut self, plugin: AdmissionPlugin) {
        self.0 |= 1 << plugin as u8;
    }

    pub(crate) fn has(self, plugin: AdmissionPlugin) -> bool {
        self.0 & 1 << plugin as u8 != 0
    }
}

/// The settings of all writes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WriteSettings {
    pub(crate) garbage_collection: GarbageCollection,
    pub(crate) missing_namespaces: MissingNamespaces,
    pub(crate) pod_termination: PodTermination,
    pub(crate) plugins: AdmissionPlugins,
}
