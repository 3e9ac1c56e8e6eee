//! Writers and readers that both generators share: the map of a patch while it is made, and the members of a
//! document map while they are paired.

use crate::directive::RETAIN_KEYS;
use hashbrown::HashMap;
use kubemerge_value::part::item_at;
use kubemerge_value::{Arena, Entry, Node, Scalar, Str, list, map};

/// A patch map in the making.
pub(crate) struct PatchMap<'a> {
    members: bumpalo::collections::Vec<'a, (Str<'a>, Node<'a>)>,
    arena: &'a Arena,
}

impl<'a> PatchMap<'a> {
    pub(crate) fn new(arena: &'a Arena) -> Self {
        PatchMap { members: bumpalo::collections::Vec::new_in(arena), arena }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Adds a member that the patch does not have yet.
    pub(crate) fn set(&mut self, key: Str<'a>, value: Node<'a>) {
        self.members.push((key, value));
    }

    /// Adds a member, if there is something to say.
    pub(crate) fn extend(&mut self, key: Str<'a>, value: Option<Node<'a>>) {
        self.members.extend(value.map(|value| (key, value)));
    }

    /// Adds a member, or changes the one of this name.
    pub(crate) fn put(&mut self, key: Str<'a>, value: Node<'a>) {
        match self.members.iter_mut().find(|(name, _)| *name == key) {
            Some(member) => member.1 = value,
            None => self.set(key, value),
        }
    }

    /// Adds a directive for a field.
    pub(crate) fn set_beside(&mut self, directive: &str, field: Str<'_>, value: Node<'a>) {
        let name = self.arena.alloc_str(&format!("{directive}/{}", field.text()));
        self.set(Str::plain(name), value);
    }

    /// Removes the members that are wanted no more.
    pub(crate) fn remove_gone(&mut self, before: &MemberIndex<'a>, wanted: &mut MemberIndex<'a>) {
        for gone in before.entries.iter().filter(|entry| wanted.find(entry.key).is_none()) {
            self.set(gone.key, Node::NULL);
        }
    }

    /// Names the wanted members that survive, where the patch says something or a member must go.
    pub(crate) fn name_survivors(&mut self, before: &MemberIndex<'a>, wanted: &mut MemberIndex<'a>) {
        let is_value = |entry: &&Entry<'a>| !entry.value.is_null();
        let mut names: Vec<Str<'a>> = wanted.entries.iter().filter(is_value).map(|entry| entry.key).collect();
        let mut values_before = before.entries.iter().filter(is_value);
        if names.is_empty()
            || (self.is_empty() && values_before.all(|entry| wanted.find(entry.key).is_some()))
        {
            return;
        }
        names.sort();
        let names = names.into_iter().map(|name| Node::scalar_node(Scalar::String(name)));
        self.put(Str::plain(RETAIN_KEYS), list(names, self.arena));
    }

    pub(crate) fn members(&self) -> &[(Str<'a>, Node<'a>)] {
        &self.members
    }

    pub(crate) fn finish(self) -> Node<'a> {
        map(self.members, self.arena)
    }
}

/// Above this many members a map is searched through an index.
const MAX_UNINDEXED_MEMBERS: usize = 16;

/// The members of a map, to be found by name.
pub(crate) struct MemberIndex<'a> {
    pub(crate) entries: &'a [Entry<'a>],
    index: Option<HashMap<Str<'a>, usize>>,
    /// Where the next member is expected: two versions of a document mostly agree in their order.
    expected: usize,
}

impl<'a> MemberIndex<'a> {
    /// The members of a map; none for any other value.
    pub(crate) fn of(map: Node<'a>, arena: &'a Arena) -> Self {
        MemberIndex { entries: map.entries(arena), index: None, expected: 0 }
    }

    pub(crate) fn find(&mut self, key: Str<'a>) -> Option<Node<'a>> {
        let at = self.position(key)?;
        self.expected = at + 1;
        Some(item_at(self.entries, at).value)
    }

    fn position(&mut self, key: Str<'a>) -> Option<usize> {
        let entries = self.entries;
        // Two versions mostly have their members in one order, so the next one is tried first.
        if entries.get(self.expected).is_some_and(|entry| entry.key == key) {
            return Some(self.expected);
        }
        // Short maps are searched faster than they are hashed.
        if entries.len() <= MAX_UNINDEXED_MEMBERS {
            return entries.iter().position(|entry| entry.key == key);
        }
        let index = self
            .index
            .get_or_insert_with(|| entries.iter().enumerate().map(|(at, entry)| (entry.key, at)).collect());
        index.get(&key).copied()
    }
}
