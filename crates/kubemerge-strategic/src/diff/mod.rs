//! Upstream's patch that turns one document into another.
//!
//! Kubernetes' generator is matched with its defects; [`crate::spec_diff`] is the one that keeps the laws. A
//! generator only looks; it changes no document.

mod keyed;
mod map;
mod quiet;
mod scalars;

use crate::error::MergeError;
use kubemerge_schema::Type;
use kubemerge_value::{Arena, Node, Path};

pub(crate) use map::RetainKeys;
use map::{Generator, Maps};

/// Whether a generator writes a part of the patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emission {
    /// It is written.
    #[default]
    Emit,
    /// It is left out.
    Omit,
}

impl Emission {
    pub(crate) fn is_on(self) -> bool {
        self == Emission::Emit
    }
}

/// What a patch of the `upstream` dialect says. The `spec` dialect knows no such choice and writes what is
/// needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiffOptions {
    /// The lists that order other lists.
    pub element_order: Emission,
    /// Additions and changes.
    pub changes: Emission,
    /// Removals.
    pub deletions: Emission,
}

impl DiffOptions {
    pub(crate) const DELTA: Self =
        DiffOptions { element_order: Emission::Emit, changes: Emission::Emit, deletions: Emission::Omit };
    pub(crate) const DELETIONS: Self =
        DiffOptions { element_order: Emission::Emit, changes: Emission::Omit, deletions: Emission::Emit };
    pub(crate) const UNORDERED: Self =
        DiffOptions { element_order: Emission::Omit, changes: Emission::Emit, deletions: Emission::Emit };
}

/// Upstream's walk over two documents.
pub(crate) fn upstream<'a>(
    ty: Type<'_>,
    original: Node<'a>,
    modified: Node<'a>,
    options: DiffOptions,
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    let maps = Maps { original, modified, ty, retain: RetainKeys::Unnamed, path: &Path::ROOT };
    Ok(Generator::new(options, modified, arena).changes(&maps)?.finish())
}
