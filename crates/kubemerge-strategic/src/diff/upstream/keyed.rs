//! Upstream's walk over two lists of maps: items pair up by the string form of their key.

use super::map::{Generator, ListPatch, Maps, RetainKeys};
use crate::{
    MergeError, MergeErrorKind,
    apply::error_order::met_before,
    directive::{DELETE, PATCH, PatchWord},
    go_text::go_text,
    string_form::string_form,
};
use hashbrown::HashMap;
use kubemerge_schema::{ListRule, ListStrategy};
use kubemerge_value::part::{item_at, item_at_mut};
use kubemerge_value::{Kind, Node, Path, Scalar, Str, map};
use std::{borrow::Cow, cmp::Reverse};

/// An item with its place and its key.
struct Item<'a> {
    at: usize,
    node: Node<'a>,
    key: Node<'a>,
    form: Cow<'a, [u8]>,
}

/// The rule of a keyed list and the name of its merge key.
#[derive(Clone, Copy)]
struct KeyedRule<'r, 's, 'a> {
    rule: &'r ListRule<'s>,
    key: Str<'a>,
}

/// What is said about an item of modified.
struct Said<'a> {
    at: usize,
    node: Node<'a>,
}

/// Which item of original belongs to which of modified.
struct Pairing {
    partners: Vec<Option<usize>>,
    /// Items of original without a partner, in the order of their string forms.
    gone: Vec<usize>,
}

impl<'a> Generator<'a> {
    pub(super) fn keyed_lists(
        &self,
        original: &[Node<'a>],
        modified: &[Node<'a>],
        rule: &ListRule<'_>,
        path: &Path<'_>,
    ) -> Result<ListPatch<'a>, MergeError> {
        let name = merge_key(rule);
        let key = Str::plain(self.arena.alloc_str(name));
        let after = Items::of(modified, |_, item| item.get(name));
        // An item that is written as before has the key that it had.
        let before = Items::of(original, |at, item| match after.in_reach.get(at) {
            Some(other) if other.at == at && self.same_text(other.node, item) => Some(other.key),
            _ => item.get(name),
        });
        let missing = before.missing.or(after.missing);
        let (before, after) = (before.in_reach, after.in_reach);
        let pairing = pair(&before, &after);
        let said = self.changed_items(&before, &after, &pairing, KeyedRule { rule, key }, path)?;
        if let Some((at, item)) = missing {
            return Err(missing_key(item, name, &path.index(at)));
        }
        let mut items = in_order(said, &after, path)?;
        let moved = !same_order(&before, &after, key, path)?;
        if self.options.deletions.is_on() {
            items.extend(pairing.gone.iter().map(|at| self.delete_item(key, item_at(&before, *at).key)));
        }
        let order = if self.wants_order(!items.is_empty(), moved) {
            after.iter().map(|item| map([(key, item.key)], self.arena)).collect()
        } else {
            Vec::new()
        };
        Ok(ListPatch { items, deletions: Vec::new(), order })
    }

    fn changed_items(
        &self,
        before: &[Item<'a>],
        after: &[Item<'a>],
        pairing: &Pairing,
        keyed: KeyedRule<'_, '_, 'a>,
        path: &Path<'_>,
    ) -> Result<Vec<Said<'a>>, MergeError> {
        let KeyedRule { rule, key } = keyed;
        let retain = RetainKeys::of_rule(rule.retain_keys);
        let mut said = Vec::new();
        for (at, item) in after.iter().enumerate() {
            let Some(partner) = *item_at(&pairing.partners, at) else {
                if self.options.changes.is_on() {
                    said.push(Said { at, node: item.node });
                }
                continue;
            };
            let diff = |at: usize, partner: usize| {
                let (original, modified) = (item_at(before, partner).node, item_at(after, at).node);
                let path = &path.index(item_at(after, at).at);
                self.maps(&Maps { original, modified, ty: rule.item, retain, path })
            };
            let mut patch = diff(at, partner).map_err(|fault| {
                // Upstream goes by string form; items of one form come in reverse (diff/error-order.yaml).
                let rank = |at: usize| (&item_at(after, at).form, Reverse(at));
                let earlier = met_before(at, after.len(), rank).into_iter();
                let pairs = earlier.filter_map(|at| Some((at, (*item_at(&pairing.partners, at))?)));
                pairs.into_iter().find_map(|(at, partner)| diff(at, partner).err()).unwrap_or(fault)
            })?;
            if !patch.is_empty() {
                patch.put(key, item.key);
                said.push(Said { at, node: patch.finish() });
            }
        }
        Ok(said)
    }

    fn delete_item(&self, key: Str<'a>, value: Node<'a>) -> Node<'a> {
        map([(key, value), (Str::plain(PATCH), Node::string(DELETE))], self.arena)
    }

    // Upstream: the list alone decides, so a change of one item orders all of them
    // (diff/keyed-list.yaml, `add`).
    fn wants_order(&self, says_something: bool, moved: bool) -> bool {
        let options = self.options;
        options.element_order.is_on()
            && (options.changes.is_on() && (says_something || moved)
                || options.deletions.is_on() && says_something)
    }
}

/// The merge key; a list of scalars has the empty one.
fn merge_key<'s>(rule: &ListRule<'s>) -> &'s str {
    match rule.strategy {
        ListStrategy::Keyed([key, ..]) => &key.name,
        _ => "",
    }
}

/// The items of a list that upstream's walk gets to see.
struct Items<'a> {
    in_reach: Vec<Item<'a>>,
    /// The item without a key that ends the walk.
    missing: Option<(usize, Node<'a>)>,
}

impl<'a> Items<'a> {
    fn of(list: &[Node<'a>], key_of: impl Fn(usize, Node<'a>) -> Option<Node<'a>>) -> Self {
        let mut items = Items { in_reach: Vec::with_capacity(list.len()), missing: None };
        for (at, node) in list.iter().enumerate() {
            match key_of(at, *node) {
                Some(key) => items.in_reach.push(Item { at, node: *node, key, form: string_form(key) }),
                None => items.missing = Some((at, *node)),
            }
        }
        if let Some((missing, _)) = items.missing {
            // Upstream: an item without a key has a place in the walk too, and ends it there
            // (diff/error-order.yaml, `an item without a key ends the walk`).
            items.in_reach.retain(|item| (&*item.form, Reverse(item.at)) < (&b"<nil>"[..], Reverse(missing)));
        }
        items
    }
}

fn missing_key(item: Node<'_>, key: &str, path: &Path<'_>) -> MergeError {
    let message = format!("map: {} does not contain declared merge key: {key}", go_text(item));
    MergeError::new(MergeErrorKind::MissingMergeKey, path, message)
        .about_keys([key])
        .with_hint(format!("every item of this list needs `{key}`"))
}

// Upstream: sorting by key reverses items of one key, so the last of original meets the last of modified
// (diff/keyed-list.yaml, `key twice, then the first`).
fn pair(before: &[Item<'_>], after: &[Item<'_>]) -> Pairing {
    if before.len() == after.len() && before.iter().zip(after).all(|(one, other)| one.form == other.form) {
        return Pairing { partners: (0..before.len()).map(Some).collect(), gone: Vec::new() };
    }
    let mut waiting = Waiting::of(before);
    let mut partners: Vec<Option<usize>> =
        after.iter().rev().map(|item| waiting.take_last(&item.form)).collect();
    partners.reverse();
    let mut gone = waiting.left();
    gone.sort_by_key(|at| (&item_at(before, *at).form, Reverse(*at)));
    Pairing { partners, gone }
}

/// Items that wait for a partner: the last of each form, linked to the one before it.
struct Waiting<'i> {
    last: HashMap<&'i [u8], usize>,
    previous: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl<'i> Waiting<'i> {
    fn of(items: &'i [Item<'_>]) -> Self {
        let mut last = HashMap::with_capacity(items.len());
        let previous = items.iter().enumerate().map(|(at, item)| last.insert(&*item.form, at)).collect();
        Waiting { last, previous, taken: vec![false; items.len()] }
    }

    fn take_last(&mut self, form: &[u8]) -> Option<usize> {
        let at = *self.last.get(form)?;
        *item_at_mut(&mut self.taken, at) = true;
        match *item_at(&self.previous, at) {
            Some(previous) => *self.last.get_mut(form)? = previous,
            None => _ = self.last.remove(form),
        }
        Some(at)
    }

    fn left(&self) -> Vec<usize> {
        self.taken.iter().enumerate().filter(|(_, taken)| !**taken).map(|(at, _)| at).collect()
    }
}

/// Plain items by the first place of their key in modified, then items that delete, by string form; items of
/// one key in reverse.
fn in_order<'a>(
    said: Vec<Said<'a>>,
    after: &[Item<'a>],
    path: &Path<'_>,
) -> Result<Vec<Node<'a>>, MergeError> {
    let is_delete = |said: &Said<'_>| PatchWord::in_map(said.node) == Some(PatchWord::Delete);
    let (mut deletes, mut plain): (Vec<_>, Vec<_>) = said.into_iter().partition(is_delete);
    let form = |said: &Said<'_>| &item_at(after, said.at).form;
    deletes.sort_by(|one, other| (form(one), other.at).cmp(&(form(other), one.at)));
    if plain.len() > 1 {
        let first = first_places(after);
        if let Some(fault) = plain.iter().find(|said| is_container(item_at(after, said.at).key)) {
            return Err(uncomparable_key(&path.index(fault.at)));
        }
        plain.sort_by_key(|said| (first.get(&item_at(after, said.at).key.scalar()), Reverse(said.at)));
    }
    Ok(plain.into_iter().chain(deletes).map(|said| said.node).collect())
}

fn first_places<'a>(items: &[Item<'a>]) -> HashMap<Option<Scalar<'a>>, usize> {
    let mut first = HashMap::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        first.entry(item.key.scalar()).or_insert(at);
    }
    first
}

/// Whether both lists have the same keys in the same places.
fn same_order(
    before: &[Item<'_>],
    after: &[Item<'_>],
    key: Str<'_>,
    path: &Path<'_>,
) -> Result<bool, MergeError> {
    if before.len() != after.len() {
        return Ok(false);
    }
    for (at, (one, other)) in before.iter().zip(after).enumerate() {
        // Upstream: without a key the items themselves are compared, and maps cannot be
        // (diff/merge-key.yaml, `maps in a list without a key, diff`).
        if key.is("") || (is_container(one.key) && one.key.kind() == other.key.kind()) {
            return Err(uncomparable_key(&path.index(at)));
        }
        if one.key.scalar() != other.key.scalar() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_container(node: Node<'_>) -> bool {
    matches!(node.kind(), Kind::Map | Kind::List)
}

fn uncomparable_key(path: &Path<'_>) -> MergeError {
    MergeError::new(MergeErrorKind::InvalidMergeKeyValue, path, "the merge key has a map or list as value")
        .with_hint("give the key a string or a number; Kubernetes crashes on this")
}
