//! Editing a map: look members up, replace, remove and insert them, and keep the rest as it is.
//!
//! This is the one place that knows whether the members of a source are sorted. Over canonical text the walk
//! goes forward only and stops after the last edit; over any other source the level is expanded first.

mod level;
mod walk;

use crate::{
    Arena,
    node::{Node, Repr},
    string::Str,
    text::Form,
};
use level::{Level, MemberChange};
use walk::CanonicalWalk;

/// An edit of a map in progress.
pub struct MapEdit<'a> {
    arena: &'a Arena,
    base: Base<'a>,
}

enum Base<'a> {
    Walk(CanonicalWalk<'a>),
    Level(Level<'a>),
}

impl<'a> MapEdit<'a> {
    /// Starts from the members of `base`; from none if it is no map.
    pub fn new(base: Node<'a>, arena: &'a Arena) -> Self {
        let base = match base.0 {
            // Sorted members can be edited in one pass forward.
            Repr::Text(text) if text.form == Form::Canonical && text.first() == b'{' => {
                Base::Walk(CanonicalWalk::new(text, arena))
            }
            _ => Base::Level(Level::new(base, arena)),
        };
        MapEdit { arena, base }
    }

    /// As [`new`](Self::new), for members that are sought in any order.
    pub fn expanded(base: Node<'a>, arena: &'a Arena) -> Self {
        MapEdit { arena, base: Base::Level(Level::new(base, arena)) }
    }

    /// Whether members must be sought and inserted in the order of their names.
    pub fn wants_sorted_keys(&self) -> bool {
        matches!(self.base, Base::Walk(_))
    }

    /// Finds the member of this name. It is kept unless [`replace`](Self::replace) or
    /// [`remove`](Self::remove) follows.
    pub fn seek(&mut self, key: Str<'_>) -> Option<Node<'a>> {
        match &mut self.base {
            Base::Walk(walk) => walk.seek(key),
            Base::Level(level) => level.seek(key),
        }
    }

    /// Gives the member that `seek` found another value.
    pub fn replace(&mut self, value: Node<'a>) {
        match &mut self.base {
            Base::Walk(walk) => walk.replace(value),
            Base::Level(level) => level.become_value(value),
        }
    }

    /// Removes the member that `seek` found.
    pub fn remove(&mut self) {
        match &mut self.base {
            Base::Walk(walk) => walk.remove(),
            Base::Level(level) => level.set_change(MemberChange::Drop),
        }
    }

    /// Adds a member that `seek` did not find.
    pub fn insert(&mut self, key: Str<'a>, value: Node<'a>) {
        match &mut self.base {
            Base::Walk(walk) => walk.insert(key, value),
            Base::Level(level) => level.insert(key, value),
        }
    }

    /// Removes every member of the base that `keep` refuses. Must come before any `seek`.
    pub fn retain(&mut self, keep: impl Fn(Str<'a>) -> bool) {
        // The walk stops after the last edit, but this has to see every member.
        if let Base::Walk(walk) = &self.base {
            self.base = Base::Level(Level::new(Node(Repr::Text(walk.text())), self.arena));
        }
        if let Base::Level(level) = &mut self.base {
            level.retain(keep);
        }
    }

    /// The edited map.
    pub fn finish(self) -> Node<'a> {
        let built = match self.base {
            Base::Walk(walk) => walk.finish(),
            Base::Level(level) => level.finish(),
        };
        Node(Repr::Map(self.arena.alloc(built)))
    }
}
