//! RFC 6902 diff: the operations that make one document of another.
//!
//! Maps are compared by member. Lists are compared by position, after what both have in common at the start
//! and at the end; members and elements are never moved.

use crate::json_patch::MAX_OPERATIONS;
use kubemerge_value::part::part_of;
use kubemerge_value::{Arena, Entry, Kind, Node, Str, deep, deep_equal, list, map};

/// Whether a JSON patch says which values it expects to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Tests {
    /// It does not.
    #[default]
    Without,
    /// A `test` comes before every operation that removes or replaces a value. Values with nulls in lists are
    /// not tested: Kubernetes' API server crashes on them.
    With,
}

/// The list of operations that makes `modified` of `original`, both canonical.
pub(crate) fn json_diff<'a>(
    original: Node<'a>,
    modified: Node<'a>,
    tests: Tests,
    arena: &'a Arena,
) -> Node<'a> {
    let mut diff = Diff::new(tests, arena);
    diff.values(original, modified, 0);
    // The API server takes 10,000 operations; replacing the root is always one.
    if diff.is_too_large() {
        diff = Diff::new(tests, arena);
        diff.replace(original, modified);
    }
    list(diff.operations, arena)
}

struct Diff<'a> {
    arena: &'a Arena,
    tests: Tests,
    /// Where the walk is.
    pointer: String,
    operations: Vec<Node<'a>>,
    /// How many bytes the pointers of the operations have.
    pointer_bytes: usize,
}

/// Pointers of more bytes are not worth it: this is as much as the body of a request may hold.
// Pointers repeat every name on the way, so deep documents would grow with the square of their depth.
const MAX_POINTER_BYTES: usize = 3 * 1024 * 1024;

/// Lists within this many others are replaced as a whole: finding out what they have in common takes a look at
/// all that is in them, on every level.
// Each level compares its lists from both ends, so the cost grows with the depth.
const MAX_LIST_LEVELS: usize = 32;

impl<'a> Diff<'a> {
    fn new(tests: Tests, arena: &'a Arena) -> Self {
        Diff { arena, tests, pointer: String::new(), operations: Vec::new(), pointer_bytes: 0 }
    }

    fn is_too_large(&self) -> bool {
        self.operations.len() > MAX_OPERATIONS || self.pointer_bytes > MAX_POINTER_BYTES
    }

    fn values(&mut self, original: Node<'a>, modified: Node<'a>, list_level: usize) {
        match (original.kind(), modified.kind()) {
            (Kind::Map, Kind::Map) => deep(|| self.maps(original, modified, list_level)),
            (Kind::List, Kind::List) if list_level < MAX_LIST_LEVELS => {
                deep(|| self.lists(original, modified, list_level + 1));
            }
            _ if deep_equal(original, modified) => {}
            _ => self.replace(original, modified),
        }
    }

    fn maps(&mut self, original: Node<'a>, modified: Node<'a>, list_level: usize) {
        let (original, modified) = (original.sorted_entries(), modified.sorted_entries());
        let mut known = original.iter().peekable();
        for entry in &modified {
            while let Some(gone) = known.next_if(|known| known.key < entry.key) {
                self.at_member(gone, |diff| diff.remove(gone.value));
            }
            match known.next_if(|known| known.key == entry.key) {
                Some(known) => {
                    self.at_member(entry, |diff| diff.values(known.value, entry.value, list_level));
                }
                None => self.at_member(entry, |diff| diff.add(entry.value)),
            }
        }
        for gone in known {
            self.at_member(gone, |diff| diff.remove(gone.value));
        }
    }

    fn lists(&mut self, original: Node<'a>, modified: Node<'a>, list_level: usize) {
        let (original, modified) = (original.elements(self.arena), modified.elements(self.arena));
        let common =
            // Equal lengths are compared by position: an item that changed stays where it is.
            if original.len() == modified.len() { Common::default() } else { Common::of(original, modified) };
        let (original, modified) = (common.trim(original), common.trim(modified));
        let paired = original.len().min(modified.len());
        for (at, (original, modified)) in original.iter().zip(modified).enumerate() {
            self.at(common.start + at, |diff| diff.values(*original, *modified, list_level));
        }
        // From the end, so that what is still to be removed stays in place.
        for (at, removed) in original.iter().enumerate().skip(paired).rev() {
            self.at(common.start + at, |diff| diff.remove(*removed));
        }
        for (at, added) in modified.iter().enumerate().skip(paired) {
            self.at(common.start + at, |diff| diff.add(*added));
        }
    }

    fn at_member(&mut self, entry: &Entry<'a>, walk: impl FnOnce(&mut Self)) {
        let name = entry.key.text();
        self.at(name.replace('~', "~0").replace('/', "~1"), walk);
    }

    fn at(&mut self, token: impl std::fmt::Display, walk: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push_str(&format!("/{token}"));
        walk(self);
        self.pointer.truncate(length);
    }

    fn add(&mut self, value: Node<'a>) {
        self.emit("add", Some(value));
    }

    fn replace(&mut self, original: Node<'a>, value: Node<'a>) {
        self.test(original);
        self.emit("replace", Some(value));
    }

    fn remove(&mut self, original: Node<'a>) {
        self.test(original);
        self.emit("remove", None);
    }

    fn test(&mut self, original: Node<'a>) {
        // The API server crashes on a test of a list with null.
        if self.tests == Tests::With && !has_null_element(original, self.arena) {
            self.emit("test", Some(original));
        }
    }

    fn emit(&mut self, op: &'static str, value: Option<Node<'a>>) {
        if self.is_too_large() {
            return;
        }
        self.pointer_bytes += self.pointer.len();
        let pointer = self.arena.alloc_str(&self.pointer);
        let mut members =
            vec![(Str::plain("op"), Node::string(op)), (Str::plain("path"), Node::string(pointer))];
        members.extend(value.map(|value| (Str::plain("value"), value)));
        self.operations.push(map(members, self.arena));
    }
}

/// How many elements two lists have in common, at the start and at the end.
#[derive(Clone, Copy, Default)]
struct Common {
    start: usize,
    end: usize,
}

impl Common {
    fn of(original: &[Node<'_>], modified: &[Node<'_>]) -> Self {
        let same = |(one, other): &(&Node<'_>, &Node<'_>)| deep_equal(**one, **other);
        let start = original.iter().zip(modified).take_while(same).count();
        let (original, modified) = (part_of(original, start..), part_of(modified, start..));
        let end = original.iter().rev().zip(modified.iter().rev()).take_while(same).count();
        Common { start, end }
    }

    fn trim<'e, 'a>(self, elements: &'e [Node<'a>]) -> &'e [Node<'a>] {
        part_of(elements, self.start..elements.len() - self.end)
    }
}

fn has_null_element<'a>(value: Node<'a>, arena: &'a Arena) -> bool {
    match value.kind() {
        Kind::List => {
            deep(|| value.elements(arena).iter().any(|item| item.is_null() || has_null_element(*item, arena)))
        }
        Kind::Map => deep(|| value.entries(arena).iter().any(|entry| has_null_element(entry.value, arena))),
        _ => false,
    }
}
