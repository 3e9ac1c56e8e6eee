//! Whether objects live in namespaces.

/// Whether objects of a kind live in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// They live in namespaces.
    Namespaced,
    /// They do not.
    Cluster,
}
