//! Reading nodes that are not text throughout, such as the result of a patch: runs of text are read as text.

use std::slice::Iter;

use super::{Expected, Level, PullReader, Start, TextForm};
use crate::{
    Arena, MAX_DEPTH,
    node::{Entry, Kind, Node, Scalar},
    write::to_bytes,
};

/// What is left of an open map or list.
#[derive(Debug)]
pub(super) enum Parts<'a> {
    Members(Iter<'a, Entry<'a>>),
    Items(Iter<'a, Node<'a>>),
}

impl<'a> PullReader<'a> {
    /// The beginning of a node. What is read is what would be read from its text, but that a float stays one.
    pub fn of_node(node: Node<'a>, arena: &'a Arena) -> Self {
        let mut reader = PullReader::new("", arena);
        // Whether it is written in canonical form is not known.
        reader.form = TextForm::Given;
        reader.turn_to(node);
        reader
    }

    /// Makes a node the next value.
    fn turn_to(&mut self, node: Node<'a>) {
        let is_container = matches!(node.kind(), Kind::Map | Kind::List);
        (self.text, self.at, self.node) = ("", 0, None);
        match node.as_text() {
            Some(text) => self.turn_to_text(text),
            None if is_container => self.node = Some(node),
            // Few scalars are not text, and those are short.
            None => self.turn_to_text(self.arena.alloc_slice_copy(&scalar_text(node))),
        }
    }

    fn turn_to_text(&mut self, text: &'a [u8]) {
        match std::str::from_utf8(text) {
            Ok(text) => self.text = text,
            // Nodes are UTF-8 in all their parts.
            Err(_) => self.fail(Expected::ShortUtf8),
        }
    }

    /// The same as [`PullReader::start`] where no text is next.
    #[cold]
    pub(super) fn start_of_node(&mut self) -> Start {
        match self.node.map(Node::kind) {
            Some(Kind::Map) => Start::Map,
            Some(_) => Start::List,
            None => {
                self.fail(Expected::Value);
                Start::Null
            }
        }
    }

    /// Steps into a node; fails if there is none of this type.
    #[cold]
    pub(super) fn open_node(&mut self, bracket: u8) -> Level<'a> {
        let parts = match (self.node.take().map(|node| (node, node.kind())), bracket) {
            _ if self.depth >= MAX_DEPTH => None,
            // Repeated members are read as they would be from text.
            (Some((node, Kind::Map)), b'{') => Some(Parts::Members(node.all_members(self.arena).iter())),
            (Some((node, Kind::List)), b'[') => Some(Parts::Items(node.elements(self.arena).iter())),
            _ => None,
        };
        match parts {
            Some(_) => self.depth += 1,
            None if self.depth >= MAX_DEPTH => self.fail(Expected::LessDepth),
            None => self.fail(Expected::Value),
        }
        Level::new(parts.map(|parts| self.arena.alloc(parts)))
    }

    /// The next member of a node.
    #[cold]
    pub(super) fn name_of_part(&mut self, map: &mut Level<'a>) -> Option<&'a str> {
        let next = match &mut map.parts {
            Some(Parts::Members(members)) if self.is_between_parts() => members.next(),
            _ => {
                let is_first = map.last.is_none();
                self.fail(if is_first { Expected::Name } else { Expected::NextMember });
                return None;
            }
        };
        let Some(member) = next else {
            self.depth = self.depth.saturating_sub(1);
            return None;
        };
        let name = member.key.text_in(self.arena);
        self.note_name(map, name);
        self.turn_to(member.value);
        Some(name)
    }

    /// The next item of a node.
    #[cold]
    pub(super) fn item_of_part(&mut self, list: &mut Level<'a>, expected: Expected) -> bool {
        let next = match &mut list.parts {
            Some(Parts::Items(items)) if self.is_between_parts() => items.next(),
            _ => {
                self.fail(expected);
                return false;
            }
        };
        match next {
            Some(item) => self.turn_to(*item),
            None => self.depth = self.depth.saturating_sub(1),
        }
        next.is_some()
    }

    /// Whether all of the part before was read, without a fault.
    fn is_between_parts(&self) -> bool {
        self.form < TextForm::NotJson && self.node.is_none() && self.at == self.text.len()
    }

    /// Passes over a node that is no text, and answers the text it would have.
    pub(super) fn pass_node(&mut self) -> Option<&'a str> {
        let node = self.node.take()?;
        let text = self.arena.alloc_slice_copy(&to_bytes(node));
        Some(std::str::from_utf8(text).unwrap_or_default())
    }
}

/// The text of a scalar.
fn scalar_text(node: Node<'_>) -> Vec<u8> {
    match node.scalar() {
        // Writers leave out the fraction of a whole number, which is an integer when it is read again.
        Some(Scalar::Float(float)) => format!("{float:?}").into_bytes(),
        _ => to_bytes(node),
    }
}
