//! Upstream's merge of lists of scalars, and the choice between scalars and maps.

use crate::apply::{
    Merger,
    elements::{element_kind, expected_map, no_merge_key},
    in_place::ItemRules,
};
use crate::{
    error::MergeError,
    identity::Keys,
    observe::{MaybeObserver, MergeEvent, Ordering, Removal},
    order::{WovenItem, weave},
};
use hashbrown::{HashMap, HashSet};
use kubemerge_schema::{ListRule, ListStrategy};
use kubemerge_value::part::item_at;
use kubemerge_value::{Kind, ListView, Node, Path, Pick, Scalar};

impl<'a, O: MaybeObserver> Merger<'a, '_, O> {
    /// Upstream: merges a patch list into a live list, by the type of their elements.
    pub(in crate::apply) fn merge_list(
        &mut self,
        rule: &ListRule<'_>,
        live: Node<'a>,
        patch: Node<'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        let items = patch.elements(self.arena);
        if let ListStrategy::Keyed(keys) = rule.strategy {
            let keys = Keys::new(keys, self.strategy, self.arena);
            // Most patches change items and move none.
            if let Some(list) = self.in_place(&keys, live, items) {
                return self.merge_in_place(ItemRules { rule, keys: &keys }, &list, path);
            }
        }
        self.rearrange(rule, live, items, path)
    }

    /// The same for lists that may change their order.
    pub(in crate::apply) fn rearrange(
        &mut self,
        rule: &ListRule<'_>,
        live: Node<'a>,
        items: &[Node<'a>],
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        let view = ListView::new(live, self.arena);
        match element_kind(view.items(), items, path)? {
            None => Ok(live),
            Some(Kind::Map) => self.merge_maps(rule, &view, items, path),
            Some(_) => {
                let picks = self.merge_scalars(rule, &view, items, path)?;
                Ok(view.pick(&picks, self.arena))
            }
        }
    }

    fn merge_maps(
        &mut self,
        rule: &ListRule<'_>,
        view: &ListView<'a>,
        patch: &[Node<'a>],
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        let ListStrategy::Keyed(keys) = rule.strategy else {
            return Err(no_merge_key(&rule.item.name(), path));
        };
        let keys = Keys::new(keys, self.strategy, self.arena);
        let merged = self.merge_keyed(ItemRules { rule, keys: &keys }, view, patch, path)?;
        Ok(view.pick(&merged.picks(), self.arena))
    }

    /// The distinct values of live and patch, in the order of the weave.
    pub(in crate::apply) fn merge_scalars(
        &mut self,
        rule: &ListRule<'_>,
        view: &ListView<'a>,
        patch: &[Node<'a>],
        path: &Path<'_>,
    ) -> Result<Vec<Pick<'a>>, MergeError> {
        if let (ListStrategy::Keyed(_), Some(first)) =
            (rule.strategy, view.items().iter().chain(patch).next())
        {
            // A keyed list of scalars: upstream fails on its first element.
            return Err(expected_map(*first, &path.index(0)));
        }
        self.observer.note(path, MergeEvent::ListMerged { keys: &[] });
        let live = positions(view.items());
        let named = positions(patch);
        let mut seen = HashSet::with_capacity(live.len() + named.len());
        let mut picks = Vec::with_capacity(live.len() + named.len());
        let mut places = Vec::with_capacity(live.len() + named.len());
        for (at, item) in view.items().iter().chain(patch).enumerate() {
            // Repeated values are dropped; the first one keeps its place.
            let Some(value) = item.scalar().filter(|value| seen.insert(*value)) else { continue };
            let (rank, server) = (named.get(&value).copied(), live.get(&value).copied());
            places.push(WovenItem { named: rank.is_some(), rank: rank.or(server), server, deleting: false });
            let is_live = at < view.items().len();
            picks.push(if is_live { Pick::Keep(at) } else { Pick::Put(*item) });
            if !is_live {
                let path = path.index(at - view.items().len());
                self.observer.note(&path, MergeEvent::ItemAdded { keys: &[], value: *item });
            }
        }
        let order = weave(&places);
        if !order.is_sorted() {
            self.observer.note(path, MergeEvent::Reordered { cause: Ordering::PatchList });
        }
        Ok(order.into_iter().map(|at| *item_at(&picks, at)).collect())
    }

    /// Upstream: the values of a delete list leave the list; maps in it are merged like any others.
    pub(in crate::apply) fn delete_list(
        &mut self,
        rule: &ListRule<'_>,
        live: Node<'a>,
        delete: Node<'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        let view = ListView::new(live, self.arena);
        let values = delete.elements(self.arena);
        match element_kind(view.items(), values, path)? {
            // Both lists are empty.
            None => Ok(live),
            Some(Kind::Map) => self.merge_maps(rule, &view, values, path),
            Some(_) => Ok(self.without(&view, values, path)),
        }
    }

    /// The list less these values; order and repetitions stay.
    pub(in crate::apply) fn without(
        &mut self,
        view: &ListView<'a>,
        values: &[Node<'a>],
        path: &Path<'_>,
    ) -> Node<'a> {
        let unwanted: HashSet<Scalar<'a>> = values.iter().filter_map(|value| value.scalar()).collect();
        let mut picks = Vec::with_capacity(view.items().len());
        for (at, item) in view.items().iter().enumerate() {
            if item.scalar().is_some_and(|value| unwanted.contains(&value)) {
                let event = MergeEvent::Removed { value: *item, cause: Removal::DeleteList };
                self.observer.note(&path.index(at), event);
            } else {
                picks.push(Pick::Keep(at));
            }
        }
        view.pick(&picks, self.arena)
    }
}

/// The first position of every scalar.
pub(in crate::apply) fn positions<'a>(items: &[Node<'a>]) -> HashMap<Scalar<'a>, u32> {
    let mut positions = HashMap::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        if let Some(value) = item.scalar() {
            // The first place of a repeated value counts.
            positions.entry(value).or_insert(at as u32);
        }
    }
    positions
}
