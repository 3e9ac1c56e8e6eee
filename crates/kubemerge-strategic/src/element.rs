//! Elements of lists without keys, ready to be compared.

use kubemerge_value::{Node, Scalar, to_canonical};

/// An element of a set or of a list of scalars. Equal elements are equal values.
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum Element<'a> {
    Scalar(Scalar<'a>),
    /// The canonical bytes of a map or list.
    Deep(Vec<u8>),
}

impl<'a> Element<'a> {
    pub(crate) fn of(node: Node<'a>) -> Self {
        node.scalar().map_or_else(|| Element::Deep(to_canonical(node).into_bytes()), Element::Scalar)
    }
}
