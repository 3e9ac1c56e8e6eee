//! Upstream's patch that turns one document into another.
//!
//! Kubernetes' generator is matched with its defects; [`crate::spec_diff`] is the one that keeps the laws. A
//! generator only looks; it changes no document.

mod keyed;
mod map;
mod options;
mod scalars;
mod unchanged;

use crate::error::MergeError;
use kubemerge_schema::Type;
use kubemerge_value::{Arena, Node, Path};

pub(crate) use map::RetainKeys;
use map::{Generator, Maps};
pub use options::{DiffOptions, Emission};

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
