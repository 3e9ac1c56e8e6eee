//! Elements of lists without keys, ready to be compared.

use kubemerge_value::{Node, Scalar, deep_equal, to_canonical};
use std::hash::{Hash, Hasher};

/// An element of a set or of a list of scalars. Equal elements are equal values.
pub(crate) enum Element<'a> {
    Scalar(Scalar<'a>),
    /// A map or list. Its canonical bytes are the same for an int and a float of one value, so they serve
    /// for hashing only.
    Deep(Box<(Node<'a>, Vec<u8>)>),
}

impl<'a> Element<'a> {
    pub(crate) fn of(node: Node<'a>) -> Self {
        let deep = || Element::Deep(Box::new((node, to_canonical(node).into_bytes())));
        node.scalar().map_or_else(deep, Element::Scalar)
    }
}

impl PartialEq for Element<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Element::Scalar(one), Element::Scalar(other)) => one == other,
            (Element::Deep(one), Element::Deep(other)) => deep_equal(one.0, other.0),
            _ => false,
        }
    }
}

impl Eq for Element<'_> {}

impl Hash for Element<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Element::Scalar(value) => value.hash(state),
            Element::Deep(deep) => deep.1.hash(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kubemerge_value::Document;

    #[test]
    fn an_int_is_no_float_inside_an_element_either() {
        let int = Document::check(br#"[{"port": 80}]"#).unwrap();
        let float = Document::check(br#"[{"port": 80.0}]"#).unwrap();
        assert!(Element::of(int.node()) == Element::of(int.node()));
        assert!(Element::of(int.node()) != Element::of(float.node()));
    }
}
