//! The step that tracks who owns which fields: after defaults, before the server sets what it owns.
//!
//! Nothing here fails a write. Entries that the write does not touch are neither read nor written again.

use std::borrow::Cow;

use kubemerge_ssa::{
    fieldpath::FieldOrder,
    managed_fields::{Live, Requested, Time, Writer, chosen_for_update, create, update},
    value::{Arena, ParsedValue, ValuePair},
};
use kubemerge_value::SharedValue;

use crate::{
    catalog::call::Call,
    object::{Object, typed},
    store::{Ownership, Record, metadata_field::Field},
    write::{
        kind_rules::Typed,
        request::{Old, Write},
        tracking::Tracked,
    },
};

/// The manager of what the server itself writes, and of what a controller manager would.
pub(crate) const SERVER: &str = "kube-apiserver";
pub(crate) const CONTROLLER_MANAGER: &str = "kube-controller-manager";

/// Where a request writes.
pub(crate) fn endpoint<'c>(call: &'c Call<'_>) -> Tracked<'c> {
    let subresource = call.subresource().unwrap_or_default();
    Tracked { cluster: call.cluster, resource: call.resource, subresource }
}

/// Tracks the write of a request; `new` holds the managedFields of its body, if there were any, and `typed` its fields if
/// the kind has rules.
pub(crate) fn request<'w>(
    write: Write<'w>,
    old: Option<Old<'_>>,
    new: &mut Object,
    typed: Option<&mut Typed<'w>>,
) {
    let (endpoint, manager) = (endpoint(write.call), write.call.manager());
    let Some(typed) = typed else {
        return change(endpoint, &manager, old.map(|old| old.object), new);
    };
    let given = new.metadata.remove(Field::ManagedFields);
    typed.set_head(write.call.resource, new);
    typed.kind.complete_for_tracking(&mut typed.tree);
    let live = old.map(|old| old.object.ownership.clone()).unwrap_or_default();
    let old_form = old.map(|old| endpoint.old_form(old));
    let new_form = typed::tracked_record(&typed.tree);
    let is_same = old_form.as_ref().is_some_and(|old_form| old_form.canonical() == new_form.canonical());
    new.ownership = match given {
        None if is_same => live,
        given => tracked(endpoint, &manager, Versions { old_form, new_form, live, given }),
    };
}

/// Tracks a write by a manager.
pub(crate) fn change(endpoint: Tracked<'_>, manager: &str, old: Option<&Object>, new: &mut Object) {
    let given = new.metadata.remove(Field::ManagedFields);
    let live = old.map(|old| old.ownership.clone()).unwrap_or_default();
    // A status that did not change and the like: nothing to compare.
    if given.is_none() && old.is_some_and(|old| old.same_fields(new) && old.metadata == new.metadata) {
        new.ownership = live;
        return;
    }
    let old_form = old.map(|old| endpoint.stored_form(old));
    let new_form = endpoint.form(new);
    new.ownership = tracked(endpoint, manager, Versions { old_form, new_form, live, given });
}

/// An object before and after a write.
struct Versions {
    old_form: Option<Record>,
    new_form: Record,
    live: Ownership,
    /// The managedFields in the body of the request.
    given: Option<SharedValue>,
}

fn tracked(endpoint: Tracked<'_>, manager: &str, versions: Versions) -> Ownership {
    let Versions { old_form, new_form, live, given } = versions;
    let time = Time(endpoint.cluster.clock.now().seconds());
    endpoint.run(|place, arena| {
        let requested = requested(given.as_ref(), &live, place.order, arena);
        if old_form.is_none() && requested == Requested::Nothing {
            // Most objects are like the one before, which the short way finds out.
            let (shared, new) =
                (&endpoint.cluster.shared_owners, ParsedValue::from_canonical(new_form.canonical(), arena));
            let last = shared.last(endpoint.resource);
            if let Some(managed) = create(place, new, Writer { manager, time }, last.entries(), arena) {
                return shared.share(endpoint.resource, managed);
            }
        }
        let chosen = match requested {
            Requested::Nothing => Cow::Borrowed(live.entries()),
            other => Cow::Owned(chosen_for_update(live.entries(), other, place.subresource)),
        };
        let (object, new) = match &old_form {
            Some(old_form) => {
                let versions = ValuePair::from_canonical(old_form.canonical(), new_form.canonical(), arena);
                (versions.old, versions.new)
            }
            None => (place.empty, ParsedValue::from_canonical(new_form.canonical(), arena)),
        };
        let tracked = update(place, Live { object, managed: &chosen }, new, Writer { manager, time }, arena);
        match tracked {
            Ok(managed) if managed == *live.entries() => live.clone(),
            Ok(managed) if old_form.is_none() => {
                endpoint.cluster.shared_owners.share(endpoint.resource, managed)
            }
            Ok(managed) => Ownership::new(managed),
            // Upstream: a tracking error never fails a write.
            Err(_) => live.clone(),
        }
    })
}

/// What the body of a request says about managedFields.
fn requested(given: Option<&SharedValue>, live: &Ownership, order: FieldOrder, arena: &Arena) -> Requested {
    let Some(given) = given else { return Requested::Nothing };
    // Most clients send back what they have read.
    if !live.is_empty() {
        let mut held = Vec::new();
        live.write(&mut held);
        if held == given.as_bytes() {
            return Requested::Nothing;
        }
    }
    let value = ParsedValue::parse(given.as_bytes(), arena).ok();
    Requested::read(value, order)
}

/// The ownership in an object that is stored past the API; entries that cannot be read are dropped.
pub(crate) fn of_loaded(endpoint: Tracked<'_>, object: &mut Object) {
    let Some(given) = object.metadata.remove(Field::ManagedFields) else { return };
    let arena = Arena::new();
    if let Requested::Entries(entries) =
        requested(Some(&given), &Ownership::default(), endpoint.order(), &arena)
    {
        object.ownership = Ownership::new(entries);
    }
}
