//! Which numbers strings and nodes get in the file. Their order decides how well the tables compress, and browsers load them:
//! what is alike is close together, and what is used most has short numbers.

use std::cmp::Reverse;

use super::encode::{Record, Symbol};
use crate::model::{Name, Required};

/// How many strings are ordered by use; their numbers are a byte. All others are ordered by text.
const FREQUENT_STRINGS: usize = 64;
/// Nodes that are used this often come before the others of their height, by use.
const FREQUENT_USES: u32 = 16;

/// The numbers of the file.
pub(super) struct Numbering {
    /// Of every string.
    strings: Vec<u32>,
    /// Of every node.
    nodes: Vec<u32>,
}

impl Numbering {
    /// Chooses numbers; answers the strings and the nodes in their order, too.
    pub(super) fn new<'r>(
        texts: &[String],
        nodes: &'r [Record],
        others: impl Iterator<Item = &'r Record>,
    ) -> (Numbering, Vec<Name>, Vec<u32>) {
        let strings = string_order(texts, nodes.iter().chain(others));
        let mut numbering =
            Numbering { strings: inverse(strings.iter().map(|name| name.0)), nodes: vec![0; nodes.len()] };
        let nodes = numbering.order_nodes(nodes);
        (numbering, strings, nodes)
    }

    /// What is written for a symbol.
    pub(super) fn of(&self, symbol: Symbol) -> u32 {
        match symbol {
            Symbol::Text(name) => self.strings[name.0 as usize],
            Symbol::Number(number) => number,
            Symbol::Node(node) => self.nodes[node as usize],
            Symbol::FieldNode(node, required) => {
                self.nodes[node as usize] << 1 | u32::from(required == Required::Yes)
            }
        }
    }

    /// Children come before their parents: nodes are ordered by their height first.
    fn order_nodes(&mut self, nodes: &[Record]) -> Vec<u32> {
        let (heights, uses) = heights_and_uses(nodes);
        let mut order = Vec::with_capacity(nodes.len());
        for height in 0..=heights.iter().copied().max().unwrap_or_default() {
            let mut level: Vec<u32> =
                (0..nodes.len() as u32).filter(|node| heights[*node as usize] == height).collect();
            level.sort_by_cached_key(|node| {
                let used = Some(uses[*node as usize]).filter(|used| *used >= FREQUENT_USES);
                let content = nodes[*node as usize].iter().map(|symbol| self.of(*symbol));
                (used.is_none(), Reverse(used), content.collect::<Vec<u32>>())
            });
            for node in level {
                self.nodes[node as usize] = order.len() as u32;
                order.push(node);
            }
        }
        order
    }
}

fn string_order<'r>(texts: &[String], records: impl Iterator<Item = &'r Record>) -> Vec<Name> {
    let mut uses = vec![0_u32; texts.len()];
    for symbol in records.flatten() {
        if let Symbol::Text(name) = symbol {
            uses[name.0 as usize] += 1;
        }
    }
    let mut order: Vec<Name> = (0..texts.len() as u32).map(Name).collect();
    // The text breaks ties, so that the order does not depend on a hash table.
    order.sort_by_key(|name| (Reverse(uses[name.0 as usize]), &texts[name.0 as usize]));
    let rest = FREQUENT_STRINGS.min(order.len());
    order[rest..].sort_by_key(|name| &texts[name.0 as usize]);
    order
}

/// How many levels are below each node, and how many nodes refer to it. Children were stored before their parents.
fn heights_and_uses(nodes: &[Record]) -> (Vec<u32>, Vec<u32>) {
    let (mut heights, mut uses) = (vec![0; nodes.len()], vec![0; nodes.len()]);
    for (node, record) in nodes.iter().enumerate() {
        for symbol in record {
            if let Symbol::Node(child) | Symbol::FieldNode(child, _) = symbol {
                uses[*child as usize] += 1;
                heights[node] = heights[node].max(heights[*child as usize] + 1);
            }
        }
    }
    (heights, uses)
}

/// The place of each number in an order of all of them.
fn inverse(order: impl ExactSizeIterator<Item = u32>) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, number) in order.enumerate() {
        places[number as usize] = place as u32;
    }
    places
}
