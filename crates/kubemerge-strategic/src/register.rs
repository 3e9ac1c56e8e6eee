//! Identities and elements as numbers: each is hashed once, and everything else is kept in arrays.

use crate::{
    element::Element,
    identity::{Identity, Keyed},
};
use hashbrown::{DefaultHashBuilder, HashTable, hash_table::Entry};
use kubemerge_value::Scalar;
use kubemerge_value::part::{item_at, item_at_mut};
use std::hash::{BuildHasher, Hash};

/// The identity of an item, as a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ItemId {
    /// Items of one identity have one number.
    Known(u32),
    /// It has no key.
    Missing,
    /// Its key is a map or list.
    Compound,
}

/// The numbers of values, in order of first mention. The table holds numbers only, so that it is small.
pub(crate) struct Numbers<V> {
    values: Vec<V>,
    table: HashTable<u32>,
    hashing: DefaultHashBuilder,
}

/// The numbers of identities.
pub(crate) type Register<'a> = Numbers<Identity<'a>>;

/// The numbers of elements of lists without keys.
pub(crate) type ElementRegister<'a> = Numbers<Element<'a>>;

impl<V: Hash + Eq> Numbers<V> {
    pub(crate) fn with_capacity(items: usize) -> Self {
        let (values, table) = (Vec::with_capacity(items), HashTable::with_capacity(items));
        Numbers { values, table, hashing: DefaultHashBuilder::default() }
    }

    pub(crate) fn number(&mut self, value: V) -> ItemId {
        let Numbers { values, table, hashing } = self;
        let known = |number: &u32| item_at(values, *number as usize);
        // Once an item; everything after compares numbers.
        let hash = hashing.hash_one(&value);
        match table.entry(hash, |number| *known(number) == value, |number| hashing.hash_one(known(number))) {
            Entry::Occupied(number) => ItemId::Known(*number.get()),
            Entry::Vacant(place) => {
                let number = values.len() as u32;
                place.insert(number);
                values.push(value);
                ItemId::Known(number)
            }
        }
    }
}

impl<'a> Register<'a> {
    pub(crate) fn id(&mut self, keyed: Keyed<'a>) -> ItemId {
        match keyed {
            Keyed::As { identity, .. } => self.number(identity),
            Keyed::Missing => ItemId::Missing,
            Keyed::Compound(_) => ItemId::Compound,
        }
    }

    /// Whether the item is known by the key null.
    pub(crate) fn is_null(&self, id: ItemId) -> bool {
        matches!(id, ItemId::Known(number) if *item_at(&self.values, number as usize) == Identity::One(Scalar::Null))
    }
}

/// The first positions of numbers in a list.
#[derive(Default)]
pub(crate) struct Positions(Vec<u32>);

/// The position of what is not in the list.
const NOWHERE: u32 = u32::MAX;

impl Positions {
    /// The positions in a list of these items.
    pub(crate) fn of(items: impl Iterator<Item = ItemId>) -> Self {
        let mut positions = Positions::default();
        items.enumerate().for_each(|(at, id)| positions.note(id, at));
        positions
    }

    /// Notes that the item is at `at`, unless it was seen before.
    pub(crate) fn note(&mut self, id: ItemId, at: usize) {
        let ItemId::Known(number) = id else { return };
        let number = number as usize;
        if number >= self.0.len() {
            self.0.resize(number + 1, NOWHERE);
        }
        // The first place of a repeated item counts.
        let place = item_at_mut(&mut self.0, number);
        if *place == NOWHERE {
            *place = at as u32;
        }
    }

    pub(crate) fn get(&self, id: ItemId) -> Option<u32> {
        let ItemId::Known(number) = id else { return None };
        self.0.get(number as usize).copied().filter(|at| *at != NOWHERE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_identities_have_one_number() {
        let mut register = Register::with_capacity(2);
        let mut id = |value| register.id(Keyed::As { identity: Identity::One(value), written: 1 });
        let (one, two, null) = (id(Scalar::Int(1)), id(Scalar::Float(1.0)), id(Scalar::Null));
        assert_eq!(one, id(Scalar::Int(1)));
        assert_ne!(one, two);
        assert!(register.is_null(null) && !register.is_null(one) && !register.is_null(ItemId::Missing));
    }

    #[test]
    fn the_first_position_counts() {
        let list = [ItemId::Known(2), ItemId::Missing, ItemId::Known(0), ItemId::Known(2)];
        let positions = Positions::of(list.into_iter());
        let found = [0, 1, 2, 3].map(|number| positions.get(ItemId::Known(number)));
        assert_eq!(found, [Some(2), None, Some(0), None]);
        assert_eq!(positions.get(ItemId::Missing), None);
    }
}
