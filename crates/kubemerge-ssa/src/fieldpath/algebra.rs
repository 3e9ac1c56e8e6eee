//! The algebra of sets: linear passes over two sorted arrays. Subtrees that only one side has are copied
//! whole.

use std::cmp::Ordering;

use kubemerge_value::deep;

use super::FieldSet;
use super::set::{SetNode, SetView};

impl<'a> FieldSet<'a> {
    /// The paths of either set.
    pub fn union(&self, other: &FieldSet<'a>) -> FieldSet<'a> {
        // Sets of one object are mostly equal, so the larger one is a good guess.
        let mut nodes = Vec::with_capacity(self.nodes.len().max(other.nodes.len()));
        combine(self.view(), other.view(), Operation::Union, &mut nodes);
        FieldSet { nodes }
    }

    /// The paths of both sets. A path does not match those below it.
    pub fn intersection(&self, other: &FieldSet<'a>) -> FieldSet<'a> {
        self.combined(other, Operation::Intersection)
    }

    /// The paths of this set that are not in the other. Removing a path keeps those below it.
    pub fn difference(&self, other: &FieldSet<'a>) -> FieldSet<'a> {
        self.combined(other, Operation::Difference)
    }

    /// The paths of this set that are neither in the other nor below one of its paths.
    pub fn recursive_difference(&self, other: &FieldSet<'a>) -> FieldSet<'a> {
        self.combined(other, Operation::RecursiveDifference)
    }

    /// Whether all paths of this set are in the other.
    pub fn is_subset(&self, other: &FieldSet<'_>) -> bool {
        is_subset(self.view(), other.view())
    }

    /// Whether some path is in both sets.
    pub fn meets(&self, other: &FieldSet<'_>) -> bool {
        meets(self.view(), other.view())
    }

    fn combined(&self, other: &FieldSet<'a>, operation: Operation) -> FieldSet<'a> {
        let mut nodes = Vec::new();
        combine(self.view(), other.view(), operation, &mut nodes);
        FieldSet { nodes }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Union,
    Intersection,
    Difference,
    RecursiveDifference,
}

impl Operation {
    fn keeps_left(self) -> bool {
        self != Operation::Intersection
    }

    fn keeps_right(self) -> bool {
        self == Operation::Union
    }

    fn is_member(self, left: bool, right: bool) -> bool {
        match self {
            Operation::Union => left || right,
            Operation::Intersection => left && right,
            Operation::Difference | Operation::RecursiveDifference => left && !right,
        }
    }
}

fn combine<'a>(
    left: SetView<'_, 'a>,
    right: SetView<'_, 'a>,
    operation: Operation,
    out: &mut Vec<SetNode<'a>>,
) {
    let (mut left, mut right) = (left.nodes, right.nodes);
    while let (Some(one), Some(two)) = (left.first(), right.first()) {
        let order = one.element.order(two.element);
        let (left_tree, right_tree) = (&left[..one.size as usize], &right[..two.size as usize]);
        match order {
            // A subtree that only one side has is copied whole: it is one slice.
            Ordering::Less if operation.keeps_left() => out.extend_from_slice(left_tree),
            Ordering::Greater if operation.keeps_right() => out.extend_from_slice(right_tree),
            Ordering::Equal => combine_node(left_tree, right_tree, operation, out),
            _ => {}
        }
        if order.is_le() {
            left = &left[left_tree.len()..];
        }
        if order.is_ge() {
            right = &right[right_tree.len()..];
        }
    }
    if operation.keeps_left() {
        out.extend_from_slice(left);
    }
    if operation.keeps_right() {
        out.extend_from_slice(right);
    }
}

/// Combines two subtrees with the same element at their roots; drops the node if nothing is left.
fn combine_node<'a>(
    left: &[SetNode<'a>],
    right: &[SetNode<'a>],
    operation: Operation,
    out: &mut Vec<SetNode<'a>>,
) {
    // What is below a member goes with it.
    if operation == Operation::RecursiveDifference && right[0].is_member {
        return;
    }
    let place = out.len();
    let is_member = operation.is_member(left[0].is_member, right[0].is_member);
    // The size is known only after the children.
    out.push(SetNode { element: left[0].element, size: 1, is_member });
    let (left, right) = (SetView { nodes: &left[1..] }, SetView { nodes: &right[1..] });
    if !left.is_empty() || !right.is_empty() {
        deep(|| combine(left, right, operation, out));
    }
    match out.len() - place {
        // A node that is no member and has nothing below is no part of a set.
        1 if !is_member => out.truncate(place),
        size => out[place].size = size as u32,
    }
}

fn is_subset(one: SetView<'_, '_>, other: SetView<'_, '_>) -> bool {
    let mut beside = super::set::Beside::new(other);
    one.children().all(|child| {
        let same = beside.child(child.element);
        let below = same.map_or(SetView::EMPTY, |same| same.below);
        (!child.is_member || same.is_some_and(|same| same.is_member))
            && (child.below.is_empty() || deep(|| is_subset(child.below, below)))
    })
}

fn meets(one: SetView<'_, '_>, other: SetView<'_, '_>) -> bool {
    let mut beside = super::set::Beside::new(other);
    one.children().any(|child| {
        let same = beside.child(child.element);
        same.is_some_and(|same| {
            (child.is_member && same.is_member)
                || (!child.below.is_empty()
                    && !same.below.is_empty()
                    && deep(|| meets(child.below, same.below)))
        })
    })
}
