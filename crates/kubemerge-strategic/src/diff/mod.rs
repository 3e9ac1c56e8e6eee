//! The patch that turns one document into another.
//!
//! [`diff`] hands the work to one of two generators: this folder holds upstream's, which is matched with its
//! defects; [`crate::spec_diff`] keeps the laws. A generator only looks; it changes no document.

mod keyed;
mod map;
mod quiet;
mod scalars;

use crate::{MergeError, apply::document, spec_diff};
use kubemerge_schema::{Dialect, Type};
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

/// The patch that turns `original` into `modified`; an empty map if nothing is to be done.
///
/// ```
/// use kubemerge_schema::{Dialect, Schema};
/// use kubemerge_strategic::{DiffOptions, diff};
/// use kubemerge_value::{Arena, Document, to_canonical};
///
/// let schema = Schema::builtin("1.37", Dialect::Upstream)?;
/// let pod = schema.type_of("v1", "Pod").ok_or("no pods")?;
/// let original = Document::check(br#"{"spec": {"containers": [{"name": "web", "image": "nginx:1"}]}}"#)?;
/// let modified = Document::check(br#"{"spec": {"containers": [{"name": "web", "image": "nginx:2"}]}}"#)?;
/// let arena = Arena::new();
/// let patch = diff(pod, original.node(), modified.node(), &DiffOptions::default(), &arena)?;
/// assert_eq!(
///     String::from_utf8_lossy(to_canonical(patch).as_bytes()),
///     r#"{"spec":{"$setElementOrder/containers":[{"name":"web"}],"containers":[{"image":"nginx:2","name":"web"}]}}"#,
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn diff<'a>(
    ty: Type<'_>,
    original: Node<'a>,
    modified: Node<'a>,
    options: &DiffOptions,
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    let (original, modified) =
        (document(original)?.unwrap_or(Node::NULL), document(modified)?.unwrap_or(Node::NULL));
    match ty.schema().dialect() {
        Dialect::Upstream => upstream(ty, original, modified, *options, arena),
        Dialect::Spec => spec_diff::two_way(ty, original, modified, arena),
    }
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
