//! A set of paths: a trie of sorted slices in an arena, whose entries refer to nodes.
//!
//! What is below a node is a set itself, so that sets share what they have in common, and the same slice or node in
//! memory proves two sets equal. Siblings are sorted and different from each other, and no subtree is without members.

use kubemerge_value::deep;
use kubemerge_value::part::part_of;

use super::node::{NodeContent, SetEntry};
use super::prefix::order_prefix;
use super::{Element, PathStack, SetBuilder};
use crate::value::Arena;

/// A set of paths. The empty path is never in it, and a path does not imply its parents.
#[derive(Clone, Copy, Debug, Default)]
#[must_use]
pub struct FieldSet<'a> {
    pub(crate) nodes: &'a [SetEntry<'a>],
}

impl<'a> FieldSet<'a> {
    pub(crate) const EMPTY: Self = FieldSet { nodes: &[] };

    /// The set of the nodes from a place on, which are sorted siblings; they are taken out of the list.
    #[inline]
    pub(super) fn taken_from(nodes: &mut Vec<SetEntry<'a>>, start: usize, arena: &'a Arena) -> Self {
        if start == nodes.len() {
            return FieldSet::EMPTY;
        }
        let taken = arena.alloc_slice_copy(part_of(nodes, start..));
        nodes.truncate(start);
        FieldSet { nodes: taken }
    }

    /// The empty set.
    pub fn new() -> Self {
        FieldSet::EMPTY
    }

    /// A set of paths of field names.
    pub fn of_names(paths: &[&[&'a str]], arena: &'a Arena) -> Self {
        let elements = |names: &&[&'a str]| names.iter().copied().map(Element::Name).collect();
        FieldSet::of_paths(paths.iter().map(elements).collect(), arena)
    }

    /// A set of any paths.
    pub fn of_paths(mut paths: Vec<Vec<Element<'a>>>, arena: &'a Arena) -> Self {
        let order = |one: &Vec<Element<'a>>, two: &Vec<Element<'a>>| {
            let differing = one.iter().zip(two).map(|(one, two)| one.order(*two)).find(|order| order.is_ne());
            differing.unwrap_or_else(|| one.len().cmp(&two.len()))
        };
        paths.sort_by(order);
        let mut path = PathStack::new();
        let mut builder = SetBuilder::new(arena);
        let mut open: &[Element<'a>] = &[];
        for elements in &paths {
            let shared = open.iter().zip(elements).take_while(|(one, two)| one == two).count();
            path.truncate(shared);
            elements.iter().skip(shared).for_each(|element| path.push(*element));
            builder.insert(&path);
            open = elements;
        }
        builder.finish()
    }

    /// Whether no path is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many paths are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        let paths = |node: &SetEntry<'_>| {
            let below = if node.below.is_empty() { 0 } else { deep(|| node.below.len()) };
            usize::from(node.is_member) + below
        };
        self.nodes.iter().map(paths).sum()
    }

    /// Whether the set has more nodes than some number. Stops counting there.
    pub(super) fn has_more_nodes_than(&self, most: usize) -> bool {
        self.nodes_left(most).is_none()
    }

    /// What is left of a number after taking away one for each node; `None` if it is too small.
    fn nodes_left(&self, most: usize) -> Option<usize> {
        let left = most.checked_sub(self.nodes.len())?;
        // The depth is bounded by the number.
        self.nodes.iter().try_fold(left, |left, node| node.below.nodes_left(left))
    }

    /// Whether a path is in the set.
    #[must_use]
    pub fn has(&self, path: &[Element<'_>]) -> bool {
        let Some((last, parents)) = path.split_last() else { return false };
        let set = parents.iter().try_fold(*self, |set, element| set.child(*element).map(|child| child.below));
        set.and_then(|set| set.child(*last)).is_some_and(|child| child.is_member)
    }

    /// Calls `visit` with every path: at each step the paths that end there, then those that go on.
    pub fn each_path(&self, mut visit: impl FnMut(&[Element<'a>])) {
        each_path(*self, &mut Vec::new(), &mut visit);
    }

    /// The paths below which there is no other path of the set.
    pub fn leaves(&self, arena: &'a Arena) -> FieldSet<'a> {
        let leaves = |node: &SetEntry<'a>| {
            if node.below.is_empty() {
                *node
            } else {
                let below = deep(|| node.below.leaves(arena));
                node.with_content(NodeContent { is_member: false, below }, arena)
            }
        };
        FieldSet { nodes: arena.alloc_slice_fill_iter(self.nodes.iter().map(leaves)) }
    }

    /// The node with this element.
    pub(crate) fn child(self, element: Element<'_>) -> Option<&'a SetEntry<'a>> {
        let prefix = order_prefix(&element);
        let found = self.nodes.binary_search_by(|node| node.order_beside(prefix, &element)).ok()?;
        self.nodes.get(found)
    }

    /// Whether all nodes of one set surely come before those of the other. Small sets mostly have nothing in common.
    #[inline]
    pub(super) fn is_apart_from(self, other: FieldSet<'_>) -> bool {
        let ends_before = |one: FieldSet<'_>, two: FieldSet<'_>| {
            one.nodes.last().zip(two.nodes.first()).is_none_or(|(last, first)| last.is_surely_before(first))
        };
        ends_before(self, other) || ends_before(other, self)
    }

    /// Whether both are one slice in memory, which proves them equal without a look inside.
    #[inline]
    pub(super) fn is_same_part(self, other: FieldSet<'_>) -> bool {
        // Empty slices have no address of their own.
        self.nodes.len() == other.nodes.len()
            && (self.nodes.is_empty() || self.nodes.as_ptr().cast::<u8>() == other.nodes.as_ptr().cast())
    }
}

impl PartialEq for FieldSet<'_> {
    fn eq(&self, other: &Self) -> bool {
        let same = |(one, two): (&SetEntry<'_>, &SetEntry<'_>)| {
            one.is_same(two)
                || (one.is_member == two.is_member && one.order(two).is_eq() && one.below == two.below)
        };
        self.is_same_part(*other)
            || (self.nodes.len() == other.nodes.len()
                && deep(|| self.nodes.iter().zip(other.nodes).all(same)))
    }
}

fn each_path<'a>(set: FieldSet<'a>, path: &mut Vec<Element<'a>>, visit: &mut impl FnMut(&[Element<'a>])) {
    // Members of a level before what is below them: the order in which upstream lists paths.
    for node in set.nodes.iter().filter(|node| node.is_member) {
        path.push(node.element);
        visit(path);
        path.pop();
    }
    for node in set.nodes.iter().filter(|node| !node.below.is_empty()) {
        path.push(node.element);
        deep(|| each_path(node.below, path, visit));
        path.pop();
    }
}

/// Walks the nodes of a set beside a sorted sequence of elements: each step costs what it passes.
pub(crate) struct Beside<'a> {
    rest: &'a [SetEntry<'a>],
}

impl<'a> Beside<'a> {
    pub(crate) fn new(set: FieldSet<'a>) -> Self {
        Beside { rest: set.nodes }
    }

    /// The node with this element. Elements must be asked for in ascending order.
    #[inline]
    pub(crate) fn child(&mut self, element: Element<'_>) -> Option<&'a SetEntry<'a>> {
        let prefix = order_prefix(&element);
        while let Some((first, rest)) = self.rest.split_first() {
            let order = first.order_beside(prefix, &element);
            if order.is_gt() {
                return None;
            }
            self.rest = rest;
            if order.is_eq() {
                return Some(first);
            }
        }
        None
    }
}
