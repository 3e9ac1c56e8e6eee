//! Watching a merge: for every place that a patch touches, what happened and which rule decided.
//!
//! Whether there is an observer is a type parameter of the engine, so none costs nothing; which one it is is not, so
//! that the engine is compiled twice and not once for every kind of observer.

use kubemerge_value::{Node, Path, Scalar};

/// Watches a merge.
pub trait Observer {
    /// Called once for every decision, outer places before the places inside them.
    fn note(&mut self, path: &Path<'_>, event: MergeEvent<'_>);
}

/// An observer, or none.
pub(crate) trait MaybeObserver {
    /// Whether events are wanted. Where they are not, they are not even built.
    const WATCHES: bool;

    fn note(&mut self, path: &Path<'_>, event: MergeEvent<'_>);
}

impl MaybeObserver for &mut dyn Observer {
    const WATCHES: bool = true;

    fn note(&mut self, path: &Path<'_>, event: MergeEvent<'_>) {
        (**self).note(path, event);
    }
}

/// No observer.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn no_observer() -> impl MaybeObserver {
    Unobserved
}

/// An observer that ignores everything: in a browser the size of the engine counts for more than speed, so it is
/// compiled once there.
#[cfg(target_family = "wasm")]
pub(crate) fn no_observer() -> impl MaybeObserver {
    // Nothing is allocated for a type without fields.
    let ignore: &'static mut dyn Observer = Box::leak(Box::new(Unobserved));
    ignore
}

struct Unobserved;

#[cfg(target_family = "wasm")]
impl Observer for Unobserved {
    fn note(&mut self, _: &Path<'_>, _: MergeEvent<'_>) {}
}

#[cfg(not(target_family = "wasm"))]
impl MaybeObserver for Unobserved {
    const WATCHES: bool = false;

    #[inline]
    fn note(&mut self, _: &Path<'_>, _: MergeEvent<'_>) {}
}

/// What happened at a place.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum MergeEvent<'e> {
    /// A field that live did not have.
    Added {
        /// Its value in the patch.
        value: Node<'e>,
    },
    /// A scalar took the place of another one, or a value of another type was replaced.
    Set {
        /// The value before.
        from: Node<'e>,
        /// The value in the patch.
        to: Node<'e>,
    },
    /// A field, item or value went away.
    Removed {
        /// The value before.
        value: Node<'e>,
        /// What removed it.
        cause: Removal,
    },
    /// Two maps are merged field by field.
    MapMerged,
    /// A map was replaced as a whole.
    MapReplaced {
        /// The value before, where there was one.
        from: Option<Node<'e>>,
        /// What decided.
        cause: Replacement,
    },
    /// Two lists are merged by these keys.
    ListMerged {
        /// The merge keys; empty for a list of scalars or a set.
        keys: &'e [&'e str],
    },
    /// A list was replaced as a whole.
    ListReplaced {
        /// The value before, where there was one.
        from: Option<Node<'e>>,
        /// What decided.
        cause: Replacement,
    },
    /// An item of the patch found its live item. The path is that of the live item.
    ItemMatched {
        /// The merge keys and their values.
        keys: &'e [(&'e str, Scalar<'e>)],
    },
    /// An item of the patch is new. The path is that of the patch item.
    ItemAdded {
        /// The merge keys and their values; empty in lists of scalars.
        keys: &'e [(&'e str, Scalar<'e>)],
        /// The item.
        value: Node<'e>,
    },
    /// The order of the list is not that of live followed by what is new.
    Reordered {
        /// What decided the order.
        cause: Ordering,
    },
}

/// What removed a field, item or value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// A null in the patch.
    Null,
    /// `$patch: delete`, or upstream's habit of dropping new maps that hold `$patch`.
    PatchDirective,
    /// `$retainKeys` does not name it.
    RetainKeys,
    /// The patch sets another member of the union, or a discriminator that does not select this one.
    Union,
    /// A delete list.
    DeleteList,
}

/// What replaced a map or list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// The rule of the field.
    Rule,
    /// `$patch: replace`.
    PatchDirective,
}

/// What decided the order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordering {
    /// An order list.
    Directive,
    /// The order of the patch list.
    PatchList,
}
