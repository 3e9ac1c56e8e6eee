//! The document while its operations run.
//!
//! Containers that an operation passes are opened once and edited in place; everything else stays a node. All
//! parts live in one vector and name each other by position, so that nothing depends on how deep they are
//! nested. The edits become nodes when the last operation has run.

use super::sequence::Sequence;
use kubemerge_value::part::{item_at, item_at_mut};
use kubemerge_value::{Arena, Entry, Kind, ListView, MapEdit, Node, Pick, Str, deep, list, map};
use std::collections::HashMap;

/// The place of a part in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part(usize);

pub(super) struct Tree<'a> {
    pub(super) arena: &'a Arena,
    parts: Vec<Slot<'a>>,
}

/// What a part is.
pub(super) enum Slot<'a> {
    /// Not expanded yet.
    Closed(Node<'a>, Spelling),
    /// A null that an operation gave.
    GivenNull,
    /// A copy of such a null.
    CopiedNull,
    Map(OpenMap<'a>),
    List(OpenList<'a>),
}

/// How strings in a part are spelled, which decides whether a `test` finds them equal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// As in the document or in the patch.
    Given,
    /// As Go's encoder wrote them when they were copied.
    Copied,
}

/// A map that was opened.
pub(super) struct OpenMap<'a> {
    source: Node<'a>,
    spelling: Spelling,
    edits: HashMap<Str<'a>, Edit>,
    /// How many members more than the source.
    growth: isize,
    seeks: usize,
    members: Option<SourceMembers<'a>>,
}

#[derive(Clone, Copy)]
enum Edit {
    /// A member of the source that an operation read.
    Opened(Part),
    /// A new or another value.
    Put(Part),
    Removed,
}

/// The members of a map, within reach.
struct SourceMembers<'a> {
    entries: &'a [Entry<'a>],
    index: HashMap<Str<'a>, Node<'a>>,
}

/// A list that was opened.
pub(super) struct OpenList<'a> {
    view: ListView<'a>,
    spelling: Spelling,
    items: Sequence<Item>,
}

#[derive(Clone, Copy)]
enum Item {
    /// An element of the source.
    Keep(usize),
    /// An element of the source that an operation read.
    Opened(usize, Part),
    /// Another value.
    Put(Part),
}

/// After this many look-ups a map is indexed.
// A few searches of the text are cheaper than an index of all members.
const SEEKS_BEFORE_INDEX: usize = 4;

impl<'a> Tree<'a> {
    pub(super) fn new(arena: &'a Arena) -> Self {
        Tree { arena, parts: Vec::new() }
    }

    /// Adds a part that belongs nowhere yet.
    pub(super) fn part(&mut self, slot: Slot<'a>) -> Part {
        self.parts.push(slot);
        Part(self.parts.len() - 1)
    }

    pub(super) fn slot(&self, part: Part) -> &Slot<'a> {
        item_at(&self.parts, part.0)
    }

    /// Whether the part is a null of the document.
    pub(super) fn is_null(&self, part: Part) -> bool {
        matches!(self.slot(part), Slot::Closed(node, _) if node.is_null())
    }

    /// Opens a map or list; anything else stays as it is.
    pub(super) fn open(&mut self, part: Part) -> &mut Slot<'a> {
        let arena = self.arena;
        let slot = item_at_mut(&mut self.parts, part.0);
        if let Slot::Closed(node, spelling) = *slot {
            match node.kind() {
                Kind::Map => *slot = Slot::Map(OpenMap::new(node, spelling)),
                Kind::List => *slot = Slot::List(OpenList::new(node, spelling, arena)),
                _ => {}
            }
        }
        slot
    }

    /// The member of an open map; `None` if there is none.
    pub(super) fn member(&mut self, part: Part, key: Str<'a>) -> Option<Part> {
        let arena = self.arena;
        let fresh = Part(self.parts.len());
        let Slot::Map(open) = item_at_mut(&mut self.parts, part.0) else { return None };
        match open.edits.get(&key) {
            Some(Edit::Opened(part) | Edit::Put(part)) => return Some(*part),
            Some(Edit::Removed) => return None,
            None => {}
        }
        let closed = Slot::Closed(open.in_source(key, arena)?, open.spelling);
        // Noted even for reading: a later operation may change it.
        open.edits.insert(key, Edit::Opened(fresh));
        self.parts.push(closed);
        Some(fresh)
    }

    /// Adds or replaces a member of an open map.
    pub(super) fn put_member(&mut self, part: Part, key: Str<'a>, value: Part) {
        let known = self.member(part, key).is_some();
        let Slot::Map(open) = item_at_mut(&mut self.parts, part.0) else { return };
        open.edits.insert(key, Edit::Put(value));
        open.growth += isize::from(!known);
    }

    /// Removes a member of an open map; whether there was one.
    pub(super) fn remove_member(&mut self, part: Part, key: Str<'a>) -> bool {
        let known = self.member(part, key).is_some();
        let Slot::Map(open) = item_at_mut(&mut self.parts, part.0) else { return false };
        if known {
            open.edits.insert(key, Edit::Removed);
            open.growth -= 1;
        }
        known
    }

    /// How many members an open map has.
    pub(super) fn member_count(&mut self, part: Part) -> usize {
        let arena = self.arena;
        let Slot::Map(open) = item_at_mut(&mut self.parts, part.0) else { return 0 };
        open.members(arena).entries.len().saturating_add_signed(open.growth)
    }

    /// The element of an open list.
    pub(super) fn element(&mut self, part: Part, at: usize) -> Option<Part> {
        let fresh = Part(self.parts.len());
        let Slot::List(open) = item_at_mut(&mut self.parts, part.0) else { return None };
        match open.items.get(at)? {
            Item::Opened(_, part) | Item::Put(part) => Some(part),
            Item::Keep(place) => {
                let closed = Slot::Closed(*item_at(open.view.items(), place), open.spelling);
                open.items.set(at, Item::Opened(place, fresh));
                self.parts.push(closed);
                Some(fresh)
            }
        }
    }

    pub(super) fn set_element(&mut self, part: Part, at: usize, value: Part) {
        if let Slot::List(open) = item_at_mut(&mut self.parts, part.0) {
            open.items.set(at, Item::Put(value));
        }
    }

    pub(super) fn insert_element(&mut self, part: Part, at: usize, value: Part) {
        if let Slot::List(open) = item_at_mut(&mut self.parts, part.0) {
            open.items.insert(at, Item::Put(value));
        }
    }

    pub(super) fn remove_element(&mut self, part: Part, at: usize) {
        if let Slot::List(open) = item_at_mut(&mut self.parts, part.0) {
            open.items.remove(at);
        }
    }

    /// The part as a node that shares what is untouched with its source.
    pub(super) fn node(&self, part: Part) -> Node<'a> {
        match self.slot(part) {
            Slot::Closed(node, _) => *node,
            Slot::GivenNull | Slot::CopiedNull => Node::NULL,
            Slot::Map(open) => deep(|| self.edited_map(open)).unwrap_or(open.source),
            Slot::List(open) => deep(|| self.edited_list(open)).unwrap_or(open.view.node()),
        }
    }

    /// The part as a node, if it is no longer what it was.
    fn edited(&self, part: Part) -> Option<Node<'a>> {
        match self.slot(part) {
            Slot::Map(open) => deep(|| self.edited_map(open)),
            Slot::List(open) => deep(|| self.edited_list(open)),
            _ => None,
        }
    }

    fn edited_map(&self, open: &OpenMap<'a>) -> Option<Node<'a>> {
        let mut changes: Vec<(Str<'a>, JsonMemberChange<'a>)> = Vec::new();
        for (key, edit) in &open.edits {
            match edit {
                Edit::Removed => changes.push((*key, JsonMemberChange::Remove)),
                Edit::Put(part) => changes.push((*key, JsonMemberChange::Put(self.node(*part)))),
                Edit::Opened(part) => {
                    changes.extend(self.edited(*part).map(|node| (*key, JsonMemberChange::Become(node))));
                }
            }
        }
        // Opened but unchanged: the source is the result, byte for byte.
        if changes.is_empty() {
            return None;
        }
        // Edits of canonical text go forward only, and hash order must not show.
        changes.sort_by_key(|(key, _)| *key);
        let mut edit = MapEdit::new(open.source, self.arena);
        for (key, change) in changes {
            change.make(key, &mut edit);
        }
        Some(edit.finish())
    }

    fn edited_list(&self, open: &OpenList<'a>) -> Option<Node<'a>> {
        let mut changed = open.items.len() != open.view.items().len();
        let mut picks = Vec::with_capacity(open.items.len());
        for (at, item) in open.items.iter().enumerate() {
            let pick = match item {
                Item::Keep(place) => Pick::Keep(place),
                Item::Opened(place, part) => self.edited(part).map_or(Pick::Keep(place), Pick::Put),
                Item::Put(part) => Pick::Put(self.node(part)),
            };
            changed |= !matches!(pick, Pick::Keep(place) if place == at);
            picks.push(pick);
        }
        changed.then(|| open.view.pick(&picks, self.arena))
    }

    /// The part as a node of its own. The work is in proportion to what the part holds, not to its source,
    /// so that a copy costs what it adds.
    pub(super) fn copied(&mut self, part: Part) -> Node<'a> {
        let arena = self.arena;
        if let Slot::Map(open) = item_at_mut(&mut self.parts, part.0) {
            open.members(arena);
        }
        match self.slot(part) {
            Slot::Closed(node, _) => *node,
            Slot::GivenNull | Slot::CopiedNull => Node::NULL,
            Slot::Map(open) => {
                let members = open.current_members();
                deep(|| map(self.copied_members(&members), arena))
            }
            Slot::List(open) => {
                let items: Vec<Item> = open.items.iter().collect();
                let view = open.view;
                deep(|| list(self.copied_items(&items, view), arena))
            }
        }
    }

    fn copied_members(&mut self, members: &[(Str<'a>, Current<'a>)]) -> Vec<(Str<'a>, Node<'a>)> {
        let copy = |(key, current): &(Str<'a>, Current<'a>)| match current {
            Current::Source(node) => (*key, *node),
            Current::Part(part) => (*key, self.copied(*part)),
        };
        members.iter().map(copy).collect()
    }

    fn copied_items(&mut self, items: &[Item], view: ListView<'a>) -> Vec<Node<'a>> {
        let copy = |item: &Item| match *item {
            Item::Keep(place) => *item_at(view.items(), place),
            Item::Opened(_, part) | Item::Put(part) => self.copied(part),
        };
        items.iter().map(copy).collect()
    }
}

/// What happens to a member when the edits are written.
enum JsonMemberChange<'a> {
    Remove,
    /// The value was edited in place.
    Become(Node<'a>),
    /// The value came from elsewhere.
    Put(Node<'a>),
}

impl<'a> JsonMemberChange<'a> {
    fn make(self, key: Str<'a>, edit: &mut MapEdit<'a>) {
        let known = edit.seek(key).is_some();
        match self {
            JsonMemberChange::Remove if known => edit.remove(),
            JsonMemberChange::Remove => {}
            JsonMemberChange::Become(node) => edit.replace(node),
            // Over canonical text, `replace` takes an edited map for an edit of the member it replaces.
            JsonMemberChange::Put(node) if known && edit.wants_sorted_keys() => {
                edit.remove();
                edit.insert(key, node);
            }
            JsonMemberChange::Put(node) if known => edit.replace(node),
            JsonMemberChange::Put(node) => edit.insert(key, node),
        }
    }
}

/// A member of an open map as it is.
enum Current<'a> {
    Source(Node<'a>),
    Part(Part),
}

impl<'a> OpenMap<'a> {
    fn new(source: Node<'a>, spelling: Spelling) -> Self {
        OpenMap { source, spelling, edits: HashMap::new(), growth: 0, seeks: 0, members: None }
    }

    fn members(&mut self, arena: &'a Arena) -> &SourceMembers<'a> {
        let source = self.source;
        self.members.get_or_insert_with(|| {
            let entries = source.entries(arena);
            SourceMembers { entries, index: entries.iter().map(|entry| (entry.key, entry.value)).collect() }
        })
    }

    fn in_source(&mut self, key: Str<'a>, arena: &'a Arena) -> Option<Node<'a>> {
        self.seeks += 1;
        match key.borrowed() {
            Some(name) if self.members.is_none() && self.seeks <= SEEKS_BEFORE_INDEX => self.source.get(name),
            _ => self.members(arena).index.get(&key).copied(),
        }
    }

    /// The members in the order of the source, then the new ones sorted. Members must be within reach.
    fn current_members(&self) -> Vec<(Str<'a>, Current<'a>)> {
        let Some(members) = &self.members else { return Vec::new() };
        let mut current: Vec<_> = members
            .entries
            .iter()
            .filter_map(|entry| match self.edits.get(&entry.key) {
                None => Some((entry.key, Current::Source(entry.value))),
                Some(Edit::Opened(part) | Edit::Put(part)) => Some((entry.key, Current::Part(*part))),
                Some(Edit::Removed) => None,
            })
            .collect();
        let new = self.edits.iter().filter_map(|(key, edit)| match edit {
            Edit::Put(part) if !members.index.contains_key(key) => Some((*key, Current::Part(*part))),
            _ => None,
        });
        let mut new: Vec<_> = new.collect();
        // New members come from a hash table; sorted, so that the order is fixed.
        new.sort_by_key(|(key, _)| *key);
        current.extend(new);
        current
    }
}

impl<'a> OpenList<'a> {
    fn new(source: Node<'a>, spelling: Spelling, arena: &'a Arena) -> Self {
        let view = ListView::new(source, arena);
        let items = Sequence::new((0..view.items().len()).map(Item::Keep));
        OpenList { view, spelling, items }
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }
}
