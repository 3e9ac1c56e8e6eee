//! The step that tracks who owns which fields: after defaults, before the server sets what it owns.
//!
//! Nothing here fails a write. Entries that the write does not touch are neither read nor written again.

use std::borrow::Cow;

use kubemerge_kinds::tree::Map;
use kubemerge_ssa::{
    fieldpath::FieldOrder,
    managed_fields::{
        Live, ManagedFields, Requested, Time, Writer, chosen_for_update, create, update, update_differing,
        update_valid,
    },
    value::{Arena, ParsedValue, ValuePair},
};
use kubemerge_value::SharedValue;

use crate::{
    catalog::call::Call,
    object::{Object, differing, differing_tree, parsed},
    store::{KnownForm, Ownership, metadata_field::Field},
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
    let endpoint = endpoint(write.call);
    object(endpoint, &write.call.manager(), old.map(|old| old.object), new, Steps::of_request(endpoint));
}

/// Tracks a write by a manager inside the server.
pub(crate) fn change(endpoint: Tracked<'_>, manager: &str, old: Option<&Object>, new: &mut Object) {
    object(endpoint, manager, old, new, Steps::Part);
}

/// Which steps of a write an object goes through.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Steps {
    All,
    Part,
}

impl Steps {
    /// Subresources take all but their own part from the stored object, as it is.
    fn of_request(endpoint: Tracked<'_>) -> Self {
        if endpoint.subresource.is_empty() { Steps::All } else { Steps::Part }
    }
}

/// The same as [`request`] for a kind with rules: `typed` has the fields of `new`, and `stored` those of `old`.
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
    let (manager, steps) = (write.call.manager(), Steps::of_request(endpoint));
    let change = Change { endpoint, manager: &manager, live: &live, given: given.as_ref(), steps };
    // An object in another version is read again, in this one.
    let other_form = old.filter(|old| !endpoint.is_stored_form(*old)).map(|old| {
        let form = endpoint.old_form(old);
        typed.kind.read_stored(arena, arena.alloc_str(form.canonical().as_str()))
    });
    let Some(before) = other_form.as_ref().or(stored) else {
        new.ownership = change.update(None, parsed::object(&typed.tree, arena), arena);
        return;
    };
    let form = if other_form.is_none() { live.form() } else { KnownForm::Unchecked };
    new.ownership = change.update_tree(before, &typed.tree, form, arena);
}

fn object(endpoint: Tracked<'_>, manager: &str, old: Option<&Object>, new: &mut Object, steps: Steps) {
    let given = new.metadata.remove(Field::ManagedFields);
    let live = old.map(|old| old.ownership.clone()).unwrap_or_default();
    let change = Change { endpoint, manager, live: &live, given: given.as_ref(), steps };
    let arena = &Arena::new();
    let Some(old) = old else {
        let form = endpoint.form(new);
        new.ownership = change.update(None, ParsedValue::from_canonical(form.canonical(), arena), arena);
        return;
    };
    // A status that did not change and the like: nothing to compare.
    let is_same = given.is_none() && old.same_fields(new) && old.metadata == new.metadata;
    if is_same && endpoint.keeps_entries(&live) {
        new.ownership = live;
        return;
    }
    new.ownership = match live.form() == KnownForm::Complete && endpoint.is_tracked_as_is() {
        // What is the same in both has the same owners as before.
        true => {
            let versions = differing::values(endpoint.resource, old, new, arena);
            change.update(Some((versions.old, KnownForm::Complete)), versions.new, arena)
        }
        false => {
            let (old, new) = (endpoint.stored_form(old), endpoint.form(new));
            let versions = ValuePair::from_canonical(old.canonical(), new.canonical(), arena);
            change.update(Some((versions.old, KnownForm::Unchecked)), versions.new, arena)
        }
    };
}

/// A write to be tracked.
#[derive(Clone, Copy)]
struct Change<'v> {
    endpoint: Tracked<'v>,
    manager: &'v str,
    live: &'v Ownership,
    /// The managedFields in the body of the request.
    given: Option<&'v SharedValue>,
    steps: Steps,
}

impl<'v> Change<'v> {
    /// The owners after a write of a kind with rules, whose stored object has this form.
    fn update_tree<'a>(self, old: &Map<'a>, new: &Map<'a>, form: KnownForm, arena: &'a Arena) -> Ownership {
        if form == KnownForm::Complete && self.given.is_none() {
            // What is the same in both has the same owners as before.
            let differing = differing_tree::values(old, new, arena);
            if differing.is_none() && self.endpoint.keeps_entries(self.live) {
                return self.live.clone();
            }
            if let Some(ownership) = differing.and_then(|differing| self.update_differing(differing, arena)) {
                let whole = || self.update_whole(old, new, form, arena);
                // Without times, because the clock goes on.
                debug_assert!(
                    ownership.entries().is_same_without_times(whole().entries()),
                    "{:?} and {:?}",
                    ownership.entries(),
                    whole().entries()
                );
                return ownership;
            }
        }
        self.update_whole(old, new, form, arena)
    }

    /// The same from whole objects.
    fn update_whole<'a>(self, old: &Map<'a>, new: &Map<'a>, form: KnownForm, arena: &'a Arena) -> Ownership {
        let versions = parsed::versions(old, new, arena);
        match versions.is_same && self.given.is_none() && self.endpoint.keeps_entries(self.live) {
            true => self.live.clone(),
            false => self.update(Some((versions.old, form)), versions.new, arena),
        }
    }

    /// The owners after a write, given what differs; `None` if whole objects have to be compared.
    fn update_differing<'a>(self, differing: ValuePair<'a>, arena: &'a Arena) -> Option<Ownership> {
        let Change { endpoint, manager, live, .. } = self;
        let writer = Writer { manager, time: Time(endpoint.cluster.clock.now().seconds()) };
        endpoint.run_on_stored(arena, |place| {
            update_differing(place, live.entries(), differing, writer, arena)
                .map(|managed| self.updated(managed))
        })
    }

    /// The owners of a stored object after a write.
    fn updated(self, managed: ManagedFields) -> Ownership {
        let Change { endpoint, live, .. } = self;
        match managed == *live.entries() {
            true => self.known(live.clone()),
            false => self.known(endpoint.cluster.shared_owners.share(endpoint.resource, live, managed)),
        }
    }

    fn update<'a>(
        self,
        old: Option<(ParsedValue<'a>, KnownForm)>,
        new: ParsedValue<'a>,
        arena: &'a Arena,
    ) -> Ownership {
        let Change { endpoint, manager, live, given, .. } = self;
        let writer = Writer { manager, time: Time(endpoint.cluster.clock.now().seconds()) };
        endpoint.run(arena, |place| {
            let requested = requested(given, live, place.order, arena);
            if old.is_none() && requested == Requested::Nothing {
                // The short way knows nearly all objects.
                if let Some(managed) = create(place, new, writer, arena) {
                    return self.updated(managed);
                }
            }
            let chosen = match requested {
                Requested::Nothing => Cow::Borrowed(live.entries()),
                other => Cow::Owned(chosen_for_update(live.entries(), other, place.subresource)),
            };
            let (object, form) = old.unwrap_or((place.empty, KnownForm::Unchecked));
            let before = Live { object, managed: &chosen };
            let managed = match form {
                KnownForm::Complete => update_valid(place, before, new, writer, arena),
                KnownForm::Unchecked => update(place, before, new, writer, arena),
            };
            match managed {
                Ok(managed) => self.updated(managed),
                // Upstream: a tracking error never fails a write.
                Err(_) => live.clone().with(KnownForm::Unchecked),
            }
        })
    }

    /// Owners that were found, so that the object has the form of its type.
    fn known(self, ownership: Ownership) -> Ownership {
        match self.steps {
            Steps::All => ownership.with(KnownForm::Complete),
            Steps::Part => ownership.with(self.live.form()),
        }
    }
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
    // Upstream: an empty list is lost when the metadata of a custom resource is decoded, so that it resets nothing.
    if order == FieldOrder::Label && matches!(value, Some(ParsedValue::List([]))) {
        return Requested::Nothing;
    }
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
