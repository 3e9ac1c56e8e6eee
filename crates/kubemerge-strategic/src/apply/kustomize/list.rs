//! Merge lists: items of the patch first, then what only the live list has.

use super::{
    irregular::Irregular,
    text::{key_text, text},
    walk::{Sides, Walked, Walker, unknown_strategy},
};
use crate::{
    directive::{PATCH, PatchWord},
    error::MergeError,
    observe::{MaybeObserver, MergeEvent, Ordering, Replacement},
};
use hashbrown::{HashMap, HashSet};
use kubemerge_schema::{ListRule, ListStrategy, Type};
use kubemerge_value::part::{item_at, item_at_mut};
use kubemerge_value::{Kind, Node, Path, Scalar, Side, list as build_list};
use std::borrow::Cow;

/// The items of both lists, and how they are distinguished.
pub(super) struct Lists<'m, 'a> {
    /// The merge keys; empty for a list of scalars.
    pub(super) keys: &'m [&'m str],
    pub(super) item: Type<'m>,
    pub(super) live: &'m [Node<'a>],
    /// `None` if the list of the patch was taken over and is merged with itself.
    pub(super) patch: Option<&'m [Node<'a>]>,
}

/// The values of an item's merge keys.
type Identity<'a> = Vec<Cow<'a, str>>;

impl<'a, O: MaybeObserver> Walker<'a, '_, O> {
    /// Two lists at a field with this rule.
    pub(super) fn list(
        &mut self,
        rule: &ListRule<'_>,
        sides: Sides<'a>,
        path: &Path<'_>,
    ) -> Result<Walked<'a>, MergeError> {
        if matches!(rule.strategy, ListStrategy::Atomic) {
            return Ok(self.replace_list(sides, path));
        }
        let Some(patch) = sides.patch() else { return self.merge_items(rule, sides, path) };
        if patch.is_null() {
            return Ok(self.replace_list(sides, path));
        }
        if sides.live().is_none_or(Node::is_null) {
            // A new list keeps an item that is a directive for the whole list.
            self.observer.note(path, MergeEvent::Added { value: patch });
            return self.take_list(rule, patch, path);
        }
        let items = patch.elements(self.arena);
        let Some(directive) = list_directive(items, self.arena) else {
            return self.merge_items(rule, sides, path);
        };
        match (PatchWord::in_map(directive), sides) {
            (Some(PatchWord::Delete), _) => {
                self.note_deleted(sides, path);
                Ok(Walked::Gone)
            }
            (Some(PatchWord::Replace), Sides::Two { live, .. }) => {
                let cause = Replacement::PatchDirective;
                self.observer.note(path, MergeEvent::ListReplaced { from: live, cause });
                self.take_list(rule, self.without_items(items, directive), path)
            }
            (Some(PatchWord::Merge), Sides::Two { live, .. }) => {
                let patch = Some(self.without_items(items, directive));
                self.merge_items(rule, Sides::Two { live, patch }, path)
            }
            (Some(PatchWord::Replace | PatchWord::Merge), Sides::Taken(_)) => {
                self.take_list(rule, self.without_items(items, directive), path)
            }
            (Some(PatchWord::Unknown) | None, _) => Err(unknown_strategy(directive, path)),
        }
    }

    /// A list of the patch that takes its place as a whole.
    fn take_list(
        &mut self,
        rule: &ListRule<'_>,
        list: Node<'a>,
        path: &Path<'_>,
    ) -> Result<Walked<'a>, MergeError> {
        Ok(match self.merge_items(rule, Sides::Taken(list), path)? {
            Walked::Kept => Walked::Patch(list),
            changed => changed,
        })
    }

    /// The list without the items that hold the same word, keys or not, and without empty ones.
    fn without_items(&self, items: &[Node<'a>], directive: Node<'a>) -> Node<'a> {
        let word = PatchWord::in_map(directive);
        let stays = |item: &&Node<'a>| match item.kind() {
            Kind::Null => false,
            Kind::Map => !item.is_empty() && PatchWord::in_map(**item) != word,
            _ => true,
        };
        build_list(items.iter().filter(stays).copied(), self.arena)
    }

    fn merge_items(
        &mut self,
        rule: &ListRule<'_>,
        sides: Sides<'a>,
        path: &Path<'_>,
    ) -> Result<Walked<'a>, MergeError> {
        let arena = self.arena;
        let live = sides.live().map(|list| list.elements(arena)).unwrap_or_default();
        let patch = match sides {
            Sides::Two { patch, .. } => Some(patch.map(|list| list.elements(arena)).unwrap_or_default()),
            Sides::Taken(_) => None,
        };
        let keys: Vec<&str> = match rule.strategy {
            ListStrategy::Keyed(keys) => keys.iter().map(|key| key.name.as_str()).collect(),
            _ => Vec::new(),
        };
        if patch.is_some_and(|items| !items.is_empty()) {
            self.observer.note(path, MergeEvent::ListMerged { keys: &keys });
        }
        let lists = Lists { keys: &keys, item: rule.item, live, patch };
        let items = match &keys[..] {
            [] => self.scalars(&lists, path)?,
            _ => self.keyed(&lists, path)?,
        };
        Ok(match (items, sides) {
            (None, _) => Walked::Kept,
            (Some(items), Sides::Taken(_)) => Walked::Patch(build_list(items, arena)),
            (Some(items), Sides::Two { .. }) => Walked::Live(build_list(items, arena)),
        })
    }

    /// The items of a list that is merged by value; `None` if they are those of the live list.
    fn scalars(
        &mut self,
        lists: &Lists<'_, 'a>,
        path: &Path<'_>,
    ) -> Result<Option<Vec<Node<'a>>>, MergeError> {
        let patch = lists.patch.unwrap_or_default();
        let is_scalar = |item: &Node<'a>| !matches!(item.kind(), Kind::Map | Kind::List | Kind::Null);
        if !patch.iter().chain(lists.live).all(is_scalar) {
            return Irregular::new(self, lists, path).merge();
        }
        // Where values are repeated, the first place and the last live value count.
        let mut places: HashMap<Cow<'a, str>, usize> = HashMap::new();
        let mut items = Vec::with_capacity(lists.live.len() + patch.len());
        for (at, item) in patch.iter().enumerate() {
            if !places.contains_key(&text(*item)) {
                places.insert(text(*item), items.len());
                let path = &path.only(Side::Patch, at);
                self.observer.note(path, MergeEvent::ItemAdded { keys: &[], value: *item });
                items.push(*item);
            }
        }
        for item in lists.live {
            if let Some(place) = places.get(&text(*item)) {
                *item_at_mut(&mut items, *place) = *item;
            } else {
                places.insert(text(*item), items.len());
                items.push(*item);
            }
        }
        let is_same = patch.is_empty() && items.len() == lists.live.len();
        Ok((!is_same).then_some(items))
    }

    /// The items of a list that is merged by keys; `None` if they are those of the live list, unchanged.
    fn keyed(&mut self, lists: &Lists<'_, 'a>, path: &Path<'_>) -> Result<Option<Vec<Node<'a>>>, MergeError> {
        if lists.live.is_empty() && lists.patch.unwrap_or_default().is_empty() {
            return Ok(None);
        }
        match Identities::of(lists) {
            Some(identities) => self.regular(lists, &identities, path),
            None => Irregular::new(self, lists, path).merge(),
        }
    }

    /// Every item has all keys that any item has, and no live item repeats them.
    fn regular(
        &mut self,
        lists: &Lists<'_, 'a>,
        identities: &Identities<'_, 'a>,
        path: &Path<'_>,
    ) -> Result<Option<Vec<Node<'a>>>, MergeError> {
        let Some(patch) = lists.patch else { return self.taken_items(lists, path) };
        let places: HashMap<&Identity<'a>, usize> =
            identities.live.iter().enumerate().map(|(at, identity)| (identity, at)).collect();
        let mut fates = vec![Fate::Unmentioned; lists.live.len()];
        let mut seen = HashSet::new();
        let mut items = Vec::with_capacity(lists.live.len() + patch.len());
        for (at, (item, identity)) in patch.iter().zip(&identities.patch).enumerate() {
            // Of several items of the patch with the same keys the first counts.
            if !seen.insert(identity) {
                continue;
            }
            let place = places.get(identity).copied();
            let found = PatchItem { item: *item, at, place, keys: &identities.keys };
            let merged = self.patch_item(lists, found, path)?;
            match place {
                // With several keys, merged items stay among the live ones
                // (apply/kustomize-lists.yaml, `ports by port and protocol`).
                Some(place) if identities.keys.len() > 1 => {
                    *item_at_mut(&mut fates, place) = Fate::Stays(merged);
                }
                Some(place) => {
                    *item_at_mut(&mut fates, place) = Fate::Moved;
                    items.extend(merged);
                }
                None => items.extend(merged),
            }
        }
        self.note_order(&fates, &items, path);
        self.live_items(lists, &fates, items, path)
    }

    /// Adds the live items that are not among the items of the patch; `None` if nothing has changed.
    fn live_items(
        &mut self,
        lists: &Lists<'_, 'a>,
        fates: &[Fate<'a>],
        mut items: Vec<Node<'a>>,
        path: &Path<'_>,
    ) -> Result<Option<Vec<Node<'a>>>, MergeError> {
        let mut is_same = items.is_empty();
        for (at, (item, fate)) in lists.live.iter().zip(fates).enumerate() {
            is_same &= matches!(fate, Fate::Unmentioned);
            match fate {
                Fate::Moved => {}
                Fate::Stays(merged) => items.extend(*merged),
                Fate::Unmentioned => {
                    let sides = Sides::Two { live: Some(*item), patch: None };
                    let walked = self.value(lists.item, sides, &path.only(Side::Live, at))?;
                    is_same &= matches!(walked, Walked::Kept);
                    items.extend(match walked {
                        Walked::Kept | Walked::Patch(_) => Some(*item),
                        Walked::Live(item) => Some(item),
                        Walked::Gone => None,
                    });
                }
            }
        }
        Ok((!is_same).then_some(items))
    }

    /// Says so where items of the patch go before live items that were before them.
    fn note_order(&mut self, fates: &[Fate<'a>], items: &[Node<'a>], path: &Path<'_>) {
        let moved = fates.iter().rposition(|fate| matches!(fate, Fate::Moved));
        let is_moved = |fate: &Fate<'a>| matches!(fate, Fate::Moved);
        let is_after_others = |last: usize| !fates.iter().take(last).all(is_moved);
        let has_new = items.len() > fates.iter().filter(|fate| matches!(fate, Fate::Moved)).count();
        if moved.is_some_and(is_after_others) || has_new && !fates.is_empty() {
            self.observer.note(path, MergeEvent::Reordered { cause: Ordering::PatchList });
        }
    }

    /// What an item of the patch becomes.
    fn patch_item(
        &mut self,
        lists: &Lists<'_, 'a>,
        found: PatchItem<'_, 'a>,
        path: &Path<'_>,
    ) -> Result<Option<Node<'a>>, MergeError> {
        let live = found.place.map(|place| *item_at(lists.live, place));
        let path = match found.place {
            Some(place) => path.item(found.at, place),
            None => path.only(Side::Patch, found.at),
        };
        if O::WATCHES && PatchWord::in_map(found.item) != Some(PatchWord::Delete) {
            self.note_item(&found, &path);
        }
        let walked = self.value(lists.item, Sides::Two { live, patch: Some(found.item) }, &path)?;
        Ok(match (walked, live) {
            (Walked::Gone, _) => None,
            (Walked::Live(item), _) => Some(item),
            // kustomize puts the live items over those of the patch at last, so that an item with
            // `$patch: replace` changes nothing (kustomize/lists.yaml, `replace an item`).
            (Walked::Kept | Walked::Patch(_), Some(live)) => Some(live),
            (Walked::Patch(item), None) => Some(item),
            (Walked::Kept, None) => None,
        })
    }

    fn note_item(&mut self, found: &PatchItem<'_, 'a>, path: &Path<'_>) {
        let keys: Vec<(&str, Scalar<'_>)> =
            found.keys.iter().filter_map(|key| Some((*key, found.item.get(key)?.scalar()?))).collect();
        let event = match found.place {
            Some(_) => MergeEvent::ItemMatched { keys: &keys },
            None => MergeEvent::ItemAdded { keys: &keys, value: found.item },
        };
        self.observer.note(path, event);
    }

    fn taken_items(
        &mut self,
        lists: &Lists<'_, 'a>,
        path: &Path<'_>,
    ) -> Result<Option<Vec<Node<'a>>>, MergeError> {
        let mut items = Vec::with_capacity(lists.live.len());
        let mut is_same = true;
        for (at, item) in lists.live.iter().enumerate() {
            let walked = self.value(lists.item, Sides::Taken(*item), &path.only(Side::Patch, at))?;
            is_same &= matches!(walked, Walked::Kept);
            match walked {
                Walked::Kept => items.push(*item),
                Walked::Patch(item) | Walked::Live(item) => items.push(item),
                Walked::Gone => {}
            }
        }
        Ok((!is_same).then_some(items))
    }
}

/// What the patch does to a live item.
#[derive(Clone, Copy)]
enum Fate<'a> {
    Unmentioned,
    /// It is among the items of the patch, or gone.
    Moved,
    /// It is merged where it is, or gone.
    Stays(Option<Node<'a>>),
}

/// An item of the patch list, and the live item with the same keys.
struct PatchItem<'m, 'a> {
    item: Node<'a>,
    at: usize,
    place: Option<usize>,
    keys: &'m [&'m str],
}

/// The keys that distinguish the items of two regular lists.
struct Identities<'m, 'a> {
    /// The keys that items have.
    keys: Vec<&'m str>,
    live: Vec<Identity<'a>>,
    patch: Vec<Identity<'a>>,
}

impl<'m, 'a> Identities<'m, 'a> {
    /// `None` if an item lacks a key that another one has, or if live items repeat keys.
    fn of(lists: &Lists<'m, 'a>) -> Option<Self> {
        let patch = lists.patch.unwrap_or_default();
        let is_used =
            |key: &&&str| patch.iter().chain(lists.live).any(|item| !key_text(*item, key).is_empty());
        let keys: Vec<&str> = lists.keys.iter().filter(is_used).copied().collect();
        let identity = |item: &Node<'a>| {
            let values: Identity<'a> = keys.iter().map(|key| key_text(*item, key)).collect();
            (!values.is_empty() && values.iter().all(|value| !value.is_empty())).then_some(values)
        };
        let live: Vec<Identity<'a>> = lists.live.iter().map(identity).collect::<Option<_>>()?;
        let patch = patch.iter().map(identity).collect::<Option<_>>()?;
        let is_unique = live.iter().collect::<HashSet<_>>().len() == live.len();
        is_unique.then_some(Identities { keys, live, patch })
    }
}

/// The item that is a directive for the whole list: the first that holds `$patch`, if it holds nothing else.
fn list_directive<'a>(items: &[Node<'a>], arena: &'a kubemerge_value::Arena) -> Option<Node<'a>> {
    let first = items.iter().find(|item| item.get(PATCH).is_some())?;
    (first.entries(arena).len() == 1).then_some(*first)
}
