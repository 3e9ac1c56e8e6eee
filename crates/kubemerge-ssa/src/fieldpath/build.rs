//! Builds sets in order: a walk keeps its path on a [`PathStack`] and inserts it where it wants.
//!
//! A path may be inserted after paths below it: a walk finds out about a container when it leaves it.

use kubemerge_value::part::part_of;

use super::node::{SetEntry, SetNode};
use super::{Element, FieldSet};
use crate::value::Arena;

/// The path of a walk. Each step has a serial number, so that builders know what they have seen.
#[derive(Default)]
pub(crate) struct PathStack<'a> {
    steps: Vec<(u64, Element<'a>)>,
    serial: u64,
}

impl<'a> PathStack<'a> {
    pub(crate) fn new() -> Self {
        PathStack::default()
    }

    #[inline]
    pub(crate) fn push(&mut self, element: Element<'a>) {
        // Every push gets a number of its own, so paths are compared without comparing elements.
        self.serial += 1;
        self.steps.push((self.serial, element));
    }

    #[inline]
    pub(crate) fn pop(&mut self) {
        self.steps.pop();
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.steps.truncate(len);
    }

    pub(crate) fn elements(&self) -> impl Iterator<Item = Element<'a>> {
        self.steps.iter().map(|(_, element)| *element)
    }
}

/// Builds a set from paths that arrive in the order of a walk over sorted values.
pub(crate) struct SetBuilder<'a> {
    tree: TreeBuilder<'a>,
    /// The nodes of the path that was inserted last.
    open: Vec<OpenStep<'a>>,
}

/// A node of the path that was inserted last: its serial number, and whether its own path was inserted.
struct OpenStep<'a> {
    serial: u64,
    node: EnteredNode<'a>,
    is_member: bool,
}

impl<'a> SetBuilder<'a> {
    pub(crate) fn new(arena: &'a Arena) -> Self {
        SetBuilder { tree: TreeBuilder { arena, nodes: Vec::new() }, open: Vec::new() }
    }

    /// Adds the current path of a walk. Does nothing for the empty path.
    pub(crate) fn insert(&mut self, path: &PathStack<'a>) {
        // Paths come in order, so what they share is still open.
        let is_same = |(open, step): &(&OpenStep<'a>, &(u64, Element<'a>))| open.serial == step.0;
        let shared = self.open.iter().zip(&path.steps).take_while(is_same).count();
        self.close_to(shared);
        for (serial, element) in path.steps.iter().skip(shared) {
            let node = self.tree.enter(*element);
            self.open.push(OpenStep { serial: *serial, node, is_member: false });
        }
        if let Some(last) = self.open.last_mut() {
            last.is_member = true;
        }
    }

    fn close_to(&mut self, depth: usize) {
        for step in self.open.drain(depth..).rev() {
            self.tree.leave(step.node, step.is_member);
        }
    }

    pub(crate) fn finish(mut self) -> FieldSet<'a> {
        self.close_to(0);
        self.tree.finish()
    }
}

/// Builds a set by entering and leaving the nodes of a walk over sorted values.
pub(crate) struct TreeBuilder<'a> {
    arena: &'a Arena,
    /// Nodes that were left and whose parents were not.
    nodes: Vec<SetEntry<'a>>,
}

/// A node that was entered: what is below it begins at this place.
#[derive(Clone, Copy)]
pub(crate) struct EnteredNode<'a> {
    element: Element<'a>,
    below: usize,
}

impl<'a> TreeBuilder<'a> {
    pub(crate) fn new(arena: &'a Arena) -> Self {
        TreeBuilder { arena, nodes: Vec::with_capacity(64) }
    }

    /// Begins a node; what is entered before it is left is below it.
    #[inline]
    pub(crate) fn enter(&self, element: Element<'a>) -> EnteredNode<'a> {
        EnteredNode { element, below: self.nodes.len() }
    }

    /// Ends a node. One that is no member and has nothing below it is no part of the set.
    #[inline]
    pub(crate) fn leave(&mut self, node: EnteredNode<'a>, is_member: bool) {
        let below = FieldSet::taken_from(&mut self.nodes, node.below, self.arena);
        if is_member || !below.is_empty() {
            self.nodes.push(SetEntry::new(SetNode::new(node.element, is_member, below), self.arena));
        }
    }

    /// Ends a node that is as the sibling before it, but for its element.
    #[inline]
    pub(crate) fn leave_like_last(&mut self, node: EnteredNode<'a>) {
        if let Some(last) = self.nodes.last() {
            let like = SetNode::new(node.element, last.is_member, last.below);
            self.nodes.push(SetEntry::new(like, self.arena));
        }
    }

    /// The nodes from a place on.
    pub(crate) fn nodes_from(&self, place: usize) -> &[SetEntry<'a>] {
        part_of(&self.nodes, place..)
    }

    /// Puts others in the place of the nodes from a place on.
    pub(crate) fn replace_from(&mut self, place: usize, nodes: Vec<SetEntry<'a>>) {
        self.nodes.truncate(place);
        self.nodes.extend(nodes);
    }

    /// How many nodes were left whose parents were not.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn finish(mut self) -> FieldSet<'a> {
        FieldSet::taken_from(&mut self.nodes, 0, self.arena)
    }
}
