//! Reading a [`Node`]: its type, its scalar, its members and elements, one level at a time.

use super::{
    built::BuiltMembers,
    entry::{drop_repeated, sort_entries},
    repr::{Entry, Node, Repr},
    scalar::{Kind, Scalar, kind_of_text, kind_of_value, scalar_of_text, scalar_of_value},
};
use crate::{
    Arena,
    error::ParseError,
    part::part_of,
    scan::skip_space,
    string::Str,
    text::{ElementScan, Ends, Extent, Form, MemberScan, Text},
};
use serde_json::Value;
use std::cmp::Ordering;

impl<'a> Node<'a> {
    /// The value `null`.
    pub const NULL: Node<'static> = Node(Repr::Scalar(Scalar::Null));

    /// A string made of these characters.
    pub const fn string(text: &'a str) -> Self {
        Node(Repr::Scalar(Scalar::String(Str::plain(text))))
    }

    /// A scalar.
    pub const fn scalar_node(scalar: Scalar<'a>) -> Self {
        Node(Repr::Scalar(scalar))
    }

    /// A borrowed [`Value`].
    ///
    /// # Errors
    /// If it is nested deeper than [`MAX_VALUE_DEPTH`](crate::MAX_VALUE_DEPTH).
    pub fn from_value(value: &'a Value) -> Result<Self, ParseError> {
        if fits_depth(value, crate::MAX_VALUE_DEPTH) {
            return Ok(Node(Repr::Value(value)));
        }
        Err(ParseError::too_deep(crate::MAX_VALUE_DEPTH))
    }

    pub(crate) fn from_text(bytes: &'a [u8], form: Form, ends: &'a Ends) -> Self {
        let start = skip_space(bytes, 0);
        let end = bytes.iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(start, |last| last + 1);
        // No large container: lookups would only cost time.
        let ends = (!ends.is_empty()).then_some(ends);
        Node(Repr::Text(Text { bytes: part_of(bytes, start..end), form, extent: Extent::Closed, ends }))
    }

    /// The dynamic type.
    #[inline]
    pub fn kind(self) -> Kind {
        match self.0 {
            Repr::Text(text) => kind_of_text(text),
            Repr::Value(value) => kind_of_value(value),
            Repr::Map(_) => Kind::Map,
            Repr::List(_) => Kind::List,
            Repr::Scalar(scalar) => scalar.kind(),
            Repr::Edited(edited) => kind_of_text(edited.text()),
        }
    }

    /// Whether the value is `null`.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The value as a scalar; `None` for a map or list.
    #[inline]
    pub fn scalar(self) -> Option<Scalar<'a>> {
        match self.0 {
            Repr::Text(text) => scalar_of_text(text),
            Repr::Value(value) => scalar_of_value(value),
            Repr::Scalar(scalar) => Some(scalar),
            Repr::Map(_) | Repr::List(_) | Repr::Edited(_) => None,
        }
    }

    /// The value if it is a string.
    #[inline]
    pub fn as_str(self) -> Option<Str<'a>> {
        match self.scalar() {
            Some(Scalar::String(string)) => Some(string),
            _ => None,
        }
    }

    /// The value as it was given, where it still is text.
    pub fn as_text(self) -> Option<&'a [u8]> {
        match self.0 {
            Repr::Text(text) => Some(text.close().bytes),
            _ => None,
        }
    }

    /// Calls `visit` for every member of a map as it is in the source, repeated members included.
    pub(crate) fn each_member(self, mut visit: impl FnMut(Entry<'a>)) {
        match self.0 {
            Repr::Text(text) if text.first() == b'{' => {
                let mut scan = MemberScan::of_map(text);
                while let Some((key, value)) = scan.next() {
                    visit(Entry { key, value: Node(Repr::Text(value)) });
                }
            }
            Repr::Value(Value::Object(map)) => {
                for (key, value) in map {
                    visit(Entry { key: Str::plain(key), value: Node(Repr::Value(value)) });
                }
            }
            Repr::Map(built) => BuiltMembers::new(built).for_each(visit),
            Repr::Edited(edited) if edited.is_map() => edited.members().for_each(visit),
            _ => {}
        }
    }

    /// Whether all members of a map pass a test, repeated ones included. Nothing is allocated.
    pub fn all_members_pass(self, mut test: impl FnMut(Entry<'a>) -> bool) -> bool {
        let mut passed = true;
        self.each_member(|entry| passed = passed && test(entry));
        passed
    }

    /// The members of a map in the order of the source; of repeated members the last. Empty for other values.
    pub fn entries(self, arena: &'a Arena) -> &'a [Entry<'a>] {
        let mut entries = self.collected(arena);
        if self.may_repeat_members() {
            drop_repeated(&mut entries);
        }
        entries.into_bump_slice()
    }

    /// The members of a map as they are in the source, repeated members included.
    pub(crate) fn all_members(self, arena: &'a Arena) -> &'a [Entry<'a>] {
        self.collected(arena).into_bump_slice()
    }

    fn collected(self, arena: &'a Arena) -> bumpalo::collections::Vec<'a, Entry<'a>> {
        let mut entries = bumpalo::collections::Vec::with_capacity_in(4, arena);
        self.each_member(|entry| entries.push(entry));
        entries
    }

    /// The members of a map, sorted by name; of repeated members the last. Empty for other values.
    pub fn sorted_entries(self) -> Vec<Entry<'a>> {
        let mut entries = Vec::new();
        self.each_member(|entry| entries.push(entry));
        if !self.has_sorted_members() {
            sort_entries(&mut entries);
        }
        entries
    }

    /// The member of this name; of repeated members the last.
    pub fn get(self, name: &str) -> Option<Node<'a>> {
        match self.0 {
            Repr::Text(text) if text.first() == b'{' => member_of_text(text, name),
            Repr::Value(Value::Object(map)) => map.get(name).map(|value| Node(Repr::Value(value))),
            Repr::Map(built) => {
                BuiltMembers::new(built).filter(|entry| entry.key.is(name)).last().map(|entry| entry.value)
            }
            Repr::Edited(edited) if edited.is_map() => {
                edited.members().filter(|entry| entry.key.is(name)).last().map(|entry| entry.value)
            }
            _ => None,
        }
    }

    /// The elements of a list. Empty for other values.
    pub fn elements(self, arena: &'a Arena) -> &'a [Node<'a>] {
        let mut elements = bumpalo::collections::Vec::new_in(arena);
        self.each_element(|element| elements.push(element));
        elements.into_bump_slice()
    }

    pub(crate) fn each_element(self, mut visit: impl FnMut(Node<'a>)) {
        match self.0 {
            Repr::Text(text) if text.first() == b'[' => {
                let mut scan = ElementScan::of_list(text);
                while let Some(element) = scan.next() {
                    visit(Node(Repr::Text(element.value)));
                }
            }
            Repr::Value(Value::Array(list)) => list.iter().for_each(|value| visit(Node(Repr::Value(value)))),
            Repr::List(built) => built.each_element(visit),
            Repr::Edited(edited) if !edited.is_map() => edited.elements().for_each(visit),
            _ => {}
        }
    }

    /// Whether the map or list has no parts; false for scalars.
    pub fn is_empty(self) -> bool {
        match self.0 {
            Repr::Text(text) => match text.first() {
                b'{' => MemberScan::of_map(text).next_name().is_none(),
                b'[' => ElementScan::of_list(text).next().is_none(),
                _ => false,
            },
            Repr::Value(Value::Object(map)) => map.is_empty(),
            Repr::Value(Value::Array(list)) => list.is_empty(),
            Repr::Map(built) => BuiltMembers::new(built).next().is_none(),
            Repr::List(built) => built.is_empty_list(),
            Repr::Value(_) | Repr::Scalar(_) | Repr::Edited(_) => false,
        }
    }

    /// Whether the value may hold this word in a key or string: false only if its text surely does not.
    pub fn may_mention(self, word: &str) -> bool {
        match self.0 {
            Repr::Text(text) => text.close().may_mention(word),
            Repr::Scalar(_) => false,
            // Searching these would be a walk of its own, so the answer is "perhaps".
            Repr::Value(_) | Repr::Map(_) | Repr::List(_) | Repr::Edited(_) => true,
        }
    }

    fn may_repeat_members(self) -> bool {
        match self.0 {
            Repr::Text(text) => text.form == Form::Given,
            // Sorted maps come from canonical text, which has no repetitions.
            Repr::Map(built) => !built.is_sorted(),
            Repr::Edited(edited) => edited.form() == Form::Given,
            _ => false,
        }
    }

    /// Whether the members are known to be sorted and unique.
    pub(crate) fn has_sorted_members(self) -> bool {
        match self.0 {
            Repr::Text(text) => text.form == Form::Canonical,
            Repr::Map(built) => built.is_sorted(),
            Repr::Edited(edited) => edited.form() == Form::Canonical,
            _ => false,
        }
    }
}

fn member_of_text<'a>(text: Text<'a>, name: &str) -> Option<Node<'a>> {
    let mut scan = MemberScan::of_map(text);
    let mut found = None;
    let wanted = Str::plain(name);
    while let Some(name) = scan.next_name() {
        match text.form {
            Form::Given if name.key != wanted => {}
            // Searched to the end: the last of repeated members counts.
            Form::Given => found = Some(Node(Repr::Text(scan.value(name)))),
            Form::Canonical => match name.key.cmp(&wanted) {
                Ordering::Less => {}
                Ordering::Equal => return Some(Node(Repr::Text(scan.value(name)))),
                Ordering::Greater => return None,
            },
        }
    }
    found
}

/// Whether the value has at most `levels` nested containers.
fn fits_depth(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(list) => levels > 0 && list.iter().all(|item| fits_depth(item, levels - 1)),
        Value::Object(map) => levels > 0 && map.values().all(|item| fits_depth(item, levels - 1)),
        _ => true,
    }
}
