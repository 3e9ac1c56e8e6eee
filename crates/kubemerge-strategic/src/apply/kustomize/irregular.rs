//! Merge lists whose items lack keys that others have, repeat them, or are of several forms.
//!
//! What kustomize makes of such lists follows from the order in which it edits them, so this file edits them in
//! the same order. Items are numbers of nodes: an item that two lists share changes in both.
//! All of it is pinned by `kustomize/irregular-lists.yaml`.

use super::{
    list::Lists,
    text::{key_text, text},
    walk::{Form, Sides, Walked, Walker, wrong_form},
};
use crate::{
    error::{MergeError, MergeErrorKind},
    observe::MaybeObserver,
};
use hashbrown::HashSet;
use kubemerge_value::part::{item_at, item_at_mut};
use kubemerge_value::{Kind, MapEdit, Node, Path};

/// Every item is compared with every other, so longer lists are refused.
const MAX_ITEMS: usize = 3_000;

/// A node by its number.
type Id = usize;

/// The values of some keys, as text.
#[derive(Clone, Copy)]
struct KeyValues<'v> {
    keys: &'v [&'v str],
    /// May be fewer than the keys: an item that lacks keys is looked for by those that it has.
    values: &'v [String],
}

impl KeyValues<'_> {
    /// Whether items are looked for that are maps.
    fn is_of_maps(self) -> bool {
        self.keys.first().is_some_and(|key| !key.is_empty())
            && self.values.first().is_some_and(|value| !value.is_empty())
    }
}

/// Two lists that are being merged.
pub(super) struct Irregular<'w, 'm, 'a, 'o, O> {
    walker: &'w mut Walker<'a, 'o, O>,
    lists: &'w Lists<'m, 'a>,
    path: &'w Path<'w>,
    nodes: Vec<Node<'a>>,
    live: Vec<Id>,
    /// `None` if the list of the patch was taken over: it is the live list then.
    patch: Option<Vec<Id>>,
}

impl<'w, 'm, 'a, 'o, O: MaybeObserver> Irregular<'w, 'm, 'a, 'o, O> {
    pub(super) fn new(
        walker: &'w mut Walker<'a, 'o, O>,
        lists: &'w Lists<'m, 'a>,
        path: &'w Path<'w>,
    ) -> Self {
        let nodes: Vec<Node<'a>> =
            lists.live.iter().chain(lists.patch.unwrap_or_default()).copied().collect();
        let live = (0..lists.live.len()).collect();
        let patch = lists.patch.map(|_| (lists.live.len()..nodes.len()).collect());
        Irregular { walker, lists, path, nodes, live, patch }
    }

    /// The items of the result.
    pub(super) fn merge(mut self) -> Result<Option<Vec<Node<'a>>>, MergeError> {
        if self.nodes.len() > MAX_ITEMS {
            return Err(self.too_long());
        }
        let scalars = [""];
        let keys = if self.lists.keys.is_empty() { &scalars } else { self.lists.keys };
        let mut all = self.values_of_items(keys);
        if all.is_empty() {
            return Ok(None);
        }
        if keys.len() > 1 {
            complete_values(&mut all);
        }
        // kyaml leaves out keys that no item has.
        let used = used_columns(&all, keys.len());
        let chosen = keys.iter().zip(&used).filter(|(_, is_used)| **is_used);
        let keys: Vec<&str> = chosen.map(|(key, _)| *key).collect();
        let mut items = Vec::new();
        for values in &all {
            let chosen = values.iter().zip(&used).filter(|(_, is_used)| **is_used);
            let values: Vec<String> = chosen.map(|(value, _)| value.clone()).collect();
            self.merge_item(KeyValues { keys: &keys, values: &values }, &mut items)?;
        }
        // kyaml goes on with the live items after the merge, which undoes some of it.
        self.put_live_items_over(&mut items, &keys)?;
        Ok(Some(items.into_iter().map(|id| self.node(id)).collect()))
    }

    fn node(&self, id: Id) -> Node<'a> {
        *item_at(&self.nodes, id)
    }

    /// The values of the keys of all items, those of the patch first, each once.
    fn values_of_items(&self, keys: &[&str]) -> Vec<Vec<String>> {
        let patch = self.patch.as_deref().unwrap_or_default();
        let mut seen = HashSet::new();
        let value = |item: Node<'a>, key: &&str| match *key {
            "" => text(item).into_owned(),
            key => key_text(item, key).into_owned(),
        };
        let values = |id: &Id| keys.iter().map(|key| value(self.node(*id), key)).collect::<Vec<_>>();
        patch.iter().chain(&self.live).map(values).filter(|values| seen.insert(values.clone())).collect()
    }

    fn merge_item(&mut self, wanted: KeyValues<'_>, items: &mut Vec<Id>) -> Result<(), MergeError> {
        let Some(id) = self.walk_item(wanted)? else {
            let mut live = std::mem::take(&mut self.live);
            self.set_item(&mut live, None, wanted)?;
            self.live = live;
            return Ok(());
        };
        for (key, value) in wanted.keys.iter().zip(wanted.values).filter(|(_, value)| !value.is_empty()) {
            self.complete_key(id, key, value)?;
        }
        self.set_item(items, Some(id), wanted)
    }

    /// Merges the first items with these values; `None` if nothing is left.
    fn walk_item(&mut self, wanted: KeyValues<'_>) -> Result<Option<Id>, MergeError> {
        let live = self.find(&self.live, wanted);
        let patch = self.patch.as_ref().map_or(live, |patch| self.find(patch, wanted));
        let node = |id: Option<Id>| id.map(|id| self.node(id));
        // A list that was taken over is walked as if it were the patch and the result at once.
        let sides = match (live, &self.patch) {
            (Some(id), None) => Sides::Taken(self.node(id)),
            _ => Sides::Two { live: node(live), patch: node(patch) },
        };
        let id = match self.walker.value(self.lists.item, sides, self.path)? {
            Walked::Kept => live,
            Walked::Live(node) => self.changed(live, node),
            Walked::Patch(node) => self.changed(patch, node),
            Walked::Gone => None,
        };
        if let Some(patch) = patch.filter(|_| id != patch) {
            // A directive is carried out once, even if the item is found again.
            *item_at_mut(&mut self.nodes, patch) = self.walker.without_word(self.node(patch));
        }
        Ok(id.filter(|id| !self.is_nothing(*id)))
    }

    fn changed(&mut self, id: Option<Id>, node: Node<'a>) -> Option<Id> {
        *item_at_mut(&mut self.nodes, id?) = node;
        id
    }

    /// The first item with these values, by the keys that have one.
    fn find(&self, list: &[Id], wanted: KeyValues<'_>) -> Option<Id> {
        let pairs = || wanted.keys.iter().zip(wanted.values);
        // If an item has none of the keys, kyaml looks for one with empty values.
        let has_values = pairs().any(|(_, value)| !value.is_empty());
        let has = |item: Node<'a>| {
            pairs().filter(|(_, value)| !has_values || !value.is_empty()).all(|(key, value)| match *key {
                "" => text(item) == value.as_str(),
                key => item.get(key).is_some_and(|found| text(found) == value.as_str()),
            })
        };
        list.iter().copied().find(|id| has(self.node(*id)))
    }

    /// Adds a key that the merged item lost.
    fn complete_key(&mut self, id: Id, key: &str, value: &str) -> Result<(), MergeError> {
        let item = self.node(id);
        if key.is_empty() {
            return if Form::of(item) == Form::Scalar {
                Ok(())
            } else {
                Err(self.wrong_form(Form::Scalar, item))
            };
        }
        if item.get(key).is_none() {
            let arena = self.walker.arena;
            let mut edit = MapEdit::new(item, arena);
            edit.seek(key.into());
            edit.insert((&*arena.alloc_str(key)).into(), Node::string(arena.alloc_str(value)));
            *item_at_mut(&mut self.nodes, id) = edit.finish();
        }
        Ok(())
    }

    /// Puts an item in the place of all that match, or at the end; without an item, removes what matches.
    fn set_item(
        &self,
        list: &mut Vec<Id>,
        item: Option<Id>,
        wanted: KeyValues<'_>,
    ) -> Result<(), MergeError> {
        let mut result = Vec::with_capacity(list.len() + 1);
        let mut is_found = false;
        for id in list.iter().copied().filter(|id| !self.is_nothing(*id)) {
            // Scalars among maps are passed over.
            if wanted.is_of_maps() && Form::of(self.node(id)) != Form::Map {
                result.push(id);
            } else if self.matches(self.node(id), wanted)? {
                is_found = true;
                result.extend(item);
            } else if !wanted.values.is_empty() {
                // Without any value, nothing matches and nothing stays.
                result.push(id);
            }
        }
        if !is_found {
            result.extend(item.filter(|id| !self.node(*id).is_null()));
        }
        *list = result;
        Ok(())
    }

    /// Whether an item has these values. A key without a value here goes with the answer for the key before it.
    fn matches(&self, item: Node<'a>, wanted: KeyValues<'_>) -> Result<bool, MergeError> {
        let mut matched = false;
        for (at, key) in wanted.keys.iter().enumerate() {
            if let Some(value) = wanted.values.get(at) {
                matched = self.has_value(item, key, value)?;
            }
            if !matched {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether an item has this value; an empty one means any value of the key.
    fn has_value(&self, item: Node<'a>, key: &str, value: &str) -> Result<bool, MergeError> {
        let wanted = if key.is_empty() { Form::Scalar } else { Form::Map };
        if Form::of(item) != wanted {
            return Err(self.wrong_form(wanted, item));
        }
        if key.is_empty() {
            return Ok(text(item) == value);
        }
        Ok(item.get(key).is_some_and(|found| value.is_empty() || text(found) == value))
    }

    /// At last each live item goes to where an item has its keys.
    fn put_live_items_over(&mut self, items: &mut Vec<Id>, keys: &[&str]) -> Result<(), MergeError> {
        for id in self.live.clone() {
            let item = self.node(id);
            if keys.first().is_some_and(|key| key.is_empty()) {
                // Scalars are their own key.
                let values = [text(item).into_owned()];
                self.set_item(items, Some(id), KeyValues { keys, values: &values })?;
                continue;
            }
            let values = self.own_values(id, keys, items)?;
            let own = KeyValues { keys, values: &values };
            if keys.len() > 1 {
                self.set_item(items, None, own)?;
            }
            self.set_item(items, Some(id), own)?;
        }
        Ok(())
    }

    /// The values of the keys that an item has. For each that it lacks, the item is added to the list.
    fn own_values(&self, id: Id, keys: &[&str], items: &mut Vec<Id>) -> Result<Vec<String>, MergeError> {
        let item = self.node(id);
        if !matches!(item.kind(), Kind::Map | Kind::Null) {
            return Err(self.wrong_form(Form::Map, item));
        }
        let mut values = Vec::new();
        for key in keys {
            match item.get(key) {
                Some(value) => values.push(text(value).into_owned()),
                // kyaml's loop adds the item once for every missing key.
                None => items.push(id),
            }
        }
        Ok(values)
    }

    /// Nulls and empty maps are no items.
    fn is_nothing(&self, id: Id) -> bool {
        let item = self.node(id);
        item.is_null() || item.kind() == Kind::Map && item.is_empty()
    }

    fn wrong_form(&self, wanted: Form, item: Node<'a>) -> MergeError {
        wrong_form(wanted, item, self.path)
    }

    fn too_long(&self) -> MergeError {
        let count = self.nodes.len();
        let message = format!("{count} items with missing or repeated merge keys are too many to merge");
        MergeError::new(MergeErrorKind::TooManyRepeats, self.path, message)
            .with_hint("give every item all of its merge keys, once")
    }
}

/// Fills gaps: of two items that differ only where one has no value, both get the values of the other.
fn complete_values(all: &mut [Vec<String>]) {
    for one in 0..all.len() {
        // What the item had before it was completed is compared with all others.
        let before = item_at(all, one).clone();
        for other in 0..all.len() {
            if let Some(both) = completed(&before, item_at(&*all, other).as_slice()) {
                item_at_mut(all, one).clone_from(&both);
                *item_at_mut(all, other) = both;
            }
        }
    }
}

/// The values of two items together; `None` if they contradict each other or have nothing in common.
fn completed(one: &[String], other: &[String]) -> Option<Vec<String>> {
    let pairs = || one.iter().zip(other);
    let goes_together = pairs().all(|(one, other)| one == other || one.is_empty() || other.is_empty());
    let has_common = pairs().any(|(one, other)| one == other);
    let fuller = |(one, other): (&String, &String)| if one.is_empty() { other.clone() } else { one.clone() };
    (goes_together && has_common).then(|| pairs().map(fuller).collect())
}

/// For each key whether any item has a value; all of them are used if there is none.
fn used_columns(all: &[Vec<String>], count: usize) -> Vec<bool> {
    let has_value =
        |values: &Vec<String>, column: usize| values.get(column).is_some_and(|value| !value.is_empty());
    let is_used = |column: usize| all.iter().any(|values| has_value(values, column));
    let used: Vec<bool> = (0..count).map(is_used).collect();
    if used.contains(&true) { used } else { vec![true; count] }
}
