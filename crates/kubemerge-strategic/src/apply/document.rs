//! What can be merged: a JSON object, or null for none.

use crate::error::{MergeError, MergeErrorKind};
use kubemerge_value::{Kind, Node, Path};

/// A document: a map, or null, which means an empty one.
pub(crate) fn document(node: Node<'_>) -> Result<Option<Node<'_>>, MergeError> {
    match node.kind() {
        Kind::Map => Ok(Some(node)),
        Kind::Null => Ok(None),
        _ => Err(MergeError::new(MergeErrorKind::InvalidDocument, &Path::ROOT, "invalid JSON document")
            .with_hint("a document is a JSON object")),
    }
}
