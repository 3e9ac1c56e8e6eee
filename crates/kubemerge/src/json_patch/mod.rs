//! JSON patch (RFC 6902) as the API server applies it.
//!
//! [`apply`] reads the operations (`operation`), runs them one by one over a working tree (`tree`), and makes
//! the edited tree a node again. Where Kubernetes differs from the RFC, Kubernetes is followed: negative
//! indices count from the end, `replace` adds a missing member, `copy` of a missing member adds a null, and a
//! `test` for null holds where there is nothing.

mod compare;
mod container;
mod copy_size;
mod fault;
mod operation;
mod pointer;
mod run;
mod sequence;
mod tree;

pub use copy_size::MAX_COPY_BYTES;
pub use operation::MAX_OPERATIONS;

use crate::error::Error;
use kubemerge_value::{Arena, Node, list};
use run::Run;

/// Puts lists of operations one after the other.
pub(crate) fn join<'a>(patches: &[Node<'a>], arena: &'a Arena) -> Result<Node<'a>, Error> {
    let joined = list(patches.iter().flat_map(|patch| patch.elements(arena)).copied(), arena);
    // Reading checks the number of operations, which the sum may exceed.
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
    // The depth is checked at the end, so the last operation is blamed.
    run.finish().map_err(|fault| fault.at(operations.len().saturating_sub(1)))
}
