//! Writes YAML that kubectl reads back to the same value, in the layout of Go's `sigs.k8s.io/yaml`.
//!
//! `style` decides how a scalar may be written, `scalar` writes it, `order` sorts keys, and this file lays
//! out maps and lists in block style. The walk keeps its own stack.

mod order;
mod scalar;
mod style;

use super::tree::{ItemId, Value, YamlDocument};

/// How to write.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    /// The order of the members of maps.
    pub key_order: KeyOrder,
}

/// The order in which the members of a map are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyOrder {
    /// As the value has them.
    #[default]
    Given,
    /// As kubectl sorts them: by letters, numbers within keys by their value (`a2` before `a10`).
    Sorted,
}

/// Whether kubectl writes a string without quotes, on one line.
///
/// ```
/// assert!(kubemerge_yaml::is_plain("web") && !kubemerge_yaml::is_plain("80"));
/// ```
#[must_use]
pub fn is_plain(text: &str) -> bool {
    style::notation(text) == style::Notation::Plain
}

/// Indentation of collections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// How far a map is indented from its key.
    pub(crate) map_step: usize,
    /// How far a list is indented from its key.
    pub(crate) list_step: usize,
}

/// Kubernetes' own layout: two spaces, dashes below their key.
// What kubectl prints: lists are not indented below their key.
pub(crate) const KUBERNETES: Layout = Layout { map_step: 2, list_step: 0 };

/// Where a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The whole document.
    Root,
    /// After the `key:` of a map at this indentation.
    Member(usize),
    /// After a dash, or after the colon of a key too long for one line, at this indentation.
    Compact(usize),
}

impl Slot {
    fn indent(self) -> usize {
        match self {
            Slot::Root => 0,
            Slot::Member(indent) | Slot::Compact(indent) => indent,
        }
    }
}

/// Collections that are indented further are written on one line, or indentation would outgrow content.
// Text would grow with the square of the depth.
const MAX_INDENT: usize = 256;

/// Writes one value into its slot; the text before the slot is already in `out`.
pub(crate) struct Emitter<'d, 't> {
    document: &'d YamlDocument<'t>,
    key_order: KeyOrder,
    layout: Layout,
    out: String,
    /// Characters since the last line break.
    column: usize,
    frames: Vec<Frame>,
    lines: Lines,
}

/// What may be done with line breaks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Long lines are folded, and a block may end in empty lines.
    Free,
    /// Other text follows, so neither is wise.
    Embedded,
}

/// A collection that is being written.
enum Frame {
    Map {
        members: std::vec::IntoIter<(ItemId, ItemId)>,
        indent: usize,
        open: Opening,
    },
    List {
        next: ItemId,
        end: ItemId,
        indent: usize,
        open: Opening,
    },
    /// In braces or brackets, all on one line.
    Flow {
        children: std::vec::IntoIter<(Option<ItemId>, ItemId)>,
        open: Opening,
        closing: &'static str,
    },
}

/// What comes before the next member or element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// Nothing: it continues the line of a dash.
    SameLine,
    NewLine,
}

impl<'d, 't> Emitter<'d, 't> {
    pub(crate) fn new(document: &'d YamlDocument<'t>, key_order: KeyOrder, layout: Layout) -> Self {
        Emitter {
            document,
            key_order,
            layout,
            out: String::new(),
            column: 0,
            frames: Vec::new(),
            lines: Lines::Free,
        }
    }

    /// The text of a document: the value and a line break.
    pub(crate) fn root(mut self, id: ItemId) -> String {
        self.value(id, Slot::Root);
        self.run();
        // Block scalars end with their own line break.
        if self.column > 0 {
            self.out.push('\n');
        }
        self.out
    }

    /// The text of a document before other text.
    pub(crate) fn root_fragment(mut self, id: ItemId) -> String {
        self.lines = Lines::Embedded;
        self.root(id)
    }

    /// The text of a value in a slot that starts at `column`, for insertion into another text.
    pub(crate) fn fragment(mut self, id: ItemId, slot: Slot, column: usize) -> String {
        self.lines = Lines::Embedded;
        self.column = column;
        self.value(id, slot);
        self.run();
        self.out
    }

    /// The text of one member on a line that is already indented, for insertion into another text.
    pub(crate) fn member_fragment(mut self, key: ItemId, value: ItemId, indent: usize) -> String {
        self.lines = Lines::Embedded;
        self.column = indent;
        self.member(key, value, indent);
        self.run();
        self.out
    }

    /// The text of a value between braces or brackets.
    pub(crate) fn flow_fragment(mut self, id: ItemId) -> String {
        self.flow_child(None, id, Opening::SameLine);
        self.run();
        self.out
    }

    /// A string in the quotes that its predecessor had.
    pub(crate) fn quoted_fragment(mut self, text: &str, quote: char) -> String {
        self.lines = Lines::Embedded;
        self.quoted(text, quote);
        self.out
    }

    fn run(&mut self) {
        // A loop with frames instead of recursion: documents may be very deep.
        while let Some(frame) = self.frames.last_mut() {
            match frame {
                Frame::Map { members, indent, open } => {
                    let (indent, opening) = (*indent, std::mem::replace(open, Opening::NewLine));
                    match members.next() {
                        Some((key, value)) => {
                            self.start(indent, opening);
                            self.member(key, value, indent);
                        }
                        None => drop(self.frames.pop()),
                    }
                }
                Frame::Flow { children, open, closing } => {
                    let opening = std::mem::replace(open, Opening::NewLine);
                    match (children.next(), *closing) {
                        (Some((key, value)), _) => self.flow_child(key, value, opening),
                        (None, closing) => {
                            self.push_ascii(closing);
                            self.frames.pop();
                        }
                    }
                }
                Frame::List { next, end, .. } if *next >= *end => drop(self.frames.pop()),
                Frame::List { next, indent, open, .. } => {
                    let (element, indent) = (*next, *indent);
                    let opening = std::mem::replace(open, Opening::NewLine);
                    *next = self.document.item(element).next;
                    self.start(indent, opening);
                    self.push_ascii("-");
                    self.value(element, Slot::Compact(indent));
                }
            }
        }
    }

    fn start(&mut self, indent: usize, opening: Opening) {
        if opening == Opening::NewLine {
            self.break_line(indent);
        }
    }

    fn member(&mut self, key: ItemId, value: ItemId, indent: usize) {
        let document = self.document;
        let text = document.key_text(key);
        if style::fits_simple_key(&text) {
            self.simple_key(&text);
            self.push_ascii(":");
            return self.value(value, Slot::Member(indent));
        }
        self.push_ascii("? ");
        // At least 2, because the text follows `? `.
        self.string(&text, indent + self.layout.map_step.max(2), self.layout.map_step.max(2));
        self.break_line(indent);
        self.push_ascii(":");
        self.value(value, Slot::Compact(indent));
    }

    fn value(&mut self, id: ItemId, slot: Slot) {
        let item = self.document.item(id);
        let empty = item.next == id + 1;
        match &item.value {
            Value::Map if empty => self.token(slot, "{}"),
            Value::List if empty => self.token(slot, "[]"),
            Value::Map | Value::List if slot.indent() >= MAX_INDENT => self.flow(id, slot),
            Value::Map => {
                let (indent, open) = self.open(slot, self.layout.map_step);
                let members = self.members(id).into_iter();
                self.frames.push(Frame::Map { members, indent, open });
            }
            Value::List => {
                let (indent, open) = self.open(slot, self.layout.list_step);
                let (next, end) = (id + 1, item.next);
                self.frames.push(Frame::List { next, end, indent, open });
            }
            Value::String(text) => {
                self.space(slot);
                let (indent, step) = self.text_indent(slot);
                self.string(text, indent, step);
            }
            scalar => self.token(slot, &scalar::plain_text(scalar)),
        }
    }

    /// Opens a collection in braces or brackets.
    fn flow(&mut self, id: ItemId, slot: Slot) {
        self.space(slot);
        let is_map = self.document.item(id).value == Value::Map;
        let (opening, closing) = if is_map { ("{", "}") } else { ("[", "]") };
        let children: Vec<_> = if is_map {
            self.members(id).into_iter().map(|(key, value)| (Some(key), value)).collect()
        } else {
            self.document.children(id).map(|element| (None, element)).collect()
        };
        self.push_ascii(opening);
        let children = children.into_iter();
        self.frames.push(Frame::Flow { children, open: Opening::SameLine, closing });
    }

    fn flow_child(&mut self, key: Option<ItemId>, value: ItemId, opening: Opening) {
        if opening == Opening::NewLine {
            self.push_ascii(", ");
        }
        if let Some(key) = key {
            let text = self.document.key_text(key);
            self.push_ascii(if style::fits_simple_key(&text) { "" } else { "? " });
            self.one_line(&text);
            self.push_ascii(": ");
        }
        match &self.document.item(value).value {
            Value::Map | Value::List => self.flow(value, Slot::Root),
            Value::String(text) => self.one_line(text),
            scalar => self.push_ascii(&scalar::plain_text(scalar)),
        }
    }

    /// Where the members or elements of a collection in this slot are, and how the first one starts.
    fn open(&mut self, slot: Slot, step: usize) -> (usize, Opening) {
        match slot {
            Slot::Root => (0, Opening::SameLine),
            Slot::Member(indent) => (indent + step, Opening::NewLine),
            Slot::Compact(_) => {
                self.push_ascii(" ");
                (self.column, Opening::SameLine)
            }
        }
    }

    /// The indentation of a scalar's further lines, and how much that is beyond its parent's.
    fn text_indent(&self, slot: Slot) -> (usize, usize) {
        // At least two columns, even where the file indents maps by one.
        let step = self.layout.map_step.max(2);
        match slot {
            Slot::Root => (2, 2),
            Slot::Member(indent) | Slot::Compact(indent) => (indent + step, step),
        }
    }

    fn members(&self, map: ItemId) -> Vec<(ItemId, ItemId)> {
        let document = self.document;
        let mut members: Vec<_> = document.entries(map).collect();
        // What is written has no aliases, so merged members are written out.
        if document.item(map).mark.overrides {
            // Fails only for excessive aliasing, which reading has refused.
            let effective = document.members(map).unwrap_or_default();
            members = effective.iter().map(|member| (member.key, member.value)).collect();
        }
        if self.key_order == KeyOrder::Sorted {
            order::sort_members(document, &mut members);
        }
        members
    }

    fn token(&mut self, slot: Slot, text: &str) {
        self.space(slot);
        self.push_ascii(text);
    }

    fn space(&mut self, slot: Slot) {
        if slot != Slot::Root {
            self.push_ascii(" ");
        }
    }

    /// Goes to a new line unless it is on one, and indents it.
    fn break_line(&mut self, indent: usize) {
        if self.column > 0 {
            self.out.push('\n');
        }
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.column = indent;
    }

    fn push_ascii(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.len();
    }

    fn push(&mut self, character: char) {
        self.out.push(character);
        self.column += 1;
    }
}
