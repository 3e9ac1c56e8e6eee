//! What can be chosen about writes.

use crate::{protocol::address_range::AddressRange, store::StoreError};

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

/// A controller of kube-controller-manager whose work this server does within the request that causes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controller {
    /// Dependents go with their owners; the finalizers of foreground deletion and of orphans are removed.
    GarbageCollector,
    /// Namespaces that are being deleted are emptied, then removed.
    Namespace,
    /// The status of ResourceQuotas, where the admission plugin is on.
    ResourceQuota,
    /// Claims, volumes and classes of volumes that are being deleted go when nothing uses them.
    StorageProtection,
}

impl Controller {
    /// All of them.
    pub const ALL: [Controller; 4] = [
        Controller::GarbageCollector,
        Controller::Namespace,
        Controller::ResourceQuota,
        Controller::StorageProtection,
    ];
}

/// The controllers that run: all by default.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Controllers {
    off: u8,
}

impl Controllers {
    pub(crate) fn set(&mut self, running: &[Controller]) {
        let off = Controller::ALL.into_iter().filter(|one| !running.contains(one));
        self.off = off.fold(0, |off, one| off | 1 << one as u8);
    }

    pub(crate) fn stop(&mut self, controller: Controller) {
        self.off |= 1 << controller as u8;
    }

    pub(crate) fn has(self, controller: Controller) -> bool {
        self.off & 1 << controller as u8 == 0
    }
}

/// How large an object may be that is stored: kube-apiserver has the limits of etcd, whatever keeps the objects here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectSizeLimit {
    /// As etcd's flag `--max-request-bytes`.
    pub(crate) max_request_bytes: usize,
}

/// By how much a message to etcd may be larger than the request in it.
const MESSAGE_OVERHEAD_BYTES: usize = 512 * 1024;

impl Default for ObjectSizeLimit {
    fn default() -> Self {
        // The default of etcd.
        ObjectSizeLimit { max_request_bytes: 1_572_864 }
    }
}

impl ObjectSizeLimit {
    /// Refuses an object of this many bytes, in the words of etcd and its client.
    pub(crate) fn check(self, bytes: usize) -> Result<(), StoreError> {
        let max_message = self.max_request_bytes.saturating_add(MESSAGE_OVERHEAD_BYTES);
        if bytes > max_message {
            return Err(StoreError::too_large(format!(
                "rpc error: code = ResourceExhausted desc = trying to send message larger than max \
                 ({bytes} vs. {max_message})"
            )));
        }
        if bytes > self.max_request_bytes {
            return Err(StoreError::too_large("etcdserver: request is too large"));
        }
        Ok(())
    }
}

/// The settings of all writes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WriteSettings {
    pub(crate) controllers: Controllers,
    pub(crate) missing_namespaces: MissingNamespaces,
    pub(crate) pod_termination: PodTermination,
    pub(crate) plugins: AdmissionPlugins,
    /// The addresses of Services.
    pub(crate) service_range: AddressRange,
    pub(crate) object_size: ObjectSizeLimit,
}
