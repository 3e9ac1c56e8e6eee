//! Writing a value as Go's encoder writes it. Text that is canonical already is copied.

use super::size::size_hint;
use crate::{
    MAX_DEPTH,
    document::Canonical,
    node::sort_entries,
    node::{Built, OpenEnd, Piece, Tail},
    node::{Edited, Part},
    node::{Kind, Node, Repr, Scalar},
    number,
    part::part_of,
    stack::deep,
    text::{ElementScan, Extent, Form, Text},
};
use serde_json::Value;

/// The value as canonical bytes.
pub fn to_canonical(node: Node<'_>) -> Canonical {
    let mut out = Vec::with_capacity(size_hint(node));
    let mut writer = CanonicalWriter { out: &mut out, level: 0, deepest: 0 };
    writer.closed_value(node);
    let depth = writer.deepest;
    Canonical::written(out, depth)
}

/// Writes a value that has no text yet.
pub(super) fn write_fresh(node: Node<'_>, out: &mut Vec<u8>) {
    CanonicalWriter { out, level: 0, deepest: 0 }.closed_value(node);
}

/// Appends a value at this level; answers the deepest level it has.
pub(super) fn write_value(node: Node<'_>, level: usize, out: &mut Vec<u8>) -> usize {
    let mut writer = CanonicalWriter { out, level, deepest: level };
    writer.closed_value(node);
    writer.deepest
}

struct CanonicalWriter<'w> {
    out: &'w mut Vec<u8>,
    level: usize,
    /// How deep the value is nested; text that is copied counts only if its document says it is deep.
    deepest: usize,
}

impl CanonicalWriter<'_> {
    fn closed_value(&mut self, node: Node<'_>) {
        // The end of the last value may be the end of many containers, which one copy closes.
        let open = self.value(node);
        self.close(open);
    }

    fn close(&mut self, open: Option<OpenEnd<'_>>) {
        if let Some(open) = open {
            self.copy(open.text.closed(open.bytes()));
        }
    }

    fn value<'a>(&mut self, node: Node<'a>) -> Option<OpenEnd<'a>> {
        match node.0 {
            Repr::Text(text) if text.form == Form::Canonical => self.copy(text.close()),
            Repr::Text(text) => self.given_text(text),
            Repr::Scalar(scalar) => self.scalar(scalar),
            // Its runs are canonical text already.
            Repr::Map(built) if built.is_sorted() => return self.nested(|writer| writer.sorted_map(built)),
            Repr::Map(_) | Repr::Value(Value::Object(_)) => self.nested(|writer| writer.map(node)),
            Repr::List(built) => self.nested(|writer| writer.built_list(built)),
            Repr::Edited(edited) if edited.form() == Form::Canonical => self.edited(edited),
            Repr::Edited(_) if node.kind() == Kind::Map => self.nested(|writer| writer.map(node)),
            Repr::Edited(_) => self.nested(|writer| writer.list(node)),
            Repr::Value(Value::Array(_)) => self.nested(|writer| writer.list(node)),
            Repr::Value(_) => self.scalar(node.scalar().unwrap_or(Scalar::Null)),
        }
        None
    }

    /// One level deeper.
    fn nested<R>(&mut self, level: impl FnOnce(&mut Self) -> R) -> R {
        self.level += 1;
        self.deepest = self.deepest.max(self.level);
        let result = deep(|| level(self));
        self.level -= 1;
        result
    }

    fn copy(&mut self, text: Text<'_>) {
        if text.ends.is_some() {
            // The text is deep enough to have an index; how deep exactly is not worth counting.
            self.deepest = MAX_DEPTH;
        }
        self.out.extend_from_slice(text.bytes);
    }

    /// Canonical text, and new values in it. Their level is that in the document, of which this may be a part: it is
    /// counted too high then, which does no harm.
    fn edited(&mut self, edited: Edited<'_>) {
        if edited.is_deep() {
            self.deepest = MAX_DEPTH;
        }
        let level = self.level;
        edited.each_part(|part| match part {
            Part::Kept(bytes) => self.out.extend_from_slice(bytes),
            Part::New(node, inside) => {
                self.level = level + inside;
                deep(|| self.closed_value(node));
            }
        });
        self.level = level;
    }

    fn given_text(&mut self, text: Text<'_>) {
        match text.first() {
            b'{' => self.nested(|writer| writer.map(Node(Repr::Text(text)))),
            b'[' => self.nested(|writer| writer.list(Node(Repr::Text(text)))),
            b'"' => text.string().write_canonical(self.out),
            b't' | b'f' | b'n' => self.out.extend_from_slice(text.bytes),
            _ => number::write_canonical(text.bytes, self.out),
        }
    }

    fn scalar(&mut self, scalar: Scalar<'_>) {
        match scalar {
            Scalar::Null => self.out.extend_from_slice(b"null"),
            Scalar::Bool(true) => self.out.extend_from_slice(b"true"),
            Scalar::Bool(false) => self.out.extend_from_slice(b"false"),
            Scalar::Int(int) => self.out.extend_from_slice(int.to_string().as_bytes()),
            Scalar::Float(float) => number::write_float(float, self.out),
            Scalar::String(string) => string.write_canonical(self.out),
        }
    }

    /// An edit of canonical text: its pieces are sorted, and its runs are canonical.
    fn sorted_map<'a>(&mut self, built: &Built<'a>) -> Option<OpenEnd<'a>> {
        self.out.push(b'{');
        let mut open = None;
        for (at, piece) in built.pieces.iter().enumerate() {
            self.close(open.take());
            if at > 0 {
                self.out.push(b',');
            }
            match piece {
                Piece::Run { text, .. } => self.copy(*text),
                Piece::Entry { entry, .. } => {
                    entry.key.write_canonical(self.out);
                    self.out.push(b':');
                    open = self.value(entry.value);
                }
                Piece::Item { .. } => {}
            }
        }
        self.tail(built, open)
    }

    fn tail<'a>(&mut self, built: &Built<'a>, open: Option<OpenEnd<'a>>) -> Option<OpenEnd<'a>> {
        let text = match (built.tail, open) {
            (Tail::AfterLast(Extent::Closed), Some(open)) => {
                self.copy(open.text.closed(open.text.bytes));
                return None;
            }
            (Tail::AfterLast(_) | Tail::Bracket, open) => return open.map(OpenEnd::outward),
            (Tail::Rest(text), open) => {
                self.close(open);
                text
            }
        };
        let bytes = match text.bytes.first() {
            // What was before it is removed.
            Some(b',') if built.pieces.is_empty() => part_of(text.bytes, 1..),
            // The first member of the source, with something new before it.
            Some(b'"') if !built.pieces.is_empty() => {
                self.out.push(b',');
                text.bytes
            }
            _ => text.bytes,
        };
        let rest = Text { bytes, ..text };
        if text.extent == Extent::Open {
            return Some(OpenEnd { text: rest, depth: 1 });
        }
        self.copy(rest);
        None
    }

    fn map(&mut self, node: Node<'_>) {
        let mut entries = Vec::new();
        node.each_member(|entry| entries.push(entry));
        sort_entries(&mut entries);
        self.out.push(b'{');
        for (at, entry) in entries.iter().enumerate() {
            if at > 0 {
                self.out.push(b',');
            }
            entry.key.write_canonical(self.out);
            self.out.push(b':');
            self.closed_value(entry.value);
        }
        self.out.push(b'}');
    }

    fn list(&mut self, node: Node<'_>) {
        self.out.push(b'[');
        let mut first = true;
        node.each_element(|element| self.element(element, &mut first));
        self.out.push(b']');
    }

    fn built_list(&mut self, built: &Built<'_>) {
        self.out.push(b'[');
        let mut first = true;
        for piece in built.pieces {
            match piece {
                Piece::Run { text, .. } if text.form == Form::Canonical => {
                    self.comma(&mut first);
                    self.copy(*text);
                }
                Piece::Run { text, .. } => {
                    let mut scan = ElementScan::of_run(*text);
                    while let Some(element) = scan.next() {
                        self.element(Node(Repr::Text(element.value)), &mut first);
                    }
                }
                Piece::Item { node, .. } => self.element(*node, &mut first),
                Piece::Entry { .. } => {}
            }
        }
        self.out.push(b']');
    }

    fn element(&mut self, node: Node<'_>, first: &mut bool) {
        self.comma(first);
        self.closed_value(node);
    }

    fn comma(&mut self, first: &mut bool) {
        if !std::mem::take(first) {
            self.out.push(b',');
        }
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(to_canonical(*self).as_bytes()))
    }
}
