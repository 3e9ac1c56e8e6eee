//! The order in which Kubernetes meets the faults of a patch.
//!
//! Kubernetes reports the first fault that it meets, and its walks do not follow the text: order lists come
//! first, the fields of a map come in the order of a Go map, list items in the order of their keys. A walk of
//! ours that finds a fault asks here which one Kubernetes reports. Nothing in this file runs without a fault.

use super::{Merger, map::Maps};
use crate::{directive::FieldPatch, error::MergeError, observe::MaybeObserver};
use kubemerge_schema::Type;
use kubemerge_value::{MapEdit, Node, Path};

/// A fault of a field, and when Kubernetes meets it.
pub(crate) enum FieldFault {
    /// When it comes to the field.
    InTurn(MergeError),
    /// After all other faults of the map.
    Last(MergeError),
}

impl FieldFault {
    fn error(self) -> MergeError {
        match self {
            FieldFault::InTurn(error) | FieldFault::Last(error) => error,
        }
    }
}

impl From<MergeError> for FieldFault {
    fn from(error: MergeError) -> FieldFault {
        FieldFault::InTurn(error)
    }
}

impl<'a, O: MaybeObserver> Merger<'a, '_, O> {
    /// The fault of a map that is met first, given one and the fields that were not looked at.
    pub(super) fn first_fault(
        &mut self,
        fault: FieldFault,
        maps: &Maps<'_, '_, 'a>,
        edit: &mut MapEdit<'a>,
        rest: &[&FieldPatch<'a>],
    ) -> MergeError {
        if let Some(earlier) = self.order_list_fault(maps, rest) {
            return earlier;
        }
        match fault {
            FieldFault::InTurn(error) => error,
            FieldFault::Last(error) => self.fault_in_turn(maps, edit, rest).unwrap_or(error),
        }
    }

    /// The first fault of these fields that does not come after all others.
    fn fault_in_turn(
        &mut self,
        maps: &Maps<'_, '_, 'a>,
        edit: &mut MapEdit<'a>,
        fields: &[&FieldPatch<'a>],
    ) -> Option<MergeError> {
        fields.iter().find_map(|field| match self.field(maps, edit, field) {
            Err(FieldFault::InTurn(error)) => Some(error),
            Err(FieldFault::Last(_)) | Ok(()) => None,
        })
    }

    // Upstream: all order lists of a map are carried out before anything else, so their faults come first
    // (apply/error-order.yaml, `a delete list beside an order list`).
    fn order_list_fault(&mut self, maps: &Maps<'_, '_, 'a>, rest: &[&FieldPatch<'a>]) -> Option<MergeError> {
        if !self.strategy.meets_order_lists_first() {
            return None;
        }
        let mut edit = MapEdit::expanded(maps.live.unwrap_or(Node::NULL), self.arena);
        self.retain_keys(&mut edit, None, maps.patch, maps.path).ok()?;
        for field in rest.iter().filter(|field| field.order.is_some()) {
            let only_order = FieldPatch { delete: None, ..**field };
            if let Err(fault) = self.field(maps, &mut edit, &only_order) {
                return Some(fault.error());
            }
        }
        None
    }

    /// The fault of a delete list, given the one that is met if the value of its field comes first.
    ///
    /// Kubernetes comes to a delete list before or after the value, as the iteration of a Go map goes, unless
    /// an order list has brought the value in before. A fault that needs the value first comes last.
    pub(super) fn delete_list_fault(
        &mut self,
        after_value: MergeError,
        ty: Type<'_>,
        live: Option<Node<'a>>,
        field: &FieldPatch<'a>,
        path: &Path<'_>,
    ) -> FieldFault {
        let Some(delete) = field.delete.filter(|_| field.order.is_none()) else {
            return FieldFault::InTurn(after_value);
        };
        match self.delete_from(ty, live, field.field, *delete, path) {
            Err(before_value) => FieldFault::InTurn(before_value),
            Ok(_) => FieldFault::Last(after_value),
        }
    }
}

/// The fault of a keyed patch list: delete items are carried out before a fault of another item is met.
pub(super) fn first_list_fault(
    delete_items: Result<(), MergeError>,
    other_item: Option<MergeError>,
) -> Result<(), MergeError> {
    delete_items?;
    other_item.map_or(Ok(()), Err)
}

/// The items after `at` that upstream's diff, which goes by rank, comes to before it, in its order.
pub(crate) fn met_before<R: Ord>(at: usize, items: usize, rank: impl Fn(usize) -> R) -> Vec<usize> {
    let mut earlier: Vec<usize> = (at + 1..items).filter(|other| rank(*other) < rank(at)).collect();
    earlier.sort_by_key(|other| rank(*other));
    earlier
}

/// The fault that ends upstream's conflict test.
#[derive(Default)]
pub(crate) struct ConflictTestFault(Option<MergeError>);

impl ConflictTestFault {
    /// Notes a fault. Kubernetes stops at a conflict or a fault, whichever it meets first; the order of the text
    /// is the likeliest of its ways through a map.
    pub(crate) fn meet(&mut self, fault: MergeError, conflicts_before: usize) {
        if conflicts_before == 0 {
            self.0.get_or_insert(fault);
        }
    }

    /// The fault, if one was met before any conflict.
    pub(crate) fn into_result(self) -> Result<(), MergeError> {
        self.0.map_or(Ok(()), Err)
    }
}
