//! Composing what is said about lists that merge by value.

use super::map::{Composer, not_composable};
use crate::{MergeError, apply::elements::set_kind, directive::FieldPatch, element::Element};
use hashbrown::HashSet;
use kubemerge_schema::{ListRule, ListStrategy};
use kubemerge_value::{Arena, Entry, Node, Path, Str, list};

/// What one patch says about a list.
struct Said<'a> {
    values: Vec<Node<'a>>,
    deletes: Vec<Node<'a>>,
    order: Option<(&'a Entry<'a>, &'a [Node<'a>])>,
}

impl<'a> Said<'a> {
    fn read(said: &FieldPatch<'a>, arena: &'a Arena) -> Self {
        let elements = |node: Option<Node<'a>>| node.map_or(&[][..], |node| node.elements(arena));
        Said {
            values: once(elements(said.value)),
            deletes: once(elements(said.delete.map(|entry| entry.value))),
            order: said.order.map(|entry| (entry, entry.value.elements(arena))),
        }
    }
}

pub(super) fn compose<'a>(
    composer: &Composer<'a>,
    first: &FieldPatch<'a>,
    second: &FieldPatch<'a>,
    rule: &ListRule<'_>,
    path: &Path<'_>,
) -> Result<FieldPatch<'a>, MergeError> {
    let arena = composer.arena;
    let (one, other) = (Said::read(first, arena), Said::read(second, arena));
    let (values, order) = arrange(&one, &other, rule)
        .ok_or_else(|| not_composable(path, "one list of all values would also order them"))?;
    let deletes = union(&other.deletes, &without(&one.deletes, &other.values));
    // What the first patch deletes may be gone before values of another type arrive.
    set_kind(&values, &deletes, path)
        .map_err(|_| not_composable(path, "values of several types cannot meet in one list"))?;
    let has_value = first.value.is_some() || second.value.is_some();
    Ok(FieldPatch {
        value: has_value.then(|| list(values, arena)),
        order,
        delete: (!deletes.is_empty())
            .then(|| &*arena.alloc(Entry { key: Str::plain(""), value: list(deletes, arena) })),
        ..*first
    })
}

/// The composed values and the order list beside them; `None` if no single patch says it.
fn arrange<'a>(
    one: &Said<'a>,
    other: &Said<'a>,
    rule: &ListRule<'_>,
) -> Option<(Vec<Node<'a>>, Option<&'a Entry<'a>>)> {
    let (first, second) = (&one.values, &other.values);
    // The second patch brings back what the first one deletes.
    let revives = !common(&one.deletes, second).is_empty();
    if let Some((entry, order)) = other.order {
        let ordered = one.order.map_or(&[][..], |(_, order)| order);
        if without(first, order).is_empty() && without(ordered, order).is_empty() {
            return Some((common(&once(order), &union(first, second)), Some(entry)));
        }
        let follows = first.is_empty() && one.order.is_none() && !revives;
        return follows.then(|| (second.clone(), Some(entry)));
    }
    let order = one.order.map(|(entry, _)| entry);
    // New elements of a set go to the end, so two patches add up in order.
    if rule.strategy == ListStrategy::Set && order.is_none() && !revives {
        return Some((union(&without(first, &one.deletes), second), None));
    }
    if second.is_empty() {
        return Some((first.clone(), order));
    }
    if first.is_empty() && order.is_none() && !revives {
        return Some((second.clone(), None));
    }
    (is_subsequence(second, first) && !revives).then(|| (first.clone(), order))
}

fn elements<'a>(values: &[Node<'a>]) -> HashSet<Element<'a>> {
    values.iter().map(|value| Element::of(*value)).collect()
}

fn once<'a>(values: &[Node<'a>]) -> Vec<Node<'a>> {
    let mut known = HashSet::new();
    values.iter().copied().filter(|value| known.insert(Element::of(*value))).collect()
}

fn without<'a>(values: &[Node<'a>], others: &[Node<'a>]) -> Vec<Node<'a>> {
    let others = elements(others);
    values.iter().copied().filter(|value| !others.contains(&Element::of(*value))).collect()
}

fn common<'a>(values: &[Node<'a>], others: &[Node<'a>]) -> Vec<Node<'a>> {
    let others = elements(others);
    values.iter().copied().filter(|value| others.contains(&Element::of(*value))).collect()
}

fn union<'a>(values: &[Node<'a>], others: &[Node<'a>]) -> Vec<Node<'a>> {
    values.iter().copied().chain(without(others, values)).collect()
}

fn is_subsequence(short: &[Node<'_>], long: &[Node<'_>]) -> bool {
    let mut rest = long.iter();
    short.iter().all(|value| rest.any(|other| Element::of(*other) == Element::of(*value)))
}
