//! Reads `fieldsV1`.
//!
//! Input may be in any order and may repeat labels; the set is always sorted. A node without children is a
//! member, and null counts as a node without children.

use kubemerge_value::deep;

use super::json_text::JsonText;
use super::label::read_label;
use super::set::SetNode;
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
        // A typical node has a label of about 12 bytes.
        let nodes = Vec::with_capacity(text.len() / 12);
        let mut reader = FieldsReader { text: JsonText::new(text), arena, nodes };
        reader.node()?;
        reader.text.end()?;
        Ok(FieldSet { nodes: reader.nodes })
    }
}

struct FieldsReader<'a> {
    text: JsonText<'a>,
    arena: &'a Arena,
    nodes: Vec<SetNode<'a>>,
}

impl<'a> FieldsReader<'a> {
    /// Reads the children of one node and says whether the node itself is a member.
    fn node(&mut self) -> Result<bool, FieldsError> {
        let start = self.nodes.len();
        let mut is_member = false;
        let mut is_sorted = true;
        let mut previous: Option<Element<'a>> = None;
        if self.text.open_map()? {
            loop {
                // Nearly all labels; the order is checked for all alike.
                if let Some(name) = self.text.plain_field() {
                    let element = Element::Name(name);
                    is_sorted &= previous.is_none_or(|previous| previous.order(element).is_lt());
                    previous = Some(element);
                    self.child(element)?;
                    continue;
                }
                let Some(label) = self.text.name(self.arena)? else { break };
                // The node itself is a member, besides what is below it.
                if label == "." {
                    is_member = true;
                    self.text.value(self.arena)?;
                    continue;
                }
                let Some(element) = read_label(label, self.arena)? else {
                    // A type of element that a later version may know is dropped with what is below it.
                    self.text.value(self.arena)?;
                    continue;
                };
                // Custom resources are written in another order, so sorting is checked while reading.
                is_sorted &= previous.is_none_or(|previous| previous.order(element).is_lt());
                previous = Some(element);
                self.child(element)?;
            }
        }
        if !is_sorted {
            self.sort_from(start);
        }
        // `{}` means the node itself.
        Ok(is_member || self.nodes.len() == start)
    }

    fn child(&mut self, element: Element<'a>) -> Result<(), FieldsError> {
        let place = self.nodes.len();
        if self.text.take_empty_map() {
            self.nodes.push(SetNode { element, size: 1, is_member: true });
            return Ok(());
        }
        self.nodes.push(SetNode { element, size: 1, is_member: false });
        let is_member = deep(|| self.node())?;
        let size = (self.nodes.len() - place) as u32;
        self.nodes[place] = SetNode { element, size, is_member };
        Ok(())
    }

    /// Sorts the siblings from a place on. Of a repeated label the memberships add up, and the last
    /// subtree counts.
    fn sort_from(&mut self, start: usize) {
        let unsorted = self.nodes.split_off(start);
        let mut trees: Vec<&[SetNode<'a>]> = Vec::new();
        let mut rest = &unsorted[..];
        while let Some(node) = rest.first() {
            let (tree, after) = rest.split_at(node.size as usize);
            trees.push(tree);
            rest = after;
        }
        trees.sort_by(|one, two| one[0].element.order(two[0].element));
        for same in trees.chunk_by(|one, two| one[0].element == two[0].element) {
            let is_member = same.iter().any(|tree| tree[0].is_member);
            // Of repeated labels Go keeps the last one that has something below.
            let last = same.iter().rev().find(|tree| tree.len() > 1).unwrap_or(&same[0]);
            self.nodes.push(SetNode { is_member, ..last[0] });
            self.nodes.extend_from_slice(&last[1..]);
        }
    }
}
