//! Upstream's patch that turns one document into another.
//!
//! Kubernetes' generator is matched with its defects; [`crate::diff::spec`] is the one that keeps the laws.

mod keyed;
mod map;
mod scalars;
mod unchanged;

use super::DiffOptions;
use crate::error::MergeError;
use kubemerge_schema::Type;
use kubemerge_value::{Arena, Node, Path};

pub(crate) use map::RetainKeys;
use map::{Generator, Maps};

/// Upstream's walk over two documents.
pub(crate) fn two_way<'a>(
    ty: Type<'_>,
    original: Node<'a>,
    modified: Node<'a>,
    options: DiffOptions,
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    let maps = Maps { original, modified, ty, retain: RetainKeys::Unnamed, path: &Path::ROOT };
    Ok(Generator::new(options, modified, arena).changes(&maps)?.finish())
}
