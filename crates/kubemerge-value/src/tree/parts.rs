//! What is in a map or a list: a vector that can be changed, or a slice that other trees have as well.

use std::{
    mem::ManuallyDrop,
    ops::{Deref, Range},
};

use bumpalo::collections::Vec;

use super::Arena;

/// The parts of a map or list. Never dropped: the arena has the memory, and no part owns anything else.
#[derive(Debug)]
pub(super) enum Parts<'a, T> {
    /// No other tree has them.
    Own(ManuallyDrop<Vec<'a, T>>),
    /// Others have them as well: they are copied, one level deep, before they are changed.
    Shared(Slice<'a, T>),
}

/// Parts that never change.
#[derive(Debug)]
pub(super) struct Slice<'a, T> {
    parts: &'a [T],
    arena: &'a Arena,
}

/// What shares what is inside of it when it is copied.
pub(super) trait Share<'a> {
    /// Another one of the same content, which must not change any more.
    fn share(&'a self) -> Self;
}

impl<'a, T> Parts<'a, T> {
    pub(super) fn with_capacity_in(capacity: usize, arena: &'a Arena) -> Self {
        Parts::of(Vec::with_capacity_in(capacity, arena))
    }

    pub(super) fn of(parts: Vec<'a, T>) -> Self {
        Parts::Own(ManuallyDrop::new(parts))
    }

    /// Parts that never change, in an arena for the vector that they become when they do.
    pub(super) fn of_slice(parts: &'a [T], arena: &'a Arena) -> Self {
        Parts::Shared(Slice { parts, arena })
    }

    pub(super) fn arena(&self) -> &'a Arena {
        match self {
            Parts::Own(parts) => parts.bump(),
            Parts::Shared(shared) => shared.arena,
        }
    }

    /// The same parts for one tree more.
    pub(super) fn share(&'a self) -> Self {
        Parts::of_slice(self, self.arena())
    }

    /// The same parts for one tree more, if they are shared already.
    pub(super) fn share_again(&self) -> Option<Self> {
        match self {
            Parts::Own(_) => None,
            Parts::Shared(shared) => Some(Parts::of_slice(shared.parts, shared.arena)),
        }
    }

    /// The same parts, which can be shared from now on.
    pub(super) fn freeze(self) -> Self {
        match self {
            Parts::Own(parts) => {
                let arena = parts.bump();
                Parts::of_slice(ManuallyDrop::into_inner(parts).into_bump_slice(), arena)
            }
            shared @ Parts::Shared(_) => shared,
        }
    }

    /// Whether both are one slice in memory, which proves them equal without a look inside.
    #[inline]
    pub(super) fn is_same_part(&self, other: &Parts<'_, T>) -> bool {
        // Addresses are compared, since the lifetimes of both may differ.
        let range = |parts: &[T]| -> Range<usize> {
            let Range { start, end } = parts.as_ptr_range();
            start as usize..end as usize
        };
        range(self) == range(other)
    }
}

impl<'a, T: Share<'a>> Parts<'a, T> {
    /// The parts, to change them.
    #[inline]
    pub(super) fn own(&mut self) -> &mut Vec<'a, T> {
        if let Parts::Shared(shared) = self {
            *self = shared.copy();
        }
        match self {
            Parts::Own(parts) => parts,
            Parts::Shared(_) => unreachable!("the parts were copied above"),
        }
    }
}

impl<'a, T: Share<'a>> Slice<'a, T> {
    #[inline(never)]
    fn copy(&self) -> Parts<'a, T> {
        // Who changes a map often adds to it.
        let mut own = Vec::with_capacity_in(self.parts.len() + 2, self.arena);
        own.extend(self.parts.iter().map(T::share));
        Parts::of(own)
    }
}

impl<T> Deref for Parts<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Parts::Own(parts) => parts,
            Parts::Shared(shared) => shared.parts,
        }
    }
}
