//! Writes `fieldsV1` as it is on the wire: compact, with HTML characters escaped.

use kubemerge_value::deep;
use kubemerge_value::write::{write_escaped, write_escaped_part};

use super::label::write_label;
use super::set::{Child, SetView};
use super::{Element, FieldSet};

/// The order of members inside `fieldsV1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldOrder {
    /// The order of path elements: built-in kinds.
    Path,
    /// The order of label bytes: custom resources, whose `fieldsV1` the API server holds as a map.
    Label,
}

impl FieldSet<'_> {
    /// The set as `fieldsV1`.
    pub fn to_fields_v1(&self, order: FieldOrder) -> String {
        let mut writer =
            FieldsWriter { order, out: Vec::with_capacity(self.nodes.len() * 20), label: Vec::new() };
        writer.out.push(b'{');
        writer.children(self.view(), false);
        writer.out.push(b'}');
        // Labels are escaped text of values, which are UTF-8.
        String::from_utf8(writer.out).unwrap_or_default()
    }
}

impl SetView<'_, '_> {
    /// What is below a node as text, without the brackets around it.
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

impl FieldsWriter {
    fn children(&mut self, view: SetView<'_, '_>, has_before: bool) {
        let is_name = |child: Child<'_, '_>| matches!(child.element, Element::Name(_));
        // Names are in the same place in both orders.
        if self.order == FieldOrder::Path || view.children().all(is_name) {
            let mut has_before = has_before;
            for child in view.children() {
                self.child(child, has_before);
                has_before = true;
            }
            return;
        }
        self.children_by_label(view, has_before);
    }

    fn children_by_label(&mut self, view: SetView<'_, '_>, has_before: bool) {
        let labelled = |child: Child<'_, '_>| {
            let mut label = Vec::new();
            write_label(child.element, &mut label);
            label
        };
        let mut children: Vec<_> = view.children().map(|child| (labelled(child), child)).collect();
        children.sort_by(|one, two| one.0.cmp(&two.0));
        let mut has_before = has_before;
        for (label, child) in children {
            self.comma(has_before);
            write_escaped(&label, &mut self.out);
            self.subtree(child.is_member, child.below);
            has_before = true;
        }
    }

    fn child(&mut self, child: Child<'_, '_>, has_before: bool) {
        self.comma(has_before);
        match child.element {
            Element::Name(name) => {
                self.out.extend_from_slice(b"\"f:");
                write_escaped_part(name.as_bytes(), &mut self.out);
                self.out.push(b'"');
            }
            other => {
                let mut label = std::mem::take(&mut self.label);
                label.clear();
                write_label(other, &mut label);
                write_escaped(&label, &mut self.out);
                self.label = label;
            }
        }
        self.subtree(child.is_member, child.below);
    }

    fn subtree(&mut self, is_member: bool, below: SetView<'_, '_>) {
        if below.is_empty() {
            return self.out.extend_from_slice(b":{}");
        }
        self.out.extend_from_slice(b":{");
        if is_member {
            self.out.extend_from_slice(b"\".\":{}");
        }
        deep(|| self.children(below, is_member));
        self.out.push(b'}');
    }

    fn comma(&mut self, has_before: bool) {
        if has_before {
            self.out.push(b',');
        }
    }
}
