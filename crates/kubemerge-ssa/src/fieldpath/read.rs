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
        let mut reader = FieldsReader { text: JsonText::new(text), arena, nodes: Vec::with_capacity(64) };
        let content = reader.content()?;
        reader.text.end()?;
        Ok(content.below)
    }
}

struct FieldsReader<'a> {
    text: JsonText<'a>,
    arena: &'a Arena,
    /// Nodes that were read and whose parents were not.
    nodes: Vec<SetNode<'a>>,
}

/// What the text says of a node, after its label.
#[derive(Clone, Copy)]
struct Content<'a> {
    is_member: bool,
    below: FieldSet<'a>,
}

/// A sibling with something below it, and the text of that.
#[derive(Clone, Copy)]
struct Sibling<'a> {
    text: &'a str,
    content: Content<'a>,
}

impl<'a> FieldsReader<'a> {
    fn content(&mut self) -> Result<Content<'a>, FieldsError> {
        let start = self.nodes.len();
        let mut is_member = false;
        let mut is_sorted = true;
        let mut before = None;
        if self.text.open_map()? {
            loop {
                let element = match self.text.plain_label(self.arena) {
                    Some(element) => element,
                    None => {
                        let Some(label) = self.text.name(self.arena)? else { break };
                        match self.element(label, &mut is_member)? {
                            Some(element) => element,
                            None => continue,
                        }
                    }
                };
                // Custom resources are written in another order, so sorting is checked while reading.
                let previous = self.nodes[start..].last();
                is_sorted &= previous.is_none_or(|previous| previous.element.order(element).is_lt());
                let Content { is_member, below } = self.child(&mut before)?;
                self.nodes.push(SetNode { element, is_member, below });
            }
        }
        if !is_sorted {
            self.sort_from(start);
        }
        let below = FieldSet::taken_from(&mut self.nodes, start, self.arena);
        // `{}` means the node itself.
        Ok(Content { is_member: is_member || below.is_empty(), below })
    }

    /// The element of a label that is written in an unusual way; `None` if it names no child, whose value is passed.
    fn element(&mut self, label: &'a str, is_member: &mut bool) -> Result<Option<Element<'a>>, FieldsError> {
        // The node itself is a member, besides what is below it.
        let is_mark = label == ".";
        *is_member |= is_mark;
        // A type of element that a later version may know is dropped with what is below it.
        let element = if is_mark { None } else { read_label(label, self.arena)? };
        if element.is_none() {
            self.text.value(self.arena)?;
        }
        Ok(element)
    }

    /// What is below a label. Items of a list mostly have the same fields: a text that is that of the sibling before
    /// is not read again, and both share what is below them.
    fn child(&mut self, before: &mut Option<Sibling<'a>>) -> Result<Content<'a>, FieldsError> {
        if self.text.take_empty_map() {
            return Ok(Content { is_member: true, below: FieldSet::EMPTY });
        }
        if let Some(sibling) = before
            && self.text.take_text(sibling.text)
        {
            return Ok(sibling.content);
        }
        let start = self.text.rest();
        let content = deep(|| self.content())?;
        let text = &start[..start.len() - self.text.rest().len()];
        // Only a map ends where its text ends, whatever follows.
        if text.starts_with('{') {
            *before = Some(Sibling { text, content });
        }
        Ok(content)
    }

    /// Sorts the siblings from a place on. Of a repeated label the memberships add up, and the last
    /// subtree counts.
    fn sort_from(&mut self, start: usize) {
        let mut unsorted = self.nodes.split_off(start);
        unsorted.sort_by(|one, two| one.element.order(two.element));
        for same in unsorted.chunk_by(|one, two| one.element == two.element) {
            let is_member = same.iter().any(|node| node.is_member);
            // Of repeated labels Go keeps the last one that has something below.
            let last = same.iter().rev().find(|node| !node.below.is_empty()).unwrap_or(&same[0]);
            self.nodes.push(SetNode { is_member, ..*last });
        }
    }
}
