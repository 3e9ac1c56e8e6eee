//! Reads `fieldsV1`.
//!
//! Input may be in any order and may repeat labels; the set is always sorted. A node without children is a
//! member, and null counts as a node without children.

use kubemerge_value::part::part_of;

use super::json_text::{JsonText, LabelledNode};
use super::label::read_label;
use super::node::{NodeContent, SetEntry, SetNode, TextForm};
use super::prefix::order_prefix;
use super::{Element, FieldSet};
use crate::value::Arena;

/// Why a text is no `fieldsV1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldsError {
    message: String,
}

impl FieldsError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        FieldsError { message: message.into() }
    }
}

impl std::fmt::Display for FieldsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FieldsError {}

impl<'a> FieldSet<'a> {
    /// Reads `fieldsV1`. Names are borrowed from the text where they need no decoding.
    ///
    /// # Errors
    /// If the text is not JSON, or a label is malformed.
    pub fn read(text: &'a str, arena: &'a Arena) -> Result<FieldSet<'a>, FieldsError> {
        // Only plain texts are copied when they are written; labels of others may be escaped in several ways.
        let usual = if is_plain_text(text) { TextForm::USUAL } else { TextForm::UNUSUAL };
        let (text, nodes, open) = (JsonText::new(text), Vec::with_capacity(64), Vec::with_capacity(16));
        let mut reader = FieldsReader { text, usual, arena, nodes, open };
        let set = reader.set()?;
        reader.text.end()?;
        Ok(set)
    }
}

/// Whether all characters of a text are written as they are in the labels of sets.
fn is_plain_text(text: &str) -> bool {
    let is_unusual = |byte: &u8| {
        // Without branches, so that many bytes are looked at in one step.
        (*byte < b' ') | (*byte > b'~') | (*byte == b'<') | (*byte == b'>') | (*byte == b'&')
    };
    text.as_bytes().chunks(256).all(|bytes| !bytes.iter().fold(false, |found, byte| found | is_unusual(byte)))
}

struct FieldsReader<'a> {
    text: JsonText<'a>,
    /// The form of a node in which nothing is unusual.
    usual: TextForm,
    arena: &'a Arena,
    /// Nodes that were read and whose parents were not.
    nodes: Vec<SetEntry<'a>>,
    /// The nodes around the place in the text.
    open: Vec<OpenNode<'a>>,
}

/// A node whose label was read, and whose children are being read.
struct OpenNode<'a> {
    label: LabelledNode<'a>,
    /// Where its children begin among the nodes.
    start: usize,
    is_member: bool,
    is_sorted: bool,
    form: TextForm,
}

/// What is before a label.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Bracket,
    Child,
}

/// A node all of which was read.
struct ReadNode<'a> {
    label: LabelledNode<'a>,
    form: TextForm,
}

impl<'a> FieldsReader<'a> {
    /// Reads all nodes in one loop, since they may be nested deeply.
    fn set(&mut self) -> Result<FieldSet<'a>, FieldsError> {
        if !self.text.open_map()? {
            return Ok(FieldSet::EMPTY);
        }
        self.open(self.unusual_node(Element::Name("")), TextForm::UNUSUAL);
        let mut before = Before::Bracket;
        loop {
            let read = match self.label(before)? {
                Some(label) => self.content(label)?,
                None => self.close(),
            };
            before = match read {
                None => Before::Bracket,
                Some(root) if self.open.is_empty() => return Ok(root.label.node.below),
                Some(child) => {
                    self.push(child);
                    Before::Child
                }
            };
        }
    }

    /// Reads the label of the next child; `None` at the end of the children.
    #[inline]
    fn label(&mut self, mut before: Before) -> Result<Option<LabelledNode<'a>>, FieldsError> {
        if before == Before::Bracket && self.text.take_first(MEMBER) {
            self.set_member();
            before = Before::Child;
        }
        let comma = match (before, self.text.next_byte()) {
            (Before::Bracket, _) => 0,
            (Before::Child, Some(b'}')) => {
                self.text.take_end();
                return Ok(None);
            }
            (Before::Child, Some(b',')) => 1,
            (Before::Child, _) => return self.unusual_label(),
        };
        match self.text.plain_label(comma, self.arena) {
            Some(label) => Ok(Some(label)),
            None => self.unusual_label(),
        }
    }

    /// The same for labels and white space that this crate does not write.
    #[cold]
    fn unusual_label(&mut self) -> Result<Option<LabelledNode<'a>>, FieldsError> {
        if let Some(open) = self.open.last_mut() {
            open.form = open.form.and(TextForm::LABEL);
        }
        while let Some(label) = self.text.name(self.arena)? {
            let element = match label {
                "." => {
                    self.set_member();
                    None
                }
                _ => read_label(label, self.arena)?,
            };
            if let Some(element) = element {
                return Ok(Some(self.unusual_node(element)));
            }
            // A type of element that a later version may know is dropped with what is below it.
            self.text.value(self.arena)?;
        }
        Ok(None)
    }

    /// The open node itself is a member, besides what is below it.
    fn set_member(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.is_member = true;
        }
    }

    /// A node of which no text is kept.
    fn unusual_node(&self, element: Element<'a>) -> LabelledNode<'a> {
        let node = self.arena.alloc(SetNode::leaf(element));
        LabelledNode { prefix: order_prefix(&element), node, start: 0 }
    }

    /// Reads what follows a label. `None` for a node with children, which is open now.
    #[inline]
    fn content(&mut self, label: LabelledNode<'a>) -> Result<Option<ReadNode<'a>>, FieldsError> {
        // A node is a leaf until it gets something else.
        if self.text.take(b"{}") {
            return Ok(Some(ReadNode { label, form: self.usual }));
        }
        if let Some(same) = self.take_same_item(&label) {
            (label.node.is_member, label.node.below) = (same.is_member, same.below);
            return Ok(Some(ReadNode { label, form: same.form }));
        }
        // White space is nothing that would be written.
        let form = if self.text.is_next(b"{") { self.usual } else { self.usual.and(TextForm::LABEL) };
        if !self.text.open_map()? {
            return Ok(Some(ReadNode { label, form }));
        }
        self.open(label, form);
        Ok(None)
    }

    /// Items of a list mostly have the same fields: a text that is that of the item before is not read again, and
    /// both share what is below them.
    #[inline]
    fn take_same_item(&mut self, label: &LabelledNode<'a>) -> Option<SetEntry<'a>> {
        let before = match label.node.element {
            Element::Key(_) => *part_of(&self.nodes, self.open.last()?.start..).last()?,
            _ => return None,
        };
        let below = before.content_text().strip_prefix(':')?;
        // Only a map ends where its text ends, whatever follows.
        (below.starts_with('{') && self.text.take(below.as_bytes())).then_some(before)
    }

    /// Begins a node whose opening bracket was passed.
    #[inline]
    fn open(&mut self, label: LabelledNode<'a>, form: TextForm) {
        let start = self.nodes.len();
        self.open.push(OpenNode { label, start, is_member: false, is_sorted: true, form });
    }

    /// Ends the open node, whose closing bracket was passed.
    #[inline]
    fn close(&mut self) -> Option<ReadNode<'a>> {
        let OpenNode { label, start, is_member, is_sorted, mut form } = self.open.pop()?;
        let children = part_of(&self.nodes, start..);
        // Names are in the same place in both orders, and they come before other elements.
        let are_names = children.last().is_some_and(|last| matches!(last.element, Element::Name(_)));
        if !are_names && children.len() > 1 {
            form = form.without(TextForm::LABEL_ORDER);
        }
        // A member without anything below it is written without a mark.
        if children.is_empty() || !is_sorted {
            form = form.and(TextForm::LABEL);
        }
        if !is_sorted {
            self.sort_from(start);
        }
        label.node.below = FieldSet::taken_from(&mut self.nodes, start, self.arena);
        // `{}` means the node itself.
        label.node.is_member = is_member || label.node.below.is_empty();
        Some(ReadNode { label, form })
    }

    /// Adds a child to the open node.
    #[inline]
    fn push(&mut self, read: ReadNode<'a>) {
        let ReadNode { label: LabelledNode { node, prefix, start }, form } = read;
        // Nothing is known of a node with an unusual label but what it means.
        if node.label_len > 0 {
            (node.text, node.form) = (self.text.since(start), form);
        }
        let entry = SetEntry::with_prefix(prefix, node);
        if let Some(open) = self.open.last_mut() {
            open.form = open.form.with_child(form);
            // Custom resources are written in another order, so sorting is checked while reading.
            let before = part_of(&self.nodes, open.start..).last();
            open.is_sorted &= before.is_none_or(|before| before.order(&entry).is_lt());
        }
        self.nodes.push(entry);
    }

    /// Sorts the siblings from a place on. Of a repeated label the memberships add up, and the last
    /// subtree counts.
    #[cold]
    fn sort_from(&mut self, start: usize) {
        let (_, siblings) = self.nodes.split_at_mut(start);
        siblings.sort_by(SetEntry::order);
        if siblings.is_sorted_by(|one, two| one.order(two).is_lt()) {
            return;
        }
        let repeated = self.nodes.split_off(start);
        for same in repeated.chunk_by(|one, two| one.order(two).is_eq()) {
            let is_member = same.iter().any(|node| node.is_member);
            // Of repeated labels Go keeps the last one that has something below.
            let Some(first) = same.first() else { continue };
            let last = same.iter().rev().find(|node| !node.below.is_empty()).unwrap_or(first);
            let content = NodeContent { is_member, below: last.below };
            self.nodes.push(if same.len() == 1 { *last } else { last.with_content(content, self.arena) });
        }
    }
}

/// How a node with something below it says that it is a member.
const MEMBER: &[u8] = b"\".\":{}";
