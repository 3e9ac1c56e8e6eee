//! The operations that are compared: create, update, and the subresources that take whole objects.

/// How the object reaches the registry of its kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Create,
    Update,
    UpdateStatus,
    /// The subresources of Pods that take whole Pods: only when they are asked for.
    EphemeralContainers,
    Resize,
}

impl Operation {
    pub(super) fn subresource(self) -> Option<&'static str> {
        match self {
            Operation::Create | Operation::Update => None,
            other => Some(other.word()),
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Operation::Create => "create",
            Operation::Update => "update",
            Operation::UpdateStatus => "status",
            Operation::EphemeralContainers => "ephemeralcontainers",
            Operation::Resize => "resize",
        }
    }
}
