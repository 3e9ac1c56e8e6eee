//! The step that tracks who owns which fields: after defaults, before the server sets what it owns.
//!
//! Nothing here fails a write. Entries that the write does not touch are neither read nor written again.

use std::borrow::Cow;

use kubemerge_kinds::tree::Map;
use kubemerge_ssa::{
    fieldpath::FieldOrder,
    managed_fields::{Live, Requested, Time, Writer, chosen_for_update, create, update},
    value::{Arena, ParsedValue, ValuePair},
};
use kubemerge_value::SharedValue;

use crate::{
    catalog::{call::Call, cluster::Validation, shared_owners::Content},
    object::{Object, parsed},
    store::{Ownership, metadata_field::Field},
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

/// Tracks the write of a request to a kind without rules; `new` has the managedFields of its body, if there were any.
pub(crate) fn request(write: Write<'_>, old: Option<Old<'_>>, new: &mut Object) {
    change(endpoint(write.call), &write.call.manager(), old.map(|old| old.object), new);
}

/// The same for a kind with rules: `typed` has the fields of `new`, and `stored` those of `old`.
pub(crate) fn typed_request<'w>(
    write: Write<'w>,
    old: Option<Old<'_>>,
    stored: Option<&Map<'w>>,
    new: &mut Object,
    typed: &mut Typed<'w>,
) {
    let (endpoint, arena) = (endpoint(write.call), write.arena);
    let given = new.metadata.remove(Field::ManagedFields);
    typed.set_tracked_head(write.call.resource, new);
    typed.complete_for_tracking();
    let live = old.map(|old| old.object.ownership.clone()).unwrap_or_default();
    // An object in another version is read again, in this one.
    let other_form = old.filter(|old| !endpoint.is_stored_form(*old)).map(|old| {
        let form = endpoint.old_form(old);
        typed.kind.read_stored(arena, arena.alloc_str(form.canonical().as_str()))
    });
    let manager = write.call.manager();
    let (content, shape) = (typed.content, new.metadata.shape());
    // An object that was put together has no text to compare.
    let is_compared = old.is_none() && given.is_none() && !content[0].is_empty();
    let content = match is_compared {
        true => endpoint.content(&manager, content.into_iter().chain([&*shape])),
        false => Vec::new(),
    };
    if let Some(ownership) = endpoint.owners_of_content(&content) {
        new.ownership = ownership;
        return;
    }
    let (old, new_value) = match other_form.as_ref().or(stored) {
        Some(before) => {
            let versions = parsed::versions(before, &typed.tree, arena);
            if versions.is_same && given.is_none() {
                new.ownership = live;
                return;
            }
            (Some(versions.old), versions.new)
        }
        None => (None, parsed::object(&typed.tree, arena)),
    };
    let change = Change { old, new: new_value, live: &live, given: given.as_ref(), content: &content };
    new.ownership = tracked(endpoint, &manager, change, arena);
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
    let arena = &Arena::new();
    let is_plain = endpoint.cluster.validation == Validation::Off && endpoint.resource.custom().is_none();
    let shape = new.metadata.shape();
    let content = match is_plain && old.is_none() && given.is_none() {
        true => endpoint.content(manager, new.content().chain([&*shape])),
        false => Vec::new(),
    };
    if let Some(ownership) = endpoint.owners_of_content(&content) {
        new.ownership = ownership;
        return;
    }
    let (old_form, new_form) = (old.map(|old| endpoint.stored_form(old)), endpoint.form(new));
    let (old, new_value) = match &old_form {
        Some(old_form) => {
            let versions = ValuePair::from_canonical(old_form.canonical(), new_form.canonical(), arena);
            (Some(versions.old), versions.new)
        }
        None => (None, ParsedValue::from_canonical(new_form.canonical(), arena)),
    };
    let change = Change { old, new: new_value, live: &live, given: given.as_ref(), content: &content };
    new.ownership = tracked(endpoint, manager, change, arena);
}

/// An object before and after a write.
#[derive(Clone, Copy)]
struct Change<'v> {
    old: Option<ParsedValue<'v>>,
    new: ParsedValue<'v>,
    live: &'v Ownership,
    /// The managedFields in the body of the request.
    given: Option<&'v SharedValue>,
    content: &'v Content<'v>,
}

fn tracked(endpoint: Tracked<'_>, manager: &str, change: Change<'_>, arena: &Arena) -> Ownership {
    let Change { old, new, live, given, content } = change;
    let writer = Writer { manager, time: Time(endpoint.cluster.clock.now().seconds()) };
    let shared = &endpoint.cluster.shared_owners;
    endpoint.run(arena, |place| {
        let requested = requested(given, live, place.order, arena);
        if old.is_none() && requested == Requested::Nothing {
            // Most objects are like the one before, which the short way finds out.
            let last = shared.last(endpoint.resource);
            if let Some(managed) = create(place, new, writer, last.entries(), arena) {
                return shared.share(endpoint.resource, managed, content);
            }
        }
        let chosen = match requested {
            Requested::Nothing => Cow::Borrowed(live.entries()),
            other => Cow::Owned(chosen_for_update(live.entries(), other, place.subresource)),
        };
        let before = Live { object: old.unwrap_or(place.empty), managed: &chosen };
        match update(place, before, new, writer, arena) {
            Ok(managed) if managed == *live.entries() => live.clone(),
            Ok(managed) if old.is_none() => shared.share(endpoint.resource, managed, content),
            Ok(managed) => shared.share_texts(endpoint.resource, live, managed),
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
