//! Editing a map: look members up, replace, remove and insert them, and keep the rest as it is.
//!
//! This is the one place that knows whether the members of a source are sorted. Over canonical text the walk
//! goes forward only and stops behind the last edit; over any other source the level is expanded first, unless
//! only one member is looked for.

mod level;
mod search;
mod walk;

pub(crate) use search::find_given;

use crate::{
    Arena,
    node::{Node, Repr},
    string::Str,
    text::Form,
};
use level::{Fate, Level};
use search::{Crowded, Search};
use walk::Walk;

/// An edit of a map in progress.
pub struct MapEdit<'a> {
    arena: &'a Arena,
    base: Base<'a>,
}

enum Base<'a> {
    Walk(Walk<'a>),
    Search(Search<'a>),
    Level(Level<'a>),
}

impl<'a> MapEdit<'a> {
    /// Starts from the members of `base`; from none if it is no map.
    pub fn new(base: Node<'a>, arena: &'a Arena) -> Self {
        let base = match base.0 {
            Repr::Text(text) if text.form == Form::Canonical && text.first() == b'{' => {
                Base::Walk(Walk::new(text, arena))
            }
            _ => Base::Level(Level::new(base, arena)),
        };
        MapEdit { arena, base }
    }

    /// As [`new`](Self::new), for one member. Others may be sought too, at the price of a second look.
    pub fn for_one(base: Node<'a>, arena: &'a Arena) -> Self {
        match base.0 {
            Repr::Text(text) if text.form == Form::Given && text.first() == b'{' => {
                MapEdit { arena, base: Base::Search(Search::new(text)) }
            }
            _ => MapEdit::new(base, arena),
        }
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
        let level = match &mut self.base {
            Base::Walk(walk) => return walk.seek(key),
            Base::Level(level) => return level.seek(key),
            Base::Search(search) => match search.seek(key) {
                Ok(value) => return value,
                Err(Crowded) => search.expand(self.arena),
            },
        };
        self.base = Base::Level(level);
        self.seek(key)
    }

    /// Gives the member that `seek` found another value.
    pub fn replace(&mut self, value: Node<'a>) {
        match &mut self.base {
            Base::Walk(walk) => walk.replace(value),
            Base::Search(search) => search.replace(value),
            Base::Level(level) => level.become_value(value),
        }
    }

    /// Removes the member that `seek` found.
    pub fn remove(&mut self) {
        match &mut self.base {
            Base::Walk(walk) => walk.remove(),
            Base::Search(search) => search.remove(),
            Base::Level(level) => level.change(Fate::Drop),
        }
    }

    /// Adds a member that `seek` did not find.
    pub fn insert(&mut self, key: Str<'a>, value: Node<'a>) {
        let mut level = match &mut self.base {
            Base::Walk(walk) => return walk.insert(key, value),
            Base::Level(level) => return level.insert(key, value),
            Base::Search(search) => match search.insert(key, value) {
                Ok(()) => return,
                Err(Crowded) => search.expand(self.arena),
            },
        };
        level.insert(key, value);
        self.base = Base::Level(level);
    }

    /// Removes every member of the base that `keep` refuses. Must come before any `seek`.
    pub fn retain(&mut self, keep: impl Fn(Str<'a>) -> bool) {
        match &self.base {
            Base::Walk(walk) => {
                self.base = Base::Level(Level::new(Node(Repr::Text(walk.text())), self.arena));
            }
            Base::Search(search) => self.base = Base::Level(search.expand(self.arena)),
            Base::Level(_) => {}
        }
        if let Base::Level(level) = &mut self.base {
            level.retain(keep);
        }
    }

    /// The edited map.
    pub fn finish(self) -> Node<'a> {
        let built = match self.base {
            Base::Walk(walk) => walk.finish(),
            Base::Search(search) => search.finish(self.arena),
            Base::Level(level) => level.finish(),
        };
        Node(Repr::Map(self.arena.alloc(built)))
    }
}
