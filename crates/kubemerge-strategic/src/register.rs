//! Identities as numbers: each is hashed once, and whatever else is known of it stands in arrays.

use crate::identity::{Identity, Keyed};
use hashbrown::HashMap;
use kubemerge_value::Scalar;

/// Who an item is, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Who {
    /// Items of one identity have one number.
    Known(u32),
    /// It has no key.
    Missing,
    /// Its key is a map or list.
    Compound,
}

/// The numbers of identities, in order of first mention.
pub(crate) struct Register<'a> {
    numbers: HashMap<Identity<'a>, u32>,
}

impl<'a> Register<'a> {
    pub(crate) fn with_capacity(items: usize) -> Self {
        Register { numbers: HashMap::with_capacity(items) }
    }

    pub(crate) fn number(&mut self, identity: Identity<'a>) -> Who {
        let next = self.numbers.len() as u32;
        Who::Known(*self.numbers.entry(identity).or_insert(next))
    }

    pub(crate) fn who(&mut self, keyed: Keyed<'a>) -> Who {
        match keyed {
            Keyed::As { identity, .. } => self.number(identity),
            Keyed::Missing => Who::Missing,
            Keyed::Compound(_) => Who::Compound,
        }
    }

    /// Whether the item is known by the key null.
    pub(crate) fn is_null(&self, who: Who) -> bool {
        let number = self.numbers.get(&Identity::One(Scalar::Null));
        number.is_some_and(|number| who == Who::Known(*number))
    }
}

/// The first positions of numbers in a list.
#[derive(Default)]
pub(crate) struct Positions(Vec<u32>);

/// The position of what is not in the list.
const NOWHERE: u32 = u32::MAX;

impl Positions {
    /// The positions in a list of these items.
    pub(crate) fn of(items: impl Iterator<Item = Who>) -> Self {
        let mut positions = Positions::default();
        items.enumerate().for_each(|(at, who)| positions.note(who, at));
        positions
    }

    /// Notes that the item stands at `at`, unless it was seen before.
    pub(crate) fn note(&mut self, who: Who, at: usize) {
        let Who::Known(number) = who else { return };
        let number = number as usize;
        if number >= self.0.len() {
            self.0.resize(number + 1, NOWHERE);
        }
        if self.0[number] == NOWHERE {
            self.0[number] = at as u32;
        }
    }

    pub(crate) fn get(&self, who: Who) -> Option<u32> {
        let Who::Known(number) = who else { return None };
        self.0.get(number as usize).copied().filter(|at| *at != NOWHERE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_identities_have_one_number() {
        let mut register = Register::with_capacity(2);
        let mut who = |value| register.who(Keyed::As { identity: Identity::One(value), written: 1 });
        let (one, two, null) = (who(Scalar::Int(1)), who(Scalar::Float(1.0)), who(Scalar::Null));
        assert_eq!(one, who(Scalar::Int(1)));
        assert_ne!(one, two);
        assert!(register.is_null(null) && !register.is_null(one) && !register.is_null(Who::Missing));
    }

    #[test]
    fn the_first_position_counts() {
        let list = [Who::Known(2), Who::Missing, Who::Known(0), Who::Known(2)];
        let positions = Positions::of(list.into_iter());
        let found = [0, 1, 2, 3].map(|number| positions.get(Who::Known(number)));
        assert_eq!(found, [Some(2), None, Some(0), None]);
        assert_eq!(positions.get(Who::Missing), None);
    }
}
