//! Nodes of documents, as unions read them.

use std::borrow::Cow;

use kubemerge_value::{Arena, Kind, Node, to_canonical};

use super::{UnionTree, UnionTreeKind};

/// A value of a document, with the memory that its parts are read into.
#[derive(Clone, Copy)]
pub struct UnionNode<'a> {
    node: Node<'a>,
    arena: &'a Arena,
}

impl<'a> UnionNode<'a> {
    /// A value of a document.
    pub fn new(node: Node<'a>, arena: &'a Arena) -> Self {
        UnionNode { node, arena }
    }
}

impl<'a> UnionTree<'a> for UnionNode<'a> {
    fn kind(self) -> UnionTreeKind {
        match self.node.kind() {
            Kind::Map => UnionTreeKind::Map,
            Kind::List => UnionTreeKind::List,
            Kind::Null => UnionTreeKind::Null,
            _ => UnionTreeKind::Scalar,
        }
    }

    fn text(self) -> Option<Cow<'a, str>> {
        Some(self.node.as_str()?.text())
    }

    fn scalar(self) -> Option<String> {
        self.node.scalar()?;
        Some(String::from_utf8_lossy(to_canonical(self.node).as_bytes()).into_owned())
    }

    fn members(self) -> Vec<(Cow<'a, str>, Self)> {
        let entries = self.node.entries(self.arena).iter();
        entries.map(|entry| (entry.key.text(), UnionNode { node: entry.value, ..self })).collect()
    }

    fn items(self) -> Vec<Self> {
        self.node.elements(self.arena).iter().map(|item| UnionNode { node: *item, ..self }).collect()
    }
}
