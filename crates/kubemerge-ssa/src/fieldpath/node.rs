//! The nodes of a set, and the text they were read from.
//!
//! A text says all of a node: its element, whether it is a member, and what is below it. So two nodes with one text
//! are the same, and a node is written by copying its text if that is what would be written.

use std::cmp::Ordering;
use std::ops::Deref;

use kubemerge_value::part::{part_of, text_of};

use super::prefix::{is_complete, order_prefix};
use super::{Element, FieldSet};
use crate::value::Arena;

/// A node among its siblings. Nodes are shared by all sets that have them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetEntry<'a> {
    prefix: u64,
    node: &'a SetNode<'a>,
}

/// A step of some path of a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetNode<'a> {
    pub(crate) element: Element<'a>,
    /// What goes on from here.
    pub(crate) below: FieldSet<'a>,
    /// What the node was read from: its label and what follows; only the label if something else follows now.
    pub(super) text: &'a str,
    pub(super) label_len: u32,
    pub(super) form: TextForm,
    /// Whether the path that ends here is in the set.
    pub(crate) is_member: bool,
}

/// What a set has at an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeContent<'a> {
    pub(super) is_member: bool,
    pub(super) below: FieldSet<'a>,
}

/// How two nodes of two sets relate to each other.
pub(super) enum Relation {
    /// The first one comes first.
    Before,
    /// The second one comes first.
    After,
    /// They have one element.
    SameElement,
    /// They surely have one element and one content.
    Same,
}

impl<'a> SetEntry<'a> {
    pub(super) const fn of(node: &'a SetNode<'a>) -> Self {
        SetEntry { prefix: order_prefix(&node.element), node }
    }

    #[inline]
    pub(crate) fn new(node: SetNode<'a>, arena: &'a Arena) -> Self {
        SetEntry { prefix: order_prefix(&node.element), node: arena.alloc(node) }
    }

    /// A node whose number is known.
    #[inline]
    pub(super) fn with_prefix(prefix: u64, node: &'a SetNode<'a>) -> Self {
        SetEntry { prefix, node }
    }

    /// The entries of sorted siblings.
    #[expect(clippy::indexing_slicing, reason = "all places are below N, and only constants are made of it")]
    pub(crate) const fn all<const N: usize>(nodes: &'a [SetNode<'a>; N]) -> [Self; N] {
        let mut entries = [SetEntry::of(&nodes[0]); N];
        let mut place = 1;
        while place < N {
            entries[place] = SetEntry::of(&nodes[place]);
            place += 1;
        }
        entries
    }

    /// The same element with another content.
    #[inline]
    pub(super) fn with_content(self, content: NodeContent<'a>, arena: &'a Arena) -> Self {
        let NodeContent { is_member, below } = content;
        let SetNode { text, label_len, form, .. } = *self.node;
        let (text, form) = (text_of(text, ..label_len as usize), form.and(TextForm::LABEL));
        let node = SetNode { below, text, form, is_member, ..*self.node };
        SetEntry { prefix: self.prefix, node: arena.alloc(node) }
    }

    /// The order of siblings.
    #[inline]
    pub(crate) fn order(&self, other: &SetEntry<'_>) -> Ordering {
        self.order_beside(other.prefix, &other.node.element)
    }

    /// The order of a node and an element with this number.
    #[inline]
    pub(super) fn order_beside(&self, prefix: u64, element: &Element<'_>) -> Ordering {
        match self.prefix.cmp(&prefix) {
            Ordering::Equal if is_complete(prefix) => Ordering::Equal,
            Ordering::Equal => order_of_elements(&self.node.element, element),
            order => order,
        }
    }

    /// Whether this comes first, as far as numbers say.
    #[inline]
    pub(super) fn is_surely_before(&self, other: &SetEntry<'_>) -> bool {
        self.prefix < other.prefix
    }

    #[inline]
    pub(super) fn relation(&self, other: &SetEntry<'_>) -> Relation {
        match self.prefix.cmp(&other.prefix) {
            Ordering::Less => Relation::Before,
            Ordering::Greater => Relation::After,
            Ordering::Equal => self.relation_beside_number(other),
        }
    }

    /// The relation of nodes with one number.
    #[inline]
    fn relation_beside_number(&self, other: &SetEntry<'_>) -> Relation {
        let is_complete = is_complete(self.prefix);
        // Two leaves are the same node if they have the same element.
        if is_complete && self.node.below.is_empty() && other.node.below.is_empty() || self.is_same(other) {
            return Relation::Same;
        }
        if is_complete || self.node.has_same_label(other.node) {
            return Relation::SameElement;
        }
        match order_of_elements(&self.node.element, &other.node.element) {
            Ordering::Less => Relation::Before,
            Ordering::Greater => Relation::After,
            Ordering::Equal => Relation::SameElement,
        }
    }

    /// Whether both are one node or have one text, which proves them equal without a look inside.
    #[inline]
    pub(super) fn is_same(&self, other: &SetEntry<'_>) -> bool {
        let (one, two) = (std::ptr::from_ref(self.node), std::ptr::from_ref(other.node));
        one.cast::<u8>() == two.cast() || self.node.has_same_text(other.node)
    }
}

/// The order of elements with one number.
// Elements are copied only for this call: a copy takes longer than the comparison of numbers.
#[inline(never)]
fn order_of_elements(one: &Element<'_>, two: &Element<'_>) -> Ordering {
    one.order(*two)
}

impl<'a> Deref for SetEntry<'a> {
    type Target = SetNode<'a>;

    #[inline]
    fn deref(&self) -> &SetNode<'a> {
        self.node
    }
}

impl<'a> SetNode<'a> {
    #[inline]
    pub(crate) const fn new(element: Element<'a>, is_member: bool, below: FieldSet<'a>) -> Self {
        SetNode { element, is_member, below, text: "", label_len: 0, form: TextForm::UNUSUAL }
    }

    /// A node of which only its own path is in the set.
    pub(crate) const fn leaf(element: Element<'a>) -> Self {
        SetNode::new(element, true, FieldSet::EMPTY)
    }
}

impl<'a> SetNode<'a> {
    /// The label with its quotes.
    #[inline]
    pub(super) fn written_label(&self) -> Option<&'a str> {
        self.form.has(TextForm::LABEL).then(|| text_of(self.text, ..self.label_len as usize))
    }

    /// The label and what follows it, up to the comma, if that has a form.
    #[inline]
    pub(super) fn written_text(&self, form: TextForm) -> Option<&'a str> {
        self.form.has(form).then_some(self.text)
    }

    /// The text after the label, in whatever form it is.
    #[inline]
    pub(super) fn content_text(&self) -> &'a str {
        text_of(self.text, self.label_len as usize..)
    }

    /// Whether both have one label, which says their element.
    #[inline]
    fn has_same_label(&self, other: &SetNode<'_>) -> bool {
        let len = self.label_len as usize;
        len > 0
            && self.label_len == other.label_len
            && part_of(self.text.as_bytes(), ..len) == part_of(other.text.as_bytes(), ..len)
    }

    /// Whether both have one text, which says all of a node.
    #[inline]
    fn has_same_text(&self, other: &SetNode<'_>) -> bool {
        // Most nodes that differ do so in the number of their children. A label alone does not say what is below it.
        self.below.nodes.len() == other.below.nodes.len()
            && self.text.len() > self.label_len as usize
            && other.text.len() > other.label_len as usize
            && self.text.len() <= MAX_COMPARED
            && self.text == other.text
    }
}

/// Longer texts are not compared: those of nested nodes would be compared once per level.
const MAX_COMPARED: usize = 512;

/// Which parts of a text are as they would be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextForm(u8);

impl TextForm {
    pub(super) const UNUSUAL: TextForm = TextForm(0);
    /// The label.
    pub(super) const LABEL: TextForm = TextForm(1);
    /// The label, and in the order of paths what follows it.
    pub(super) const PATH_ORDER: TextForm = TextForm(2);
    /// The label, and in the order of labels what follows it.
    pub(super) const LABEL_ORDER: TextForm = TextForm(4);
    pub(super) const USUAL: TextForm = TextForm(7);

    #[inline]
    const fn has(self, part: TextForm) -> bool {
        self.0 & part.0 != 0
    }

    #[inline]
    pub(super) const fn and(self, other: TextForm) -> TextForm {
        TextForm(self.0 & other.0)
    }

    /// The form of a node with such a child, whose label is not that of the node.
    #[inline]
    pub(super) const fn with_child(self, child: TextForm) -> TextForm {
        TextForm(self.0 & (child.0 | TextForm::LABEL.0))
    }

    #[inline]
    pub(super) const fn without(self, part: TextForm) -> TextForm {
        TextForm(self.0 & !part.0)
    }
}
