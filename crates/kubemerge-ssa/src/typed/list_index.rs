//! The items of an associative list, sorted by identity.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_schema::ListForm;

use super::error::ValidationErrors;
use super::identity::{claimed_element, identity};
use crate::fieldpath::{Element, PathStack};
use crate::value::{Arena, ParsedValue};

/// An item of a list with its identity and its place.
#[derive(Clone, Copy)]
pub(crate) struct Item<'a> {
    pub(crate) element: Element<'a>,
    pub(super) place: u32,
    pub(crate) value: ParsedValue<'a>,
}

/// Identifies all items; those that cannot be identified are reported and left out.
pub(super) fn identify<'a>(
    list: ListForm<'a>,
    items: &'a [ParsedValue<'a>],
    arena: &'a Arena,
    path: &PathStack<'a>,
    problems: &mut ValidationErrors,
) -> ArenaVec<'a, Item<'a>> {
    let mut index = ArenaVec::with_capacity_in(items.len(), arena);
    for (place, value) in items.iter().enumerate() {
        match identity(list, *value, arena) {
            Ok(element) => index.push(Item { element, place: place as u32, value: *value }),
            // Goes on, so that every such item is reported.
            Err(reason) => problems.add(path, format!("element {place}: {reason}")),
        }
    }
    index
}

/// All items. Claiming goes on where an item has no identity: validation has reported it.
pub(super) fn claimed_items<'a>(
    list: ListForm<'a>,
    items: &'a [ParsedValue<'a>],
    arena: &'a Arena,
) -> ArenaVec<'a, Item<'a>> {
    let identified = items.iter().enumerate().map(|(place, value)| Item {
        element: claimed_element(list, *value, arena),
        place: place as u32,
        value: *value,
    });
    ArenaVec::from_iter_in(identified, arena)
}

/// All items, sorted by identity; `None` if one has no identity or two have the same.
pub(crate) fn distinct_items<'a>(
    list: ListForm<'a>,
    items: &'a [ParsedValue<'a>],
    arena: &'a Arena,
) -> Option<ArenaVec<'a, Item<'a>>> {
    let mut index = ArenaVec::with_capacity_in(items.len(), arena);
    for (place, value) in items.iter().enumerate() {
        index.push(Item { element: identity(list, *value, arena).ok()?, place: place as u32, value: *value });
    }
    sort(&mut index);
    let is_distinct = index.is_sorted_by(|one, two| one.element.order(two.element).is_lt());
    is_distinct.then_some(index)
}

/// Sorts by identity; items with one identity stay in the order of the list.
pub(super) fn sort<'a>(items: &mut [Item<'a>]) {
    // Most lists are short and often sorted; the check is cheaper than the sort.
    if !items.is_sorted_by(|one, two| one.element.order(two.element).is_le()) {
        items.sort_by(|one, two| one.element.order(two.element));
    }
}

/// The items with the same identity as the first one.
pub(super) fn first_group<'i, 'a>(items: &'i [Item<'a>]) -> &'i [Item<'a>] {
    let Some(first) = items.first() else { return &[] };
    let same = items.iter().take_while(|item| item.element == first.element).count();
    &items[..same]
}
