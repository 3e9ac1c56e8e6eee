//! Where Kubernetes keeps objects in etcd, which some messages tell.

/// The folder of a kind below the root of all objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageFolder {
    /// The plural name.
    Plural,
    /// Group and plural name.
    GroupAndPlural,
    /// A name from before the kind had its present one.
    Named(&'static str),
}
