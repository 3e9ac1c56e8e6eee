//! The items of an associative list, sorted by identity.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_schema::ListForm;
use kubemerge_value::part::{item_at, part_of};

use super::error::ValidationErrors;
use super::identity::{claimed_element, identity};
use super::identity_order::in_order;
use crate::fieldpath::{Element, PathStack};
use crate::value::{Arena, Items, ParsedValue};

/// An item of a list with its identity.
#[derive(Clone, Copy)]
pub(crate) struct Item<'a> {
    pub(crate) element: Element<'a>,
    pub(crate) value: ParsedValue<'a>,
    /// In a sorted list: whether the item before has the same identity.
    is_repeated: bool,
}

impl<'a> Item<'a> {
    fn new(element: Element<'a>, value: ParsedValue<'a>) -> Self {
        Item { element, value, is_repeated: false }
    }
}

/// Identifies all items; those that cannot be identified are reported and left out.
pub(super) fn identify<'a>(
    list: ListForm<'a>,
    items: Items<'a>,
    arena: &'a Arena,
    path: &PathStack<'a>,
    problems: &mut ValidationErrors,
) -> ArenaVec<'a, Item<'a>> {
    let mut index = ArenaVec::with_capacity_in(items.len(), arena);
    for (place, value) in items.iter().enumerate() {
        match identity(list, value, arena) {
            Ok(element) => index.push(Item::new(element, value)),
            // Goes on, so that every such item is reported.
            Err(reason) => problems.add(path, format!("element {place}: {reason}")),
        }
    }
    index
}

/// All items. Claiming goes on where an item has no identity: validation has reported it.
pub(super) fn claimed_items<'a>(
    list: ListForm<'a>,
    items: Items<'a>,
    arena: &'a Arena,
) -> ArenaVec<'a, Item<'a>> {
    let identified = items.iter().map(|value| Item::new(claimed_element(list, value, arena), value));
    ArenaVec::from_iter_in(identified, arena)
}

/// All items, sorted by identity; `None` if one has no identity or two have the same.
pub(crate) fn distinct_items<'a>(
    list: ListForm<'a>,
    items: Items<'a>,
    arena: &'a Arena,
) -> Option<ArenaVec<'a, Item<'a>>> {
    let mut index = ArenaVec::with_capacity_in(items.len(), arena);
    for value in items.iter() {
        index.push(Item::new(identity(list, value, arena).ok()?, value));
    }
    sort(&mut index);
    index.iter().all(|item| !item.is_repeated).then_some(index)
}

/// Sorts by identity; items with one identity stay in the order of the list.
pub(super) fn sort<'a>(items: &mut ArenaVec<'a, Item<'a>>) {
    // Most lists are short and often sorted; the check is cheaper than the sort.
    if is_sorted(items) {
        return;
    }
    let order = in_order(items.len(), &|place| item_at(items, place as usize).element);
    let sorted = order
        .iter()
        .map(|placed| Item { is_repeated: placed.is_repeated, ..*item_at(items, placed.place as usize) });
    *items = ArenaVec::from_iter_in(sorted, items.bump());
}

/// Whether items are sorted by identity. As far as they are, repeated ones are marked.
fn is_sorted(items: &mut [Item<'_>]) -> bool {
    let mut before: Option<Element<'_>> = None;
    items.iter_mut().all(|item| {
        let Some(before) = before.replace(item.element) else { return true };
        let order = before.order(item.element);
        item.is_repeated = order.is_eq();
        order.is_le()
    })
}

/// The items with the same identity as the first one, in a sorted list.
pub(super) fn first_group<'i, 'a>(items: &'i [Item<'a>]) -> &'i [Item<'a>] {
    let Some((_, others)) = items.split_first() else { return &[] };
    let repeated = others.iter().take_while(|item| item.is_repeated).count();
    part_of(items, ..=repeated)
}
