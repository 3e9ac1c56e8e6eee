//! Composing what is said about keyed lists. The hard part is the order: one list of items orders them all.

use super::map::{Composer, Maps, not_composable};
use crate::{
    MergeError,
    directive::{FieldPatch, PatchWord},
    identity::{Identity, Keys},
    partial::Partial,
    repeats::Used,
    strategy::Strategy,
};
use hashbrown::{HashMap, HashSet};
use kubemerge_schema::{ItemStrategy, ListRule, MergeKey};
use kubemerge_value::{Entry, Node, Path, list};

/// What one patch says about a keyed list.
struct Said<'a> {
    plain: Items<'a>,
    deletes: Vec<Delete<'a>>,
    order: Option<Order<'a>>,
    /// Whether the list is there afterwards, even if it was not.
    is_value: bool,
}

/// A delete item.
#[derive(Clone, Copy)]
struct Delete<'a> {
    node: Node<'a>,
    identity: Identity<'a>,
    /// The keys that it writes.
    written: u32,
}

/// An order list.
struct Order<'a> {
    entry: &'a Entry<'a>,
    identities: Vec<Identity<'a>>,
    /// Whether an entry leaves a key out, and so may name several items.
    is_partial: bool,
}

/// Plain items by identity, in the order of first mention.
#[derive(Default)]
struct Items<'a> {
    names: Vec<Identity<'a>>,
    nodes: HashMap<Identity<'a>, Node<'a>>,
}

impl<'a> Items<'a> {
    fn iter(&self) -> impl Iterator<Item = (Identity<'a>, Node<'a>)> {
        self.names.iter().filter_map(|name| Some((*name, *self.nodes.get(name)?)))
    }
}

/// Whether an item was mentioned before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mention {
    First,
    Repeated,
}

/// The list: who its items are and how they compose.
struct List<'r, 's, 'a> {
    composer: &'r Composer<'a>,
    rule: &'r ListRule<'s>,
    keys: Keys<'s, 'a>,
}

pub(super) fn compose<'a>(
    composer: &Composer<'a>,
    first: &FieldPatch<'a>,
    second: &FieldPatch<'a>,
    rule: &ListRule<'_>,
    keys: &[MergeKey],
    path: &Path<'_>,
) -> Result<FieldPatch<'a>, MergeError> {
    let arena = composer.arena;
    let keyed = List { composer, rule, keys: Keys::new(keys, Strategy::Spec, arena) };
    let (one, other) = (keyed.read(first, path)?, keyed.read(second, path)?);
    let hit = other.hits(&one.plain);
    let (names, order) = arrange(&one, &other, &hit)
        .ok_or_else(|| not_composable(path, "one list of all items would also order them"))?;
    let mut composed = Items::default();
    for (name, node) in one.plain.iter() {
        // Items that the second patch deletes need no changes any more.
        if !hit.contains(&name) {
            keyed.add(&mut composed, name, node, path)?;
        }
    }
    for (name, node) in other.plain.iter() {
        keyed.add(&mut composed, name, node, path)?;
    }
    let mut nodes: Vec<Node<'a>> =
        names.iter().filter_map(|name| composed.nodes.get(name).copied()).collect();
    let mut known = Partial::default();
    let deletes = one.deletes.iter().chain(&other.deletes);
    // The same deletion twice says nothing more.
    let is_new = |delete: &&Delete<'a>| known.insert(delete.identity, delete.written, ());
    nodes.extend(deletes.filter(is_new).map(|delete| delete.node));
    let value = (one.is_value || other.is_value).then(|| list(nodes, arena));
    Ok(FieldPatch { value, order, delete: None, ..*first })
}

/// The order of the composed items and the order list beside them; `None` if there is none.
fn arrange<'a>(
    one: &Said<'a>,
    other: &Said<'a>,
    hit: &HashSet<Identity<'a>>,
) -> Option<(Vec<Identity<'a>>, Option<&'a Entry<'a>>)> {
    let (first, second) = (&one.plain.names, &other.plain.names);
    let (order_one, order_other) = (one.order.as_ref(), other.order.as_ref());
    // With nothing said before, the second patch orders as it would alone.
    if first.is_empty() && order_one.is_none() {
        return Some((second.clone(), order_other.map(|order| order.entry)));
    }
    if let Some(order) = order_other {
        let known: HashSet<Identity<'a>> = order.identities.iter().copied().collect();
        let mut named = first.iter().chain(order_one.into_iter().flat_map(|order| &order.identities));
        // A partial entry may name several items, so it cannot be checked against the first patch.
        let covers = !order.is_partial
            && order_one.is_none_or(|order| !order.is_partial)
            && named.all(|name| known.contains(name));
        return covers.then(|| (once(&order.identities), Some(order.entry)));
    }
    let order = order_one.map(|order| order.entry);
    let rest: Vec<Identity<'a>> = first.iter().copied().filter(|name| !hit.contains(name)).collect();
    if second.is_empty() {
        // Items of a patch also order the list, so leaving some out could change the order.
        let kept = order.is_some() || hit.is_empty() || rest.is_empty();
        return kept.then_some((rest, order));
    }
    let exact = order_one.is_none_or(|order| !order.is_partial);
    (exact && hit.is_empty() && is_subsequence(second, first)).then_some((rest, order))
}

fn once<'a>(names: &[Identity<'a>]) -> Vec<Identity<'a>> {
    let mut known = HashSet::new();
    names.iter().copied().filter(|name| known.insert(*name)).collect()
}

fn is_subsequence(short: &[Identity<'_>], long: &[Identity<'_>]) -> bool {
    let mut rest = long.iter();
    short.iter().all(|name| rest.any(|other| other == name))
}

impl<'a> List<'_, '_, 'a> {
    fn read(&self, said: &FieldPatch<'a>, path: &Path<'_>) -> Result<Said<'a>, MergeError> {
        let arena = self.composer.arena;
        let mut read = Said {
            plain: Items::default(),
            deletes: Vec::new(),
            order: None,
            is_value: said.value.is_some(),
        };
        let items = said.value.map_or(&[][..], |items| items.elements(arena));
        for (at, node) in items.iter().copied().enumerate() {
            let (identity, written) = self.keys.require(node, &path.index(at), arena)?;
            if PatchWord::in_map(node) == Some(PatchWord::Delete) {
                read.deletes.push(Delete { node, identity, written });
            } else {
                let before = Used::of(arena);
                if self.add(&mut read.plain, identity, node, path)? == Mention::Repeated {
                    self.composer.repeats.note(before, arena, &path.index(at))?;
                }
            }
        }
        if let Some(entry) = said.order {
            read.order = Some(self.read_order(entry, path)?);
        }
        Ok(read)
    }

    fn read_order(&self, entry: &'a Entry<'a>, path: &Path<'_>) -> Result<Order<'a>, MergeError> {
        let arena = self.composer.arena;
        let mut order = Order { entry, identities: Vec::new(), is_partial: false };
        for node in entry.value.elements(arena) {
            let (identity, written) = self.keys.require(*node, path, arena)?;
            order.is_partial |= written != self.keys.all();
            order.identities.push(identity);
        }
        Ok(order)
    }

    /// Adds an item, or composes it with what is said about it already.
    fn add(
        &self,
        items: &mut Items<'a>,
        identity: Identity<'a>,
        node: Node<'a>,
        path: &Path<'_>,
    ) -> Result<Mention, MergeError> {
        let Some(known) = items.nodes.get(&identity).copied() else {
            items.names.push(identity);
            items.nodes.insert(identity, node);
            return Ok(Mention::First);
        };
        let composed = match self.rule.items {
            ItemStrategy::Merge => {
                let items = Maps { ty: self.rule.item, unions: self.rule.unions() };
                self.composer.maps(known, node, items, path)?
            }
            ItemStrategy::Replace => node,
        };
        items.nodes.insert(identity, composed);
        Ok(Mention::Repeated)
    }
}

impl<'a> Said<'a> {
    /// The items that the delete items here would remove.
    fn hits(&self, items: &Items<'a>) -> HashSet<Identity<'a>> {
        let mut deleted = Partial::default();
        for delete in &self.deletes {
            deleted.insert(delete.identity, delete.written, ());
        }
        let is_hit = |name: &&Identity<'a>| deleted.of(**name).next().is_some();
        items.names.iter().filter(is_hit).copied().collect()
    }
}
