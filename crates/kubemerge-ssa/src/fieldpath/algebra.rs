//! The algebra of sets: linear passes over sorted slices.
//!
//! Results share what they can. A subtree that only one side has is taken as it is, and a result that is a run of the
//! left side is that part of its slice. Two sides that are one slice in memory are not walked at all.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_value::deep;
use kubemerge_value::part::{item_at, part_of};

use super::node::{NodeContent, Relation, SetEntry};
use super::set::{Beside, FieldSet};
use crate::value::Arena;

impl<'a> FieldSet<'a> {
    /// The paths of either set.
    pub fn union(&self, other: &FieldSet<'a>, arena: &'a Arena) -> FieldSet<'a> {
        Algebra { operation: Operation::Union, arena }.combined(*self, *other)
    }

    /// The paths of both sets. A path does not match those below it.
    pub fn intersection(&self, other: &FieldSet<'a>, arena: &'a Arena) -> FieldSet<'a> {
        Algebra { operation: Operation::Intersection, arena }.combined(*self, *other)
    }

    /// The paths of this set that are not in the other. Removing a path keeps those below it.
    pub fn difference(&self, other: &FieldSet<'a>, arena: &'a Arena) -> FieldSet<'a> {
        Algebra { operation: Operation::Difference, arena }.combined(*self, *other)
    }

    /// The paths of this set that are neither in the other nor below one of its paths.
    pub fn recursive_difference(&self, other: &FieldSet<'a>, arena: &'a Arena) -> FieldSet<'a> {
        Algebra { operation: Operation::RecursiveDifference, arena }.combined(*self, *other)
    }

    /// Whether all paths of this set are in the other.
    #[must_use]
    pub fn is_subset(&self, other: &FieldSet<'_>) -> bool {
        if self.is_empty() || self.is_same_part(*other) {
            return true;
        }
        let mut beside = Beside::new(*other);
        self.nodes.iter().all(|node| {
            let same = beside.child(node.element);
            let below = same.map_or(FieldSet::EMPTY, |same| same.below);
            (!node.is_member || same.is_some_and(|same| same.is_member))
                && (node.below.is_empty() || deep(|| node.below.is_subset(&below)))
        })
    }

    /// Whether some path is in both sets.
    #[must_use]
    pub fn may_intersect(&self, other: &FieldSet<'_>) -> bool {
        if self.is_empty() || other.is_empty() {
            return false;
        }
        let mut beside = Beside::new(*other);
        // No subtree is without members, so one slice in memory has a path in common with itself.
        self.is_same_part(*other)
            || self.nodes.iter().any(|node| {
                beside.child(node.element).is_some_and(|same| {
                    (node.is_member && same.is_member) || deep(|| node.below.may_intersect(&same.below))
                })
            })
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

    /// Whether a node that both have stays. It has nothing that it does not have itself.
    fn keeps_same(self) -> bool {
        matches!(self, Operation::Union | Operation::Intersection)
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

    /// The result where it needs no walk.
    fn known<'a>(self, left: FieldSet<'a>, right: FieldSet<'a>) -> Option<FieldSet<'a>> {
        let is_same = left.is_same_part(right);
        match self {
            Operation::Union if left.is_empty() => Some(right),
            Operation::Union => (is_same || right.is_empty()).then_some(left),
            Operation::Intersection if left.is_empty() || right.is_empty() => Some(FieldSet::EMPTY),
            Operation::Intersection if left.is_apart_from(right) => Some(FieldSet::EMPTY),
            Operation::Intersection => is_same.then_some(left),
            _ if is_same || left.is_empty() => Some(FieldSet::EMPTY),
            _ => (right.is_empty() || left.is_apart_from(right)).then_some(left),
        }
    }
}

struct Algebra<'a> {
    operation: Operation,
    arena: &'a Arena,
}

/// Two sets and what they were combined to.
#[derive(Clone, Copy)]
struct Pair<'a> {
    left: FieldSet<'a>,
    right: FieldSet<'a>,
    result: FieldSet<'a>,
}

impl<'a> Algebra<'a> {
    fn combined(&self, left: FieldSet<'a>, right: FieldSet<'a>) -> FieldSet<'a> {
        self.operation.known(left, right).unwrap_or_else(|| self.walked(left, right))
    }

    fn walked(&self, left: FieldSet<'a>, right: FieldSet<'a>) -> FieldSet<'a> {
        let most = left.nodes.len() + if self.operation.keeps_right() { right.nodes.len() } else { 0 };
        let mut result = Rewritten::new(left, most, self.arena);
        let mut last = None;
        let (mut place, mut others) = (0, right.nodes);
        while let (Some(one), Some((two, after))) = (left.nodes.get(place), others.split_first()) {
            let relation = one.relation(two);
            match relation {
                Relation::Before if self.operation.keeps_left() => result.keep(place),
                Relation::After if self.operation.keeps_right() => result.add(*two),
                Relation::Same if self.operation.keeps_same() => result.keep(place),
                Relation::SameElement => {
                    if let Some(content) = self.content(one, two, &mut last) {
                        result.put(place, content);
                    }
                }
                _ => {}
            }
            place += usize::from(!matches!(relation, Relation::After));
            others = if matches!(relation, Relation::Before) { others } else { after };
        }
        if self.operation.keeps_left() {
            result.keep_rest(place);
        }
        if self.operation.keeps_right() {
            result.add_all(others);
        }
        result.finish()
    }

    /// Combines two nodes with one element; `None` if nothing is left.
    fn content(
        &self,
        left: &SetEntry<'a>,
        right: &SetEntry<'a>,
        last: &mut Option<Pair<'a>>,
    ) -> Option<NodeContent<'a>> {
        // What is below a member goes with it.
        if self.operation == Operation::RecursiveDifference && right.is_member {
            return None;
        }
        let below = match self.operation.known(left.below, right.below) {
            Some(known) => known,
            None => self.below(left.below, right.below, last),
        };
        let is_member = self.operation.is_member(left.is_member, right.is_member);
        // A node that is no member and has nothing below is no part of a set.
        (is_member || !below.is_empty()).then_some(NodeContent { is_member, below })
    }

    /// Items of a list mostly have the same fields, and share them: then the result is that of the item before.
    fn below(&self, left: FieldSet<'a>, right: FieldSet<'a>, last: &mut Option<Pair<'a>>) -> FieldSet<'a> {
        match last {
            Some(last) if last.left.is_same_part(left) && last.right.is_same_part(right) => last.result,
            _ => {
                let result = deep(|| self.walked(left, right));
                *last = Some(Pair { left, right, result });
                result
            }
        }
    }
}

/// The nodes of a set that is made from another one: a part of its slice as long as that is enough, else nodes of
/// its own.
pub(super) struct Rewritten<'a> {
    from: &'a [SetEntry<'a>],
    start: usize,
    end: usize,
    own: Option<ArenaVec<'a, SetEntry<'a>>>,
    /// How many nodes the set can have.
    most: usize,
    arena: &'a Arena,
}

impl<'a> Rewritten<'a> {
    pub(super) fn new(from: FieldSet<'a>, most: usize, arena: &'a Arena) -> Self {
        Rewritten { from: from.nodes, start: 0, end: 0, own: None, most, arena }
    }

    /// Adds a node of the other set as it is.
    fn keep(&mut self, place: usize) {
        match &mut self.own {
            Some(own) => own.push(*item_at(self.from, place)),
            None if self.start == self.end => (self.start, self.end) = (place, place + 1),
            None if self.end == place => self.end += 1,
            None => self.add(*item_at(self.from, place)),
        }
    }

    /// Adds what was made of a node of the other set.
    pub(super) fn put(&mut self, place: usize, content: NodeContent<'a>) {
        let from = item_at(self.from, place);
        if from.is_member == content.is_member && from.below.is_same_part(content.below) {
            self.keep(place);
        } else {
            self.add(from.with_content(content, self.arena));
        }
    }

    fn keep_rest(&mut self, place: usize) {
        match self.own {
            None if self.start == self.end => (self.start, self.end) = (place, self.from.len()),
            None if self.end == place => self.end = self.from.len(),
            _ => self.add_all(part_of(self.from, place..)),
        }
    }

    fn add(&mut self, node: SetEntry<'a>) {
        self.own().push(node);
    }

    fn add_all(&mut self, nodes: &[SetEntry<'a>]) {
        if !nodes.is_empty() {
            self.own().extend_from_slice_copy(nodes);
        }
    }

    /// The nodes of its own, which begin with those that were kept.
    fn own(&mut self) -> &mut ArenaVec<'a, SetEntry<'a>> {
        self.own.get_or_insert_with(|| {
            let mut own = ArenaVec::with_capacity_in(self.most, self.arena);
            own.extend_from_slice_copy(part_of(self.from, self.start..self.end));
            own
        })
    }

    pub(super) fn finish(self) -> FieldSet<'a> {
        let nodes = match self.own {
            Some(own) => own.into_bump_slice(),
            None => part_of(self.from, self.start..self.end),
        };
        FieldSet { nodes }
    }
}
