//! Writes `fieldsV1` as it is on the wire: compact, with HTML characters escaped.

use std::ops::Range;

use kubemerge_value::deep;
use kubemerge_value::write::{write_escaped, write_escaped_part};

use super::label::{write_label, write_quoted_label};
use super::node::{SetEntry, SetNode, TextForm};
use super::{Element, FieldSet};

/// The order of members inside `fieldsV1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldOrder {
    /// The order of path elements: built-in kinds.
    Path,
    /// The order of label bytes: custom resources, whose `fieldsV1` the API server holds as a map.
    Label,
}

impl FieldOrder {
    /// The form of texts that are in this order.
    const fn form(self) -> TextForm {
        match self {
            FieldOrder::Path => TextForm::PATH_ORDER,
            FieldOrder::Label => TextForm::LABEL_ORDER,
        }
    }
}

impl FieldSet<'_> {
    /// The set as `fieldsV1`.
    #[must_use]
    pub fn to_fields_v1(&self, order: FieldOrder) -> String {
        let mut writer = FieldsWriter { order, out: Vec::with_capacity(1_024), label: Vec::new() };
        writer.out.push(b'{');
        writer.children(*self, false);
        writer.out.push(b'}');
        // Labels are escaped text of values, which are UTF-8.
        String::from_utf8(writer.out).unwrap_or_default()
    }

    /// The set as text, without the brackets around it.
    pub(super) fn written(self, order: FieldOrder) -> String {
        let mut writer = FieldsWriter { order, out: Vec::new(), label: Vec::new() };
        writer.children(self, false);
        // As above.
        String::from_utf8(writer.out).unwrap_or_default()
    }
}

struct FieldsWriter {
    order: FieldOrder,
    out: Vec<u8>,
    label: Vec<u8>,
}

/// What was written after the label of a node.
struct Written<'s, 'a> {
    node: &'s SetNode<'a>,
    text: Range<usize>,
}

impl FieldsWriter {
    fn children(&mut self, set: FieldSet<'_>, has_before: bool) {
        let is_name = |node: &SetEntry<'_>| matches!(node.element, Element::Name(_));
        // Names are in the same place in both orders.
        if self.order == FieldOrder::Label && !set.nodes.iter().all(is_name) {
            return self.children_by_label(set, has_before);
        }
        let (mut has_before, mut before) = (has_before, None);
        for node in set.nodes {
            self.comma(has_before);
            has_before = true;
            if let Some(text) = node.written_text(self.order.form()) {
                self.out.extend_from_slice(text.as_bytes());
                continue;
            }
            match (node.written_label(), node.element) {
                // Most nodes of sets that were built, written in as few pieces as possible.
                (None, Element::Name(name)) if node.below.is_empty() => {
                    self.out.extend_from_slice(b"\"f:");
                    write_escaped_part(name.as_bytes(), &mut self.out);
                    self.out.extend_from_slice(b"\":{}");
                }
                _ => {
                    self.label(node);
                    self.content(node, &mut before);
                }
            }
        }
    }

    fn label(&mut self, node: &SetNode<'_>) {
        match (node.written_label(), node.element) {
            (Some(label), _) => self.out.extend_from_slice(label.as_bytes()),
            (None, Element::Name(name)) => {
                self.out.extend_from_slice(b"\"f:");
                write_escaped_part(name.as_bytes(), &mut self.out);
                self.out.push(b'"');
            }
            (None, other) => write_quoted_label(other, &mut self.label, &mut self.out),
        }
    }

    fn children_by_label(&mut self, set: FieldSet<'_>, has_before: bool) {
        let labelled = |node: &SetEntry<'_>| {
            let mut label = Vec::new();
            write_label(node.element, &mut label);
            label
        };
        let mut children: Vec<_> = set.nodes.iter().map(|node| (labelled(node), node)).collect();
        children.sort_by(|one, two| one.0.cmp(&two.0));
        let (mut has_before, mut before) = (has_before, None);
        for (label, node) in children {
            self.comma(has_before);
            write_escaped(&label, &mut self.out);
            self.content(node, &mut before);
            has_before = true;
        }
    }

    /// Writes what follows the label of a node. Siblings that share what is below them have the same text.
    fn content<'s, 'a>(&mut self, node: &'s SetNode<'a>, before: &mut Option<Written<'s, 'a>>) {
        if node.below.is_empty() {
            return self.out.extend_from_slice(b":{}");
        }
        if node.written_text(self.order.form()).is_some() {
            return self.out.extend_from_slice(node.content_text().as_bytes());
        }
        if let Some(Written { node: same, text }) = before
            && same.is_member == node.is_member
            && same.below.is_same_part(node.below)
        {
            return self.out.extend_from_within(text.clone());
        }
        let start = self.out.len();
        self.out.extend_from_slice(if node.is_member { b":{\".\":{}" } else { b":{" });
        deep(|| self.children(node.below, node.is_member));
        self.out.push(b'}');
        *before = Some(Written { node, text: start..self.out.len() });
    }

    fn comma(&mut self, has_before: bool) {
        if has_before {
            self.out.push(b',');
        }
    }
}
