//! Which namespaces objects may be created in, and which may be deleted. The caller knows which namespaces there are.

/// The namespaces that every cluster begins with.
pub const INITIAL_NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// Those that may not be deleted.
const IMMORTAL_NAMESPACES: [&str; 3] = ["default", "kube-system", "kube-public"];

/// What a caller knows about a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamespaceState {
    /// No namespace has this name.
    Missing,
    /// Objects may be created in it.
    Open,
    /// It is being deleted.
    Terminating,
}

/// Why an object may not be created in a namespace that is being deleted: the message and its cause.
pub fn terminating_texts(namespace: &str) -> (String, String) {
    (
        format!("unable to create new content in namespace {namespace} because it is being terminated"),
        format!("namespace {namespace} is being terminated"),
    )
}

/// Why a namespace may not be deleted, if it may not.
pub fn refuse_deletion(name: &str) -> Option<&'static str> {
    IMMORTAL_NAMESPACES.contains(&name).then_some("this namespace may not be deleted")
}
