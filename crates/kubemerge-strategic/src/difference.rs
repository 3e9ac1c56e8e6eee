//! Where two documents differ, place by place.

use crate::patch_map::MemberIndex;
use kubemerge_value::{Arena, Kind, Node, Path, deep, deep_equal};

/// A place at which two documents differ. Items of lists are compared by position.
#[derive(Clone, Debug)]
pub struct ValueDifference<'a> {
    /// Where, as Kubernetes writes field paths.
    pub path: String,
    /// What the first document has there, if anything.
    pub one: Option<Node<'a>>,
    /// What the second document has there, if anything.
    pub other: Option<Node<'a>>,
}

/// All places at which two documents differ: the smallest values that do.
pub(crate) fn differences<'a>(one: Node<'a>, other: Node<'a>, arena: &'a Arena) -> Vec<ValueDifference<'a>> {
    let mut walk = DifferenceWalk { arena, found: Vec::new() };
    walk.values(one, other, &Path::ROOT);
    walk.found
}

struct DifferenceWalk<'a> {
    arena: &'a Arena,
    found: Vec<ValueDifference<'a>>,
}

impl<'a> DifferenceWalk<'a> {
    fn note(&mut self, path: &Path<'_>, one: Option<Node<'a>>, other: Option<Node<'a>>) {
        self.found.push(ValueDifference { path: path.to_string(), one, other });
    }

    fn values(&mut self, one: Node<'a>, other: Node<'a>, path: &Path<'_>) {
        match (one.kind(), other.kind()) {
            (Kind::Map, Kind::Map) => deep(|| self.maps(one, other, path)),
            (Kind::List, Kind::List) => deep(|| self.lists(one, other, path)),
            _ if deep_equal(one, other) => {}
            _ => self.note(path, Some(one), Some(other)),
        }
    }

    fn maps(&mut self, one: Node<'a>, other: Node<'a>, path: &Path<'_>) {
        let (mut one, mut other) = (MemberIndex::of(one, self.arena), MemberIndex::of(other, self.arena));
        for entry in one.entries {
            let path = path.field(entry.key);
            match other.find(entry.key) {
                Some(other) => self.values(entry.value, other, &path),
                None => self.note(&path, Some(entry.value), None),
            }
        }
        for entry in other.entries {
            if one.find(entry.key).is_none() {
                self.note(&path.field(entry.key), None, Some(entry.value));
            }
        }
    }

    fn lists(&mut self, one: Node<'a>, other: Node<'a>, path: &Path<'_>) {
        let (one, other) = (one.elements(self.arena), other.elements(self.arena));
        // By position: this compares results, and their order is part of them.
        for at in 0..one.len().max(other.len()) {
            let path = path.index(at);
            match (one.get(at), other.get(at)) {
                (Some(one), Some(other)) => self.values(*one, *other, &path),
                (one, other) => self.note(&path, one.copied(), other.copied()),
            }
        }
    }
}
