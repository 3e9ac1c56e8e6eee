//! Which types are plain: nothing below them has a rule of its own, so that all maps merge and all lists are
//! replaced. A walk over two equal values of such a type has nothing to find.

use kubemerge_value::part::{item_at, item_at_mut};

use super::Rules;
use crate::model::{Flags, Model, NodeId, UNTYPED};

/// For every node whether it is plain.
#[derive(Debug)]
pub(crate) struct PlainTypes {
    /// Whether something below the node has a rule.
    ruled: Vec<bool>,
}

impl PlainTypes {
    /// Goes from the nodes that have a rule up to everything that leads to them.
    pub(crate) fn of(model: &Model, rules: &Rules) -> PlainTypes {
        let holders = Holders::of(model);
        let count = model.nodes.len() as NodeId;
        let mut ruled = vec![false; model.nodes.len()];
        // From each rule upwards: a walk downwards from every type would visit shared types again and again.
        let mut waiting: Vec<NodeId> = (0..count).filter(|id| has_rule(model, rules, *id)).collect();
        while let Some(id) = waiting.pop() {
            for holder in holders.of_node(id) {
                // Once a node; types that contain themselves would never end otherwise.
                if !std::mem::replace(item_at_mut(&mut ruled, holder as usize), true) {
                    waiting.push(holder);
                }
            }
        }
        PlainTypes { ruled }
    }

    /// Whether nothing below the node has a rule of its own.
    pub(crate) fn has(&self, id: NodeId) -> bool {
        !self.ruled.get(id as usize).is_some_and(|ruled| *ruled)
    }
}

/// Whether a look-up of this property can answer anything but "merge the map, replace the list".
fn has_rule(model: &Model, rules: &Rules, id: NodeId) -> bool {
    // A tuple makes upstream fail when it looks below, so the lookup must happen.
    !rules.of(id).is_plain() || model.node(id).flags.has(Flags::TUPLE)
}

/// The nodes that lead to each node: a list for each, linked through one vector.
struct Holders {
    last: Vec<u32>,
    links: Vec<(NodeId, u32)>,
}

impl Holders {
    fn of(model: &Model) -> Holders {
        let mut holders = Holders { last: vec![UNTYPED; model.nodes.len()], links: Vec::new() };
        for (id, node) in model.nodes.iter().enumerate() {
            let described = model.definitions.get(node.refers_to as usize).map(|definition| definition.node);
            let fields = model.fields(node).iter().map(|field| field.node);
            for held in fields.chain([node.items, node.additional]).chain(described) {
                holders.add(id as NodeId, held);
            }
        }
        holders
    }

    fn add(&mut self, holder: NodeId, held: NodeId) {
        if let Some(last) = self.last.get_mut(held as usize) {
            self.links.push((holder, *last));
            *last = self.links.len() as u32 - 1;
        }
    }

    fn of_node(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let mut at = *item_at(&self.last, id as usize);
        std::iter::from_fn(move || {
            let (holder, next) = *self.links.get(at as usize)?;
            at = next;
            Some(holder)
        })
    }
}
