//! Why an operation of a JSON patch does not apply.

use super::operation::Operation;
use crate::error::{Error, ErrorKind};

/// Why an operation does not apply.
#[derive(Debug)]
pub(super) struct OperationFault {
    message: String,
    hint: Option<String>,
}

impl OperationFault {
    pub(super) fn new(message: impl Into<String>) -> Self {
        OperationFault { message: message.into(), hint: None }
    }

    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        OperationFault { hint: Some(hint.into()), ..self }
    }

    /// The same fault, reported by the operation that met it.
    pub(super) fn within(self, context: impl std::fmt::Display) -> Self {
        OperationFault { message: format!("{context}: {}", self.message), ..self }
    }

    /// The cure, if the paths are no JSON pointers: that explains everything.
    pub(super) fn about(self, operation: &Operation<'_>) -> Self {
        let is_pointer = |path: &str| path.is_empty() || path.starts_with('/');
        // The most common mistake: a path with dots.
        if [operation.path, operation.from].into_iter().flatten().all(is_pointer) {
            self
        } else {
            self.with_hint("a path starts with a slash: /spec/replicas")
        }
    }

    pub(super) fn at(self, operation: usize) -> Error {
        let error = Error::new(ErrorKind::JsonPatchFailed, format!("[{operation}]"), self.message);
        match self.hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}

/// How Kubernetes ends its messages about what is not there.
pub(super) const MISSING: &str = "missing value";
