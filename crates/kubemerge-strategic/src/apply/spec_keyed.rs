//! Keyed lists of the `spec` dialect: key sets, partial deletes, and the documented order.

use super::{
    Merger,
    elements::{all_maps, element_kind, on_its_side},
    in_place::InPlace,
    spec_list::{ListPatch, beside},
    spec_order::{KeyedOrder, check_positions},
    unknown_patch,
};
use crate::{
    directive::{MapPatch, PatchWord},
    error::Error,
    identity::{Identity, Keys, project},
    observe::{Event, Observer, Ordering, Removal, Replacement},
    order::{LiveItem, by_position, live_items, without_directive},
};
use bumpalo::collections::Vec as ArenaVec;
use hashbrown::{HashMap, HashSet};
use kubemerge_schema::{ItemStrategy, ListRule, MergeKey};
use kubemerge_value::{Kind, ListView, Node, Path, Pick, deep};

/// What decides for the items of one list.
#[derive(Clone, Copy)]
struct ItemRules<'r, 's, 'a> {
    rule: &'r ListRule<'s>,
    keys: &'r Keys<'s, 'a>,
}

/// A plain item of the patch.
struct Plain<'a> {
    at: usize,
    patch: MapPatch<'a>,
    identity: Identity<'a>,
}

/// The patch list, taken apart.
struct Parts<'a> {
    plain: Vec<Plain<'a>>,
    /// Identities of delete items and the keys that they write.
    deletes: Vec<(Identity<'a>, u32)>,
    replace: bool,
}

/// What the patch says about one identity.
struct Named<'a> {
    identity: Identity<'a>,
    /// The first live item of this identity, as a position among the survivors.
    known: Option<usize>,
    /// What its items make of it.
    merged: Option<Node<'a>>,
}

impl<'a, O: Observer> Merger<'a, '_, O> {
    pub(super) fn spec_keyed(
        &mut self,
        rule: &ListRule<'_>,
        keys: &[MergeKey],
        live: Option<Node<'a>>,
        patch: &ListPatch<'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, Error> {
        let keys = Keys::new(keys, self.dialect, self.arena);
        let items = patch.items.map_or(&[][..], |items| items.elements(self.arena));
        if let (Some(live), None) = (live, patch.order)
            && let Some(list) = self.in_place(&keys, live, items)
        {
            return self.spec_in_place(ItemRules { rule, keys: &keys }, &list, path);
        }
        let view = ListView::new(live.unwrap_or(Node::NULL), self.arena);
        let kind = on_its_side(element_kind, view.items(), items, path)?;
        if kind.is_some_and(|kind| kind != Kind::Map) {
            on_its_side(all_maps, view.items(), items, path)?;
        }
        let rules = ItemRules { rule, keys: &keys };
        let parts = self.spec_parts(&keys, items, path)?;
        let order = match patch.order {
            Some(entry) => {
                let entries = entry.value.elements(self.arena);
                Some(KeyedOrder::new(entries, &keys, &beside(path, entry), self.arena)?)
            }
            None => None,
        };
        if let Some(order) = &order {
            let positions = parts.plain.iter().map(|item| (item.at, order.position(item.identity)));
            check_positions(positions, path)?;
        }
        if parts.replace {
            let cause = Replacement::PatchDirective;
            self.observer.note(path, Event::ListReplaced { from: live, cause });
            return self.replaced_items(rule, &parts, order.as_ref(), path);
        }
        self.merged_items(rules, &view, &parts, order.as_ref(), path)
    }

    /// Merges the patch items of a list that keeps its order.
    fn spec_in_place(
        &mut self,
        rules: ItemRules<'_, '_, 'a>,
        list: &InPlace<'a, '_>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, Error> {
        self.note_merge(rules.keys, path);
        let mut changed = ArenaVec::with_capacity_in(list.pairs.len(), self.arena);
        for (at, pair) in list.pairs.iter().enumerate() {
            let patch = MapPatch::parse(pair.patch, self.arena);
            let item = Plain { at, patch, identity: pair.identity };
            let live = list.live.node(&pair.live);
            let merged = self.spec_item(rules, &item, Some(live), Some(pair.at), path)?;
            changed.push((pair.live, merged));
        }
        Ok(list.live.replace(&changed, self.arena))
    }

    fn spec_parts(
        &self,
        keys: &Keys<'_, 'a>,
        items: &[Node<'a>],
        path: &Path<'_>,
    ) -> Result<Parts<'a>, Error> {
        let mut parts = Parts { plain: Vec::with_capacity(items.len()), deletes: Vec::new(), replace: false };
        for (at, item) in items.iter().enumerate() {
            let path = path.index(at);
            let patch = MapPatch::parse(*item, self.arena);
            match patch.patch.map(PatchWord::of) {
                Some(PatchWord::Replace) => parts.replace = true,
                Some(PatchWord::Unknown) => return Err(unknown_patch(*item, &path)),
                Some(PatchWord::Delete) => parts.deletes.push(keys.require(*item, &path, self.arena)?),
                Some(PatchWord::Merge) | None => {
                    let (identity, _) = keys.require(*item, &path, self.arena)?;
                    parts.plain.push(Plain { at, patch, identity });
                }
            }
        }
        Ok(parts)
    }

    /// Behind a replace marker the plain items are the list, each of them for itself.
    fn replaced_items(
        &mut self,
        rule: &ListRule<'_>,
        parts: &Parts<'a>,
        order: Option<&KeyedOrder<'a>>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, Error> {
        let mut items = Vec::with_capacity(parts.plain.len());
        for item in &parts.plain {
            let node = deep(|| self.map(rule.item, None, &item.patch, &path.index(item.at)))?;
            items.push((order.and_then(|order| order.position(item.identity)), node));
        }
        if order.is_some() {
            items.sort_by_key(|(position, _)| *position);
        }
        Ok(kubemerge_value::list(items.into_iter().map(|(_, node)| node), self.arena))
    }

    fn merged_items(
        &mut self,
        rules: ItemRules<'_, '_, 'a>,
        view: &ListView<'a>,
        parts: &Parts<'a>,
        order: Option<&KeyedOrder<'a>>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, Error> {
        self.note_merge(rules.keys, path);
        let survivors = self.survivors(rules.keys, view, &parts.deletes, path)?;
        let (mut named, index) = name_items(parts);
        let live = live_items(survivors.iter().map(|(_, identity)| *identity), &index);
        for (at, item) in live.iter().enumerate() {
            if let Some(name) = item.name {
                named[name as usize].known.get_or_insert(at);
            }
        }
        for item in &parts.plain {
            let name = &mut named[index[&item.identity] as usize];
            let live_at = name.known.map(|at| survivors[at].0);
            let base = name.merged.or(live_at.map(|at| view.items()[at]));
            name.merged = Some(self.spec_item(rules, item, base, live_at, path)?);
        }
        let picked = match order {
            None => self.woven(&live, &named, path),
            Some(order) => self.positioned(&survivors, &named, order, path),
        };
        let picks: Vec<Pick<'a>> = picked
            .into_iter()
            .filter_map(|at| match at {
                Ok(at) => {
                    let name = live[at].name.map(|name| &named[name as usize]);
                    let changed = name.filter(|name| name.known == Some(at)).and_then(|name| name.merged);
                    Some(changed.map_or(Pick::Keep(survivors[at].0), Pick::Put))
                }
                Err(name) => named[name].merged.map(Pick::Put),
            })
            .collect();
        Ok(view.pick(&picks, self.arena))
    }

    /// The live items that no delete item hits, with their identities.
    fn survivors(
        &mut self,
        keys: &Keys<'_, 'a>,
        view: &ListView<'a>,
        deletes: &[(Identity<'a>, u32)],
        path: &Path<'_>,
    ) -> Result<Vec<(usize, Identity<'a>)>, Error> {
        let mut groups: Vec<(u32, HashSet<Identity<'a>>)> = Vec::new();
        for (identity, written) in deletes {
            let Some(part) = project(*identity, *written, self.arena) else { continue };
            match groups.iter_mut().find(|(mask, _)| mask == written) {
                Some((_, parts)) => _ = parts.insert(part),
                None => groups.push((*written, HashSet::from_iter([part]))),
            }
        }
        let mut survivors = Vec::with_capacity(view.items().len());
        for (at, item) in view.items().iter().enumerate() {
            let (identity, _) = keys.require(*item, &path.in_live().index(at), self.arena)?;
            let hit = groups.iter().any(|(mask, parts)| {
                project(identity, *mask, self.arena).is_some_and(|part| parts.contains(&part))
            });
            if hit {
                let event = Event::Removed { value: *item, cause: Removal::PatchDirective };
                self.observer.note(&path.index(at), event);
            } else {
                survivors.push((at, identity));
            }
        }
        Ok(survivors)
    }

    fn spec_item(
        &mut self,
        rules: ItemRules<'_, '_, 'a>,
        item: &Plain<'a>,
        live: Option<Node<'a>>,
        live_at: Option<usize>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, Error> {
        if O::WATCHES {
            let pairs = rules.keys.pairs(item.identity);
            match live_at {
                Some(at) => self.observer.note(&path.index(at), Event::ItemMatched { keys: &pairs }),
                None => {
                    let event = Event::ItemAdded { keys: &pairs, value: item.patch.node };
                    self.observer.note(&path.index(item.at), event);
                }
            }
        }
        let base = match rules.rule.items {
            ItemStrategy::Merge => live,
            ItemStrategy::Replace => None,
        };
        let path = path.item(item.at, live_at.unwrap_or(item.at));
        deep(|| self.map(rules.rule.item, base, &item.patch, &path))
    }

    /// The order without a directive: live items as `Ok`, new ones as `Err`.
    fn woven(
        &mut self,
        live: &[LiveItem],
        named: &[Named<'a>],
        path: &Path<'_>,
    ) -> Vec<Result<usize, usize>> {
        let order = without_directive(live, named.len());
        if !order.iter().filter_map(|at| at.ok()).is_sorted() {
            self.observer.note(path, Event::Reordered { cause: Ordering::PatchList });
        }
        order
    }

    /// The order of an order list: items without a position first, items of one position in live order, then
    /// in patch order.
    fn positioned(
        &mut self,
        survivors: &[(usize, Identity<'a>)],
        named: &[Named<'a>],
        order: &KeyedOrder<'a>,
        path: &Path<'_>,
    ) -> Vec<Result<usize, usize>> {
        let mut items: Vec<Result<usize, usize>> = (0..survivors.len()).map(Ok).collect();
        items.extend((0..named.len()).filter(|name| named[*name].known.is_none()).map(Err));
        let positions: Vec<Option<u32>> = items
            .iter()
            .map(|item| match item {
                Ok(at) => order.position(survivors[*at].1),
                Err(name) => order.position(named[*name].identity),
            })
            .collect();
        let sorted = by_position(&positions);
        if !sorted.is_sorted() {
            self.observer.note(path, Event::Reordered { cause: Ordering::Directive });
        }
        sorted.into_iter().map(|at| items[at]).collect()
    }
}

/// The distinct identities of the plain items in order of first mention, and their places in that order.
fn name_items<'a>(parts: &Parts<'a>) -> (Vec<Named<'a>>, HashMap<Identity<'a>, u32>) {
    let mut named: Vec<Named<'a>> = Vec::with_capacity(parts.plain.len());
    let mut index = HashMap::with_capacity(parts.plain.len());
    for item in &parts.plain {
        index.entry(item.identity).or_insert_with(|| {
            named.push(Named { identity: item.identity, known: None, merged: None });
            named.len() as u32 - 1
        });
    }
    (named, index)
}
