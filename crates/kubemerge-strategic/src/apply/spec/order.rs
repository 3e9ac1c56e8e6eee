//! Order lists of the `spec` dialect: the position of an item, and whether a patch list fits.

use crate::apply::elements::uncomparable;
use crate::{
    element::Element,
    error::{MergeError, MergeErrorKind},
    identity::{Identity, Keys},
    order::by_position,
    partial::Partial,
};
use hashbrown::HashMap;
use kubemerge_value::{Arena, Node, Path};

/// The positions that an order list gives to values.
pub(in crate::apply) struct Order<'a> {
    positions: HashMap<Element<'a>, u32>,
}

impl<'a> Order<'a> {
    /// The order list of a set, whose elements may be maps and lists.
    pub(in crate::apply) fn of_elements(entries: &[Node<'a>]) -> Self {
        let mut positions = HashMap::with_capacity(entries.len());
        for (at, entry) in entries.iter().enumerate() {
            // Of repeated entries the first counts.
            positions.entry(Element::of(*entry)).or_insert(at as u32);
        }
        Order { positions }
    }

    /// The order list of a list of scalars.
    pub(in crate::apply) fn of_scalars(entries: &[Node<'a>], path: &Path<'_>) -> Result<Self, MergeError> {
        match entries.iter().position(|entry| entry.scalar().is_none()) {
            Some(at) => Err(uncomparable(&path.index(at))),
            None => Ok(Order::of_elements(entries)),
        }
    }

    fn position(&self, item: Node<'a>) -> Option<u32> {
        self.positions.get(&Element::of(item)).copied()
    }

    /// Every item of the patch has a position, and positions never decrease.
    pub(in crate::apply) fn check(
        &self,
        patch: &[(usize, Node<'a>)],
        path: &Path<'_>,
    ) -> Result<(), MergeError> {
        check_positions(patch.iter().map(|(at, item)| (*at, self.position(*item))), path)
    }

    pub(in crate::apply) fn sort(&self, items: &[Node<'a>]) -> Vec<usize> {
        let positions: Vec<Option<u32>> = items.iter().map(|item| self.position(*item)).collect();
        by_position(&positions)
    }
}

/// The positions that an order list gives to identities.
pub(in crate::apply) struct KeyedOrder<'a> {
    exact: HashMap<Identity<'a>, u32>,
    /// The first entries with the values of the keys that they write.
    partial: Partial<'a, u32>,
}

impl<'a> KeyedOrder<'a> {
    pub(in crate::apply) fn new(
        entries: &[Node<'a>],
        keys: &Keys<'_, 'a>,
        path: &Path<'_>,
        arena: &'a Arena,
    ) -> Result<Self, MergeError> {
        let mut order = KeyedOrder { exact: HashMap::new(), partial: Partial::default() };
        for (at, entry) in entries.iter().enumerate() {
            let path = path.index(at);
            if entry.kind() != kubemerge_value::Kind::Map {
                return Err(crate::apply::elements::expected_map(*entry, &path));
            }
            let (identity, written) = keys.require(*entry, &path, arena)?;
            order.exact.entry(identity).or_insert(at as u32);
            // Entries with every key are found exactly; only partial ones need the slower search.
            if written != keys.all() {
                order.partial.insert(identity, written, at as u32);
            }
        }
        Ok(order)
    }

    /// The first entry of the same identity; failing that, the first whose written keys agree.
    pub(in crate::apply) fn position(&self, identity: Identity<'a>) -> Option<u32> {
        self.exact.get(&identity).or_else(|| self.partial.of(identity).min()).copied()
    }
}

/// Positions of plain patch items, with the places of the items in the patch list.
pub(in crate::apply) fn check_positions(
    positions: impl Iterator<Item = (usize, Option<u32>)>,
    path: &Path<'_>,
) -> Result<(), MergeError> {
    let mut last = 0;
    for (at, position) in positions {
        match position {
            None => return Err(mismatch("the order list does not name this item", &path.index(at))),
            Some(position) if position < last => {
                return Err(mismatch(
                    "the order list names this item before an earlier one",
                    &path.index(at),
                ));
            }
            Some(position) => last = position,
        }
    }
    Ok(())
}

fn mismatch(message: &str, path: &Path<'_>) -> MergeError {
    MergeError::new(MergeErrorKind::ElementOrderMismatch, path, message)
        .with_hint("name every item of the patch in the order list, in the same order")
}
