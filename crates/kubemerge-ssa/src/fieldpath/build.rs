//! Builds sets in order: a walk keeps its path on a [`PathStack`] and inserts it where it wants.
//!
//! A path may be inserted after paths below it: a walk finds out about a container when it leaves it.

use super::set::SetNode;
use super::{Element, FieldSet};

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
#[derive(Default)]
pub(crate) struct SetBuilder<'a> {
    nodes: Vec<SetNode<'a>>,
    /// The nodes of the path that was inserted last: serial number and place.
    open: Vec<(u64, u32)>,
}

impl<'a> SetBuilder<'a> {
    pub(crate) fn new() -> Self {
        SetBuilder::default()
    }

    /// Adds the current path of a walk. Does nothing for the empty path.
    pub(crate) fn insert(&mut self, path: &PathStack<'a>) {
        // Paths come in order, so what they share is still open.
        let shared = self.open.iter().zip(&path.steps).take_while(|(open, step)| open.0 == step.0).count();
        self.close_to(shared);
        for (serial, element) in &path.steps[shared..] {
            self.open.push((*serial, self.nodes.len() as u32));
            self.nodes.push(SetNode { element: *element, size: 1, is_member: false });
        }
        if let Some((_, last)) = self.open.last() {
            self.nodes[*last as usize].is_member = true;
        }
    }

    fn close_to(&mut self, depth: usize) {
        let end = self.nodes.len() as u32;
        for (_, place) in self.open.drain(depth..) {
            self.nodes[place as usize].size = end - place;
        }
    }

    pub(crate) fn finish(mut self) -> FieldSet<'a> {
        self.close_to(0);
        FieldSet { nodes: self.nodes }
    }
}

/// Builds a set by entering and leaving the nodes of a walk over sorted values.
pub(crate) struct TreeBuilder<'a> {
    nodes: Vec<SetNode<'a>>,
}

impl<'a> TreeBuilder<'a> {
    pub(crate) fn new() -> Self {
        TreeBuilder { nodes: Vec::with_capacity(64) }
    }

    /// Begins a node; what is entered before it is left is below it.
    #[inline]
    pub(crate) fn enter(&mut self, element: Element<'a>) -> usize {
        self.nodes.push(SetNode { element, size: 1, is_member: false });
        self.nodes.len() - 1
    }

    /// Ends a node. One that is no member and has nothing below it is no part of the set.
    #[inline]
    pub(crate) fn leave(&mut self, node: usize, is_member: bool) {
        let size = self.nodes.len() - node;
        if size == 1 && !is_member {
            self.nodes.truncate(node);
            return;
        }
        self.nodes[node].size = size as u32;
        self.nodes[node].is_member = is_member;
    }

    pub(crate) fn finish(self) -> FieldSet<'a> {
        FieldSet { nodes: self.nodes }
    }
}
