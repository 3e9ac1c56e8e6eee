//! A list of maps walked once: the position of each item, and the value of its key.
//!
//! This is for long lists of which little changes. Nothing is kept of an item that no caller asks for, and the
//! walk over the members of an item finds its end.

use crate::{
    Arena,
    node::{Built, Order, Piece, Tail},
    node::{Node, Repr, Scalar},
    part::part_of,
    scan::{StringEnd, string_end},
    string::{Str, decode},
    text::{Form, Resume, Text, string_of},
    walk::Walked,
};
use bumpalo::collections::Vec as ArenaVec;

/// A walk over the items of a list.
pub struct ItemScan<'a, 'n> {
    source: Source<'a>,
    names: ItemFields<'n>,
    /// In text the position after the last item, else its number.
    at: usize,
    /// How many items were passed.
    passed: usize,
    /// The last key that [`skip_ascending`](Self::skip_ascending) saw.
    last_key: &'a [u8],
}

#[derive(Clone, Copy)]
enum Source<'a> {
    Text(Text<'a>),
    Nodes(&'a [Node<'a>]),
}

/// The members of an item that matter to a walk.
#[derive(Clone, Copy)]
pub struct ItemFields<'n> {
    /// The member that distinguishes items.
    pub key: &'n str,
    /// A member that makes an item special.
    pub mark: &'n str,
}

impl ItemFields<'_> {
    /// The end of a map, from after its key, which is its first member; `None` if the key or the mark may follow.
    #[inline(always)]
    fn end_of_map(&self, text: Text<'_>, at: usize) -> Option<usize> {
        let bytes = text.bytes;
        // Where members are sorted, neither can.
        let is_sorted = text.form == Form::Canonical && self.mark < self.key;
        let mut at = text.after_comma(at);
        while bytes.get(at) == Some(&b'"') {
            let name = string_end(bytes, at + 1);
            let quoted = part_of(bytes, at..name.end);
            // The key may come again, and the last one counts; or the mark may follow.
            if !is_sorted
                && (name.escapes || spells(quoted, false, self.key) || spells(quoted, false, self.mark))
            {
                return None;
            }
            at = text.after_comma(text.value_end(text.after_colon(name.end)).end);
        }
        Some(bytes.len().min(at + 1))
    }

    /// What a single item says: the value of its key, and whether it has the mark.
    pub fn read<'a>(&self, item: Node<'a>) -> (ItemKey<'a>, bool) {
        match item.0 {
            Repr::Text(text) if text.first() == b'{' => {
                let found = walk_map(text, 0, *self);
                (found.key(text), found.is_marked)
            }
            _ => (item.get(self.key).into(), item.get(self.mark).is_some()),
        }
    }
}

/// An item of a list.
#[derive(Clone, Copy)]
pub struct ListItem<'a> {
    /// The value of its key.
    pub key: ItemKey<'a>,
    /// Whether it has the member that makes it special.
    pub is_marked: bool,
    /// Its position in the list.
    pub at: usize,
    /// After the item before.
    gap: usize,
    /// After the item itself.
    end: usize,
}

/// The keys of a list do not rise from item to item.
#[derive(Debug)]
pub struct KeysUnsorted;

/// The value of the key of an item.
#[derive(Clone, Copy)]
pub enum ItemKey<'a> {
    /// The item has no such member, or is no map.
    Missing,
    /// A scalar.
    Scalar(Scalar<'a>),
    /// A map or list.
    Compound,
}

impl<'a> From<Option<Node<'a>>> for ItemKey<'a> {
    #[inline]
    fn from(value: Option<Node<'a>>) -> Self {
        value.map_or(ItemKey::Missing, |value| value.scalar().map_or(ItemKey::Compound, ItemKey::Scalar))
    }
}

impl<'a> Iterator for ItemScan<'a, '_> {
    type Item = ListItem<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<ListItem<'a>> {
        // Items whose first member is the key, which is how most lists are written.
        if let Some(item) = self.next_by_first_key() {
            return Some(item);
        }
        let gap = self.at;
        let (key, is_marked) = match self.source {
            Source::Text(text) => self.next_in_text(text)?,
            Source::Nodes(nodes) => {
                let node = nodes.get(gap)?;
                self.at += 1;
                self.names.read(*node)
            }
        };
        self.passed += 1;
        Some(ListItem { key, is_marked, at: self.passed - 1, gap, end: self.at })
    }
}

impl<'a, 'n> ItemScan<'a, 'n> {
    /// Starts before the first item; anything but a list has none.
    pub fn new(list: Node<'a>, names: ItemFields<'n>, arena: &'a Arena) -> Self {
        let (source, at) = match list.0 {
            Repr::Text(text) if text.first() == b'[' => (Source::Text(text), 1),
            _ => (Source::Nodes(list.elements(arena)), 0),
        };
        ItemScan { source, names, at, passed: 0, last_key: b"" }
    }

    /// Passes items up to the one with this key, or to the end, as long as their keys are strings that rise and
    /// none of them is special.
    ///
    /// # Errors
    /// If the next item is not like that.
    pub fn skip_ascending(&mut self, until: Option<Str<'_>>) -> Result<Option<ListItem<'a>>, KeysUnsorted> {
        let until = until.map(Str::bytes);
        while let Some(item) = self.next() {
            let ItemKey::Scalar(Scalar::String(key)) = item.key else { return Err(KeysUnsorted) };
            let key = key.unescaped().ok_or(KeysUnsorted)?;
            // Repeated or unsorted keys need the walk that looks at all items.
            if item.is_marked || key <= std::mem::replace(&mut self.last_key, key) {
                return Err(KeysUnsorted);
            }
            if until.as_deref() == Some(key) {
                return Ok(Some(item));
            }
        }
        Ok(None)
    }

    /// The next item, if its first member is its key, a string without escapes, and the item is not special. Most
    /// items of Kubernetes' lists are so, and need no walk over all of their members.
    #[inline(always)]
    fn next_by_first_key(&mut self) -> Option<ListItem<'a>> {
        let Source::Text(text) = self.source else { return None };
        let item = text.bytes.get(text.after_comma(self.at)..)?;
        let value =
            item.strip_prefix(b"{\"")?.strip_prefix(self.names.key.as_bytes())?.strip_prefix(b"\":\"")?;
        let key_at = text.bytes.len() - value.len();
        let StringEnd { end, escapes } = string_end(text.bytes, key_at);
        // A backslash in the text is an escape; one in the name is meant literally.
        if escapes || self.names.key.contains('\\') {
            return None;
        }
        let key = string_of(text.bytes.get(key_at..end.checked_sub(1)?)?, text.form, false);
        let gap = std::mem::replace(&mut self.at, self.names.end_of_map(text, end)?);
        self.passed += 1;
        let key = ItemKey::Scalar(Scalar::String(key));
        Some(ListItem { key, is_marked: false, at: self.passed - 1, gap, end: self.at })
    }

    #[inline(always)]
    fn next_in_text(&mut self, text: Text<'a>) -> Option<(ItemKey<'a>, bool)> {
        let start = text.after_comma(self.at);
        match text.bytes.get(start)? {
            // The end; the position stays before the bracket for the tail.
            b']' => None,
            b'{' => {
                let found = walk_map(text, start, self.names);
                self.at = found.end;
                Some((found.key(text), found.is_marked))
            }
            // An item that is no map has no key.
            _ => {
                self.at = text.end_at(start);
                Some((ItemKey::Missing, false))
            }
        }
    }

    /// The value of an item that `next` gave.
    pub fn node(&self, item: &ListItem<'a>) -> Node<'a> {
        match self.source {
            Source::Text(text) => {
                let start = text.after_comma(item.gap);
                Node(Repr::Text(text.closed(part_of(text.bytes, start..item.end))))
            }
            Source::Nodes(nodes) => nodes.get(item.gap).copied().unwrap_or(Node::NULL),
        }
    }

    /// How far the list has been walked, where it is text. All items must have been passed.
    pub fn walked(&self) -> Option<Walked> {
        let at = self.rest().1?.len();
        Some(Walked(Resume { at, depth: 0 }))
    }

    /// The list with other values for these items, which are in its order. All items must have been passed.
    pub fn replace(&self, changed: &[(ListItem<'a>, Node<'a>)], arena: &'a Arena) -> Node<'a> {
        let mut pieces = ArenaVec::with_capacity_in(2 * changed.len() + 1, arena);
        let mut kept = match self.source {
            Source::Text(_) => 1,
            Source::Nodes(_) => 0,
        };
        for (item, node) in changed {
            self.keep(kept, item.gap, &mut pieces);
            pieces.push(Piece::item(*node));
            kept = item.end;
        }
        self.keep(kept, self.at, &mut pieces);
        let (tail, source) = self.rest();
        let built = Built { source, ..Built::new(pieces.into_bump_slice(), tail, Order::AsBuilt) };
        Node(Repr::List(arena.alloc(built)))
    }

    /// Keeps the items between two places after items.
    fn keep(&self, from: usize, to: usize, pieces: &mut ArenaVec<'a, Piece<'a>>) {
        match self.source {
            Source::Text(text) if from < to => {
                let start = text.after_comma(from);
                let gap = part_of(text.bytes, from..start);
                pieces.push(Piece::Run { gap, text: text.closed(part_of(text.bytes, start..to)) });
            }
            Source::Text(_) => {}
            Source::Nodes(nodes) => {
                pieces.extend(part_of(nodes, from..to).iter().map(|node| Piece::item(*node)));
            }
        }
    }

    /// What follows the last item, and the whole text of the list.
    fn rest(&self) -> (Tail<'a>, Option<&'a [u8]>) {
        let Source::Text(text) = self.source else { return (Tail::Bracket, None) };
        let rest = part_of(text.bytes, self.at..);
        let length = rest.iter().position(|byte| *byte == b']').map_or(rest.len(), |at| at + 1);
        (Tail::Rest(text.closed(part_of(rest, ..length))), Some(part_of(text.bytes, ..self.at + length)))
    }
}

/// What a walk over the members of a map finds.
struct FoundMembers {
    /// After the map.
    end: usize,
    /// The value of the key; 0 is no valid position.
    key_at: usize,
    key_end: StringEnd,
    is_marked: bool,
}

/// Walks the members of the map that starts at `start`.
#[inline(always)]
fn walk_map(text: Text<'_>, start: usize, names: ItemFields<'_>) -> FoundMembers {
    let bytes = text.bytes;
    let mut found =
        FoundMembers { end: 0, key_at: 0, key_end: StringEnd { end: 0, escapes: false }, is_marked: false };
    let mut at = text.after_comma(start + 1);
    while bytes.get(at) == Some(&b'"') {
        let name = string_end(bytes, at + 1);
        let value_at = text.after_colon(name.end);
        let value = text.value_end(value_at);
        let quoted = part_of(bytes, at..name.end);
        if spells(quoted, name.escapes, names.key) {
            (found.key_at, found.key_end) = (value_at, value);
        } else if spells(quoted, name.escapes, names.mark) {
            found.is_marked = true;
        }
        at = text.after_comma(value.end);
    }
    found.end = bytes.len().min(at + 1);
    found
}

impl FoundMembers {
    #[inline]
    fn key<'a>(&self, text: Text<'a>) -> ItemKey<'a> {
        // Position 0 is the bracket of the list.
        if self.key_at == 0 {
            return ItemKey::Missing;
        }
        let value = part_of(text.bytes, self.key_at..self.key_end.end);
        match value {
            [b'"', raw @ .., b'"'] => {
                ItemKey::Scalar(Scalar::String(string_of(raw, text.form, self.key_end.escapes)))
            }
            _ => Some(Node(Repr::Text(text.closed(value)))).into(),
        }
    }
}

/// Whether a string in quotes means these characters.
#[inline(always)]
fn spells(quoted: &[u8], escapes: bool, name: &str) -> bool {
    if escapes {
        return decoded(quoted) == name;
    }
    matches!(quoted, [_, inside @ .., _] if inside == name.as_bytes())
}

#[cold]
fn decoded(quoted: &[u8]) -> String {
    decode(quoted.get(1..quoted.len() - 1).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Canonical, Document, to_bytes};

    const LIST: &str = r#"[ {"name" : "a", "value":[1, {"name":"no"}]},{"n\u0061me":"b\"","x":{}} ,
        {"name":1,"name":{"$patch":1}}, 7, {}, ["name"], {"$patch":null,"name":-2.5} ]"#;

    fn names() -> ItemFields<'static> {
        ItemFields { key: "name", mark: "$patch" }
    }

    /// The walk sees what a look at every single element sees.
    fn agrees(list: Node<'_>) {
        let arena = Arena::new();
        let mut scan = ItemScan::new(list, names(), &arena);
        for element in list.elements(&arena) {
            let item = scan.next().unwrap();
            assert_eq!(to_bytes(scan.node(&item)), to_bytes(*element));
            assert_eq!(item.is_marked, element.get("$patch").is_some());
            let expected = element.get("name").map(Node::scalar);
            match item.key {
                ItemKey::Missing => assert!(expected.is_none()),
                ItemKey::Scalar(value) => assert_eq!(expected, Some(Some(value))),
                ItemKey::Compound => assert_eq!(expected, Some(None)),
            }
        }
        assert!(scan.next().is_none());
    }

    #[test]
    fn items_are_seen_in_every_source() {
        agrees(Document::check(LIST.as_bytes()).unwrap().node());
        agrees(Canonical::from_bytes(LIST.as_bytes()).unwrap().node());
        agrees(Node::from_value(&serde_json::from_str(LIST).unwrap()).unwrap());
        agrees(Document::check(b"{}").unwrap().node());
    }

    #[test]
    fn other_values_stand_between_what_is_kept() {
        let replaced = |list: &[u8], which: &[usize]| {
            let (arena, document) = (Arena::new(), Document::check(list).unwrap());
            let mut scan = ItemScan::new(document.node(), names(), &arena);
            let items: Vec<ListItem<'_>> = scan.by_ref().collect();
            let changed: Vec<_> = which.iter().map(|at| (items[*at], Node::NULL)).collect();
            String::from_utf8(to_bytes(scan.replace(&changed, &arena))).unwrap()
        };
        let list = br#"[ {"a":1}, {"b":2},{"c":3} ]"#;
        assert_eq!(replaced(list, &[]), r#"[ {"a":1}, {"b":2},{"c":3} ]"#);
        assert_eq!(replaced(list, &[0]), r#"[null, {"b":2},{"c":3} ]"#);
        assert_eq!(replaced(list, &[1]), r#"[ {"a":1},null,{"c":3} ]"#);
        assert_eq!(replaced(list, &[0, 1, 2]), r"[null,null,null ]");
    }
}
