//! Three states of one object: what a three-way patch is made from.

use crate::{apply::document, error::MergeError};
use kubemerge_value::Node;

/// Three states of one object.
#[derive(Clone, Copy, Debug)]
pub struct VersionNodes<'a> {
    /// The state that was applied last.
    pub original: Node<'a>,
    /// The state that is wanted.
    pub modified: Node<'a>,
    /// The state on the server.
    pub current: Node<'a>,
}

impl VersionNodes<'_> {
    /// The same states, each a map; null means an empty one.
    pub(crate) fn documents(&self) -> Result<Self, MergeError> {
        Ok(VersionNodes {
            original: document(self.original)?.unwrap_or(Node::NULL),
            modified: document(self.modified)?.unwrap_or(Node::NULL),
            current: document(self.current)?.unwrap_or(Node::NULL),
        })
    }
}
