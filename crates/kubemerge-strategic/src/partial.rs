//! Identities that are found by some of their keys: delete items and order entries may leave keys out.

use crate::identity::{Identity, MAX_MERGE_KEYS};
use hashbrown::{DefaultHashBuilder, HashMap, HashTable, hash_table::Entry};
use kubemerge_value::Scalar;
use kubemerge_value::part::item_at;
use std::hash::BuildHasher;

/// What is said about the items that agree with an identity in some keys, which are the bits of a mask.
pub(crate) struct Partial<'a, V> {
    groups: HashMap<u32, HashTable<(Identity<'a>, V)>>,
    hashing: DefaultHashBuilder,
}

impl<V> Default for Partial<'_, V> {
    fn default() -> Self {
        Partial { groups: HashMap::new(), hashing: DefaultHashBuilder::default() }
    }
}

impl<'a, V> Partial<'a, V> {
    /// Says something about the items that agree in these keys; false if something was said about them before,
    /// which stays.
    pub(crate) fn insert(&mut self, identity: Identity<'a>, mask: u32, value: V) -> bool {
        let hash = |identity: Identity<'a>| KeyHashes::of(identity, &self.hashing).selected(mask);
        let group = self.groups.entry(mask).or_default();
        let known = |(other, _): &(Identity<'a>, V)| agree(*other, identity, mask);
        match group.entry(hash(identity), known, |(other, _)| hash(*other)) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert((identity, value));
                true
            }
        }
    }

    /// Makes room for what is said about these keys; false if there is.
    pub(crate) fn open(&mut self, mask: u32) -> bool {
        let is_new = !self.groups.contains_key(&mask);
        self.groups.entry(mask).or_default();
        is_new
    }

    /// What is said about the items that agree in these keys.
    pub(crate) fn find(&self, identity: Identity<'a>, mask: u32) -> Option<&V> {
        let hash = KeyHashes::of(identity, &self.hashing).selected(mask);
        find_in(self.groups.get(&mask)?, identity, mask, hash)
    }

    /// All that is said about an item.
    pub(crate) fn of(&self, identity: Identity<'a>) -> impl Iterator<Item = &V> {
        // Every key is hashed once, however many sets of keys there are.
        let hashes = (!self.groups.is_empty()).then(|| KeyHashes::of(identity, &self.hashing));
        let keys = identity.mask();
        hashes.into_iter().flat_map(move |hashes| {
            // An item without one of the keys cannot agree in it.
            let groups = self.groups.iter().filter(move |(mask, _)| keys & **mask == **mask);
            groups.filter_map(move |(mask, group)| find_in(group, identity, *mask, hashes.selected(*mask)))
        })
    }
}

fn find_in<'g, 'a, V>(
    group: &'g HashTable<(Identity<'a>, V)>,
    identity: Identity<'a>,
    mask: u32,
    hash: u64,
) -> Option<&'g V> {
    group.find(hash, |(other, _)| agree(*other, identity, mask)).map(|(_, value)| value)
}

/// The hashes of the keys of an identity, by position.
#[derive(Clone, Copy)]
struct KeyHashes([u64; MAX_MERGE_KEYS]);

impl KeyHashes {
    fn of(identity: Identity<'_>, hashing: &DefaultHashBuilder) -> Self {
        let mut hashes = [0; MAX_MERGE_KEYS];
        match identity {
            Identity::One(value) => hashes[0] = hashing.hash_one(value),
            Identity::Set(values) => {
                let keyed = hashes.iter_mut().zip(values).enumerate();
                keyed.for_each(|(at, (hash, value))| *hash = hashing.hash_one((at, value)));
            }
        }
        KeyHashes(hashes)
    }

    /// The hash of the keys that a mask selects.
    fn selected(&self, mask: u32) -> u64 {
        let mut rest = mask;
        let mut hash = 0u64;
        while rest != 0 {
            // A sum does not depend on the order of the keys, and each part is salted with its position.
            hash = hash.wrapping_add(*item_at(&self.0, rest.trailing_zeros() as usize));
            // Clears the lowest bit that is set.
            rest &= rest - 1;
        }
        hash
    }
}

fn agree(one: Identity<'_>, other: Identity<'_>, mask: u32) -> bool {
    match (one, other) {
        (Identity::Set(one), Identity::Set(other)) => selected(one, mask).eq(selected(other, mask)),
        (one, other) => one == other,
    }
}

fn selected<'v, 'a>(
    values: &'v [Option<Scalar<'a>>],
    mask: u32,
) -> impl Iterator<Item = &'v Option<Scalar<'a>>> {
    values.iter().enumerate().filter(move |(at, _)| mask & (1 << at) != 0).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_found_by_the_keys_that_are_written() {
        let one_two = [1, 2].map(|key| Some(Scalar::Int(key)));
        let (one_none, two_two) = ([one_two[0], None], [one_two[1]; 2]);
        let mut partial = Partial::default();
        assert!(partial.insert(Identity::Set(&one_two), 0b01, "first"));
        assert!(!partial.insert(Identity::Set(&one_none), 0b01, "again"));
        assert!(partial.insert(Identity::Set(&one_two), 0b11, "both"));
        let said = |values| {
            let mut said: Vec<&str> = partial.of(Identity::Set(values)).copied().collect();
            said.sort_unstable();
            said
        };
        assert_eq!(said(&one_two), ["both", "first"]);
        assert_eq!(said(&one_none), ["first"]);
        assert_eq!(said(&two_two), [""; 0]);
    }

    #[test]
    fn a_group_is_opened_once() {
        let mut partial = Partial::default();
        assert!(partial.open(1) && !partial.open(1));
        assert_eq!(partial.find(Identity::One(Scalar::Int(1)), 1), None);
        partial.insert(Identity::One(Scalar::Int(1)), 1, "said");
        assert_eq!(partial.find(Identity::One(Scalar::Int(1)), 1), Some(&"said"));
    }
}
