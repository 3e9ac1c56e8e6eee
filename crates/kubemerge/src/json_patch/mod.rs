//! JSON patch (RFC 6902) as the API server applies it.
//!
//! [`apply`] reads the operations (`operation`), runs them one by one over a working tree (`tree`), and makes
//! the edited tree a node again. Where Kubernetes differs from the RFC, Kubernetes is followed: negative
//! indices count from the end, `replace` adds a missing member, `copy` of a missing member adds a null, and a
//! `test` for null holds where there is nothing.

mod compare;
mod container;
mod copy_size;
mod operation;
mod pointer;
mod run;
mod sequence;
mod tree;

use crate::error::{Error, ErrorKind};
use kubemerge_value::{Arena, Node, list};
use operation::Operation;
use run::Run;

/// How many operations a JSON patch may have.
pub const MAX_OPERATIONS: usize = 10_000;

/// How many bytes the `copy` operations of one JSON patch may add.
pub const MAX_COPY_BYTES: usize = 3 * 1024 * 1024;

/// Puts lists of operations one behind the other.
pub(crate) fn join<'a>(patches: &[Node<'a>], arena: &'a Arena) -> Result<Node<'a>, Error> {
    let joined = list(patches.iter().flat_map(|patch| patch.elements(arena)).copied(), arena);
    operation::read(joined, arena).map(|_| joined)
}

/// Applies a list of operations; `patch_depth` is how deep it is nested at most.
pub(crate) fn apply<'a>(
    live: Node<'a>,
    patch: Node<'a>,
    patch_depth: usize,
    arena: &'a Arena,
) -> Result<Node<'a>, Error> {
    let operations = operation::read(patch, arena)?;
    let mut run = Run::new(live, patch_depth, arena);
    for (at, operation) in operations.iter().enumerate() {
        run.operate(operation).map_err(|fault| fault.about(operation).at(at))?;
    }
    run.finish().map_err(|fault| fault.at(operations.len().saturating_sub(1)))
}

/// Why an operation does not apply.
#[derive(Debug)]
struct Fault {
    message: String,
    hint: Option<String>,
}

impl Fault {
    fn new(message: impl Into<String>) -> Self {
        Fault { message: message.into(), hint: None }
    }

    fn with_hint(self, hint: impl Into<String>) -> Self {
        Fault { hint: Some(hint.into()), ..self }
    }

    /// The same fault, told by the operation that met it.
    fn within(self, context: impl std::fmt::Display) -> Self {
        Fault { message: format!("{context}: {}", self.message), ..self }
    }

    /// The cure, if the paths are no JSON pointers: that explains everything.
    fn about(self, operation: &Operation<'_>) -> Self {
        let is_pointer = |path: &str| path.is_empty() || path.starts_with('/');
        match [operation.path, operation.from].into_iter().flatten().all(is_pointer) {
            true => self,
            false => self.with_hint("a path starts with a slash: /spec/replicas"),
        }
    }

    fn at(self, operation: usize) -> Error {
        let error = Error::new(ErrorKind::JsonPatchFailed, format!("[{operation}]"), self.message);
        match self.hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}

/// How Kubernetes ends its messages about what is not there.
const MISSING: &str = "missing value";
