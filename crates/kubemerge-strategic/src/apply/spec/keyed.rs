//! Keyed lists of the `spec` dialect: key sets, partial deletes, and the documented order.

use super::{
    list::{ListPatch, beside},
    order::{KeyedOrder, check_positions},
};
use crate::apply::{
    Merger,
    elements::{all_maps, element_kind, on_its_side},
    in_place::{InPlace, ItemRules},
    unknown_patch,
};
use crate::{
    directive::PatchWord,
    error::MergeError,
    identity::{Identity, Keys},
    observe::{MaybeObserver, MergeEvent, Ordering, Removal, Replacement},
    order::{LiveItem, by_position, without_directive},
    partial::Partial,
    register::{ItemId, Positions, Register},
    repeats::Used,
    unions::patch_with_unions,
};
use bumpalo::collections::Vec as ArenaVec;
use kubemerge_schema::{ItemStrategy, ListRule, MergeKey};
use kubemerge_value::part::{item_at, item_at_mut};
use kubemerge_value::{Kind, ListView, Node, Path, Pick, Side, deep};

/// A plain item of the patch.
struct Plain<'a> {
    at: usize,
    node: Node<'a>,
    identity: Identity<'a>,
}

/// The patch list, taken apart.
struct Parts<'a> {
    plain: Vec<Plain<'a>>,
    /// Identities of delete items and the keys that they write.
    deletes: Vec<(Identity<'a>, u32)>,
    replace: bool,
}

/// A live item that no delete item hits.
struct Survivor<'a> {
    at: usize,
    identity: Identity<'a>,
    id: ItemId,
}

/// What the patch says about one identity.
struct Named<'a> {
    identity: Identity<'a>,
    /// The first live item of this identity, as a position among the survivors.
    known: Option<usize>,
    /// What its items make of it.
    merged: Option<Node<'a>>,
}

impl<'a, O: MaybeObserver> Merger<'a, '_, O> {
    pub(in crate::apply) fn spec_keyed(
        &mut self,
        rule: &ListRule<'_>,
        keys: &[MergeKey],
        live: Option<Node<'a>>,
        patch: &ListPatch<'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        let keys = Keys::new(keys, self.strategy, self.arena);
        let rules = ItemRules { rule, keys: &keys };
        let items = patch.items.map_or(&[][..], |items| items.elements(self.arena));
        // An order list may move items, so the list does not stay in place.
        if let (Some(live), None) = (live, patch.order)
            && let Some(list) = self.in_place(&keys, live, items)
        {
            return self.spec_in_place(rules, &list, path);
        }
        let view = ListView::new(live.unwrap_or(Node::NULL), self.arena);
        let kind = on_its_side(element_kind, view.items(), items, path)?;
        // Only maps have keys; this names the first element that is no map.
        if kind.is_some_and(|kind| kind != Kind::Map) {
            on_its_side(all_maps, view.items(), items, path)?;
        }
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
            self.observer.note(path, MergeEvent::ListReplaced { from: live, cause });
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
    ) -> Result<Node<'a>, MergeError> {
        self.note_merge(rules.keys, path);
        let mut changed = ArenaVec::with_capacity_in(list.pairs.len(), self.arena);
        for (at, pair) in list.pairs.iter().enumerate() {
            let item = Plain { at, node: pair.patch, identity: pair.identity };
            let live = list.live.node(&pair.live);
            let merged = self.spec_item(rules, &item, Some(live), Some(pair.live.at), path)?;
            changed.push((pair.live, merged));
        }
        Ok(list.live.replace(&changed, self.arena))
    }

    fn spec_parts(
        &self,
        keys: &Keys<'_, 'a>,
        items: &[Node<'a>],
        path: &Path<'_>,
    ) -> Result<Parts<'a>, MergeError> {
        let mut parts = Parts { plain: Vec::with_capacity(items.len()), deletes: Vec::new(), replace: false };
        for (at, item) in items.iter().enumerate() {
            let path = path.index(at);
            let (keyed, is_marked) = keys.read_marked(*item, self.arena);
            let require = || keys.identity_of(keyed, *item, &path);
            // Reading the key has seen whether there is a directive at all.
            let word = if is_marked { PatchWord::in_map(*item) } else { None };
            match word {
                Some(PatchWord::Replace) => parts.replace = true,
                Some(PatchWord::Unknown) => return Err(unknown_patch(*item, &path)),
                Some(PatchWord::Delete) => parts.deletes.push(require()?),
                Some(PatchWord::Merge) | None => {
                    let (identity, _) = require()?;
                    parts.plain.push(Plain { at, node: *item, identity });
                }
            }
        }
        Ok(parts)
    }

    /// After a replace marker the plain items are the list, each of them for itself.
    fn replaced_items(
        &mut self,
        rule: &ListRule<'_>,
        parts: &Parts<'a>,
        order: Option<&KeyedOrder<'a>>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        let mut items = Vec::with_capacity(parts.plain.len());
        for item in &parts.plain {
            let path = path.index(item.at);
            let patch = patch_with_unions(item.node, rule.unions(), &path, self.arena)?;
            let node = deep(|| self.map(rule.item, None, &patch, &path))?;
            items.push((order.and_then(|order| order.position(item.identity)), node));
        }
        // Stable, so that items which the order does not name stay together.
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
    ) -> Result<Node<'a>, MergeError> {
        self.note_merge(rules.keys, path);
        let mut register = Register::with_capacity(view.items().len() + parts.plain.len());
        let survivors = self.survivors(rules.keys, view, &parts.deletes, &mut register, path)?;
        // Repeated live items: the first one is merged with, the others stay.
        let first = Positions::of(survivors.iter().map(|item| item.id));
        let (mut named, names) = name_items(parts, &first, &mut register);
        let live: Vec<LiveItem> = survivors
            .iter()
            .enumerate()
            .map(|(at, item)| LiveItem {
                name: names.place.get(item.id),
                first: first.get(item.id).unwrap_or(at as u32),
            })
            .collect();
        for (item, name) in parts.plain.iter().zip(&names.of_plain) {
            let name = item_at_mut(&mut named, *name as usize);
            let live_at = name.known.map(|at| item_at(&survivors, at).at);
            // A repeated item of the patch is merged into what the first one made.
            let base = name.merged.or(live_at.map(|at| *item_at(view.items(), at)));
            let again = name.merged.map(|_| Used::of(self.arena));
            name.merged = Some(self.spec_item(rules, item, base, live_at, path)?);
            if let Some(before) = again {
                // A patch that repeats an item merges it again and again; memory is bounded here.
                self.repeats.note(before, self.arena, &path.index(item.at))?;
            }
        }
        let picked = match order {
            None => self.woven(&live, &named, path),
            Some(order) => self.positioned(&survivors, &named, order, path),
        };
        let pick = |at: Result<usize, usize>| match at {
            Ok(at) => {
                let name = item_at(&live, at).name.map(|name| item_at(&named, name as usize));
                Some(pick_live(at, item_at(&survivors, at), name))
            }
            Err(name) => item_at(&named, name).merged.map(Pick::Put),
        };
        let picks: Vec<Pick<'a>> = picked.into_iter().filter_map(pick).collect();
        Ok(view.pick(&picks, self.arena))
    }

    /// The live items that no delete item hits.
    fn survivors(
        &mut self,
        keys: &Keys<'_, 'a>,
        view: &ListView<'a>,
        deletes: &[(Identity<'a>, u32)],
        register: &mut Register<'a>,
        path: &Path<'_>,
    ) -> Result<Vec<Survivor<'a>>, MergeError> {
        let mut deleted = Partial::default();
        for (identity, written) in deletes {
            // A delete item may leave keys out and then hits every item that agrees in the others.
            deleted.insert(*identity, *written, ());
        }
        let mut survivors = Vec::with_capacity(view.items().len());
        for (at, item) in view.items().iter().enumerate() {
            let (identity, _) = keys.require(*item, &path.only(Side::Live, at), self.arena)?;
            if deleted.of(identity).next().is_some() {
                let event = MergeEvent::Removed { value: *item, cause: Removal::PatchDirective };
                self.observer.note(&path.index(at), event);
            } else {
                survivors.push(Survivor { at, identity, id: register.number(identity) });
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
    ) -> Result<Node<'a>, MergeError> {
        // Pairs are built for observers only.
        if O::WATCHES {
            let pairs = rules.keys.pairs(item.identity);
            if let Some(at) = live_at {
                self.observer.note(&path.index(at), MergeEvent::ItemMatched { keys: &pairs });
            } else {
                let event = MergeEvent::ItemAdded { keys: &pairs, value: item.node };
                self.observer.note(&path.index(item.at), event);
            }
        }
        let base = match rules.rule.items {
            ItemStrategy::Merge => live,
            // The item of the patch takes the place of the live one.
            ItemStrategy::Replace => None,
        };
        let path = match live_at {
            Some(live_at) => path.item(item.at, live_at),
            None => path.only(Side::Patch, item.at),
        };
        let patch = patch_with_unions(item.node, rules.rule.unions(), &path, self.arena)?;
        deep(|| self.map(rules.rule.item, base, &patch, &path))
    }

    /// The order without a directive: live items as `Ok`, new ones as `Err`.
    fn woven(
        &mut self,
        live: &[LiveItem],
        named: &[Named<'a>],
        path: &Path<'_>,
    ) -> Vec<Result<usize, usize>> {
        let order = without_directive(live, named.len());
        // New items alone are no change of order.
        if !order.iter().filter_map(|at| at.ok()).is_sorted() {
            self.observer.note(path, MergeEvent::Reordered { cause: Ordering::PatchList });
        }
        order
    }

    /// The order of an order list: items without a position first, items of one position in live order, then
    /// in patch order.
    fn positioned(
        &mut self,
        survivors: &[Survivor<'a>],
        named: &[Named<'a>],
        order: &KeyedOrder<'a>,
        path: &Path<'_>,
    ) -> Vec<Result<usize, usize>> {
        let mut items: Vec<Result<usize, usize>> = (0..survivors.len()).map(Ok).collect();
        let is_new = |(_, name): &(usize, &Named<'a>)| name.known.is_none();
        items.extend(named.iter().enumerate().filter(is_new).map(|(name, _)| Err(name)));
        let positions: Vec<Option<u32>> = items
            .iter()
            .map(|item| match item {
                Ok(at) => order.position(item_at(survivors, *at).identity),
                Err(name) => order.position(item_at(named, *name).identity),
            })
            .collect();
        let sorted = by_position(&positions);
        if !sorted.is_sorted() {
            self.observer.note(path, MergeEvent::Reordered { cause: Ordering::Directive });
        }
        sorted.into_iter().map(|at| *item_at(&items, at)).collect()
    }
}

/// A live item, which is the first of its name or one that stays as it is.
fn pick_live<'a>(at: usize, item: &Survivor<'a>, name: Option<&Named<'a>>) -> Pick<'a> {
    // Only the first of repeated live items was merged with.
    let changed = name.filter(|name| name.known == Some(at)).and_then(|name| name.merged);
    changed.map_or(Pick::Keep(item.at), Pick::Put)
}

/// The names that the patch gives: its distinct identities.
struct Names {
    /// The name of every plain item.
    of_plain: Vec<u32>,
    /// The place of every name.
    place: Positions,
}

/// The distinct identities of the plain items in order of first mention.
fn name_items<'a>(
    parts: &Parts<'a>,
    live: &Positions,
    register: &mut Register<'a>,
) -> (Vec<Named<'a>>, Names) {
    let mut named: Vec<Named<'a>> = Vec::with_capacity(parts.plain.len());
    let mut names = Names { of_plain: Vec::with_capacity(parts.plain.len()), place: Positions::default() };
    for item in &parts.plain {
        let id = register.number(item.identity);
        let name = names.place.get(id).unwrap_or_else(|| {
            let known = live.get(id).map(|at| at as usize);
            names.place.note(id, named.len());
            named.push(Named { identity: item.identity, known, merged: None });
            named.len() as u32 - 1
        });
        names.of_plain.push(name);
    }
    (named, names)
}
