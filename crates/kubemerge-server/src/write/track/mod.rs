//! The step that tracks who owns which fields: after defaults, before the server sets what it owns.
//!
//! Nothing here fails a write. Entries that the write does not touch are neither read nor written again.

pub(crate) mod answer;

use std::borrow::Cow;

use kubemerge_kinds::tree::Map;
use kubemerge_ssa::{
    fieldpath::{FieldOrder, FieldSet},
    managed_fields::{
        Endpoint, Live, LiveForm, ManagedFields, Requested, Time, Writer, chosen_for_update, create, update,
    },
    value::{Arena, Items, ParsedValue},
};

use crate::{
    catalog::{Resource, cluster::Cluster},
    kind::{Kind, OwnershipFacts},
    object::{
        draft::{self, Draft, Owners},
        edit,
    },
    store::{Ownership, Record, StoredForm},
    write::request::{Old, Write},
};

/// The manager of what the server itself writes, and of what a controller manager would.
pub(crate) const SERVER: &str = "kube-apiserver";
pub(crate) const CONTROLLER_MANAGER: &str = "kube-controller-manager";

/// An endpoint whose writes are tracked.
#[derive(Clone, Copy)]
pub(crate) struct Tracked<'c> {
    pub(crate) cluster: &'c Cluster,
    pub(crate) resource: &'c Resource,
    pub(crate) kind: Kind<'c>,
    /// Empty for the object itself.
    pub(crate) subresource: &'c str,
}

/// Where a request writes.
pub(crate) fn endpoint(write: Write<'_>) -> Tracked<'_> {
    let call = write.call;
    let subresource = call.subresource().unwrap_or_default();
    Tracked { cluster: call.cluster, resource: call.resource, kind: write.kind, subresource }
}

/// Finds out who owns which fields after a request, unless that is known.
pub(crate) fn request<'w>(write: Write<'w>, old: Option<Old<'w>>, draft: &mut Draft<'w>) {
    if matches!(draft.owners, Owners::Known(..)) {
        return;
    }
    let endpoint = endpoint(write);
    let before = write.kind.complete_for_tracking(&mut draft.tree);
    let given = draft.given_owners.take();
    // Subresources take all but their own part from the stored object, as it is.
    let steps = if endpoint.subresource.is_empty() { Steps::All } else { Steps::Part };
    let nothing = Ownership::default();
    let change = TrackedWrite {
        endpoint,
        manager: &write.caller.manager,
        live: old.map_or(&nothing, |old| old.ownership()),
        form: old.map_or(StoredForm::Unchecked, |old| endpoint.form_of(&old.stored.record)),
        given: given.as_deref(),
        steps,
    };
    let (ownership, form) = match old {
        None => change.create(&draft.tree, write.arena),
        Some(old) => {
            let difference = share(old.tree, &mut draft.tree);
            change.update(old.tree, &draft.tree, difference, write.arena)
        }
    };
    draft.owners = Owners::Known(ownership, form);
    if let Some(metadata) = before {
        draft.tree.set("metadata", metadata);
    }
}

/// A stored object after a change that the server itself makes, with the owners that follow.
pub(crate) fn change(
    endpoint: Tracked<'_>,
    manager: &str,
    stored: &Record,
    change: impl FnOnce(&mut Map<'_>),
) -> Record {
    let (arena, form) = (Arena::new(), stored.form());
    let tree = &*arena.alloc(edit::tree(stored, &arena));
    let [mut old, mut new] = [tree.share(), tree.share()];
    change(&mut new);
    let record = draft::record(&new, stored.ownership().clone(), form);
    // Managers see both in the version of the resource.
    [&mut old, &mut new].into_iter().for_each(|object| endpoint.kind.to_served(object, form));
    let (live, form) = (stored.ownership(), endpoint.form_of(stored));
    let change = TrackedWrite { endpoint, manager, live, form, given: None, steps: Steps::Part };
    let old = &*arena.alloc(old);
    let difference = share(old, &mut new);
    let (ownership, form) = change.update(old, &new, difference, &arena);
    record.owned(ownership, form)
}

/// Whether a write changes an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Difference {
    Some,
    Nothing,
}

/// Lets an object share what is the same in the stored one, so that it is compared once.
fn share<'a>(old: &'a Map<'a>, new: &mut Map<'a>) -> Difference {
    if new.share_unchanged(old) { Difference::Nothing } else { Difference::Some }
}

/// Which steps of a write an object goes through.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Steps {
    All,
    Part,
}

impl<'c> Tracked<'c> {
    /// An endpoint of a resource.
    pub(crate) fn of(cluster: &'c Cluster, resource: &'c Resource, subresource: &'c str) -> Self {
        Tracked { cluster, resource, kind: Kind::of(cluster, resource), subresource }
    }

    /// The order inside `fieldsV1`.
    pub(crate) fn order(self) -> FieldOrder {
        self.kind.ownership(self.subresource).order
    }

    /// Runs an operation of the field manager at this endpoint, on an object that may not exist yet. There is always an
    /// answer: a kind runs what it is given once.
    pub(crate) fn run<R>(self, arena: &Arena, operation: impl FnOnce(&Endpoint<'_>) -> R) -> Option<R> {
        let kind = self.kind;
        let OwnershipFacts { order, reset_fields } = kind.ownership(self.subresource);
        let (reset_fields, empty) = (FieldSet::of_names(reset_fields, arena), kind.empty(arena));
        let (mut operation, mut result) = (Some(operation), None);
        kind.with_versions(&mut |versions| {
            let endpoint = Endpoint {
                versions,
                api_version: &self.resource.api_version,
                kind: &self.resource.kind,
                subresource: self.subresource,
                reset_fields: &reset_fields,
                order,
                empty,
            };
            result = operation.take().map(|operation| operation(&endpoint));
        });
        result
    }

    /// What is known about the form of a stored object: it counts only if managers see the object as it is stored.
    fn form_of(self, record: &Record) -> StoredForm {
        let is_own = record.api_version() == self.resource.api_version && self.kind.is_as_stored(record);
        if is_own { record.form() } else { StoredForm::Unchecked }
    }

    /// Whether a write that changes nothing leaves all entries as they are. Two with one identity, as a scale leaves them,
    /// become one, and managers of a version that is gone are forgotten.
    fn keeps_entries(self, live: &Ownership) -> bool {
        let entries = live.entries();
        let is_own = |version: &str| version == self.resource.api_version;
        entries.entries().iter().all(|entry| is_own(&entry.api_version)) && !entries.has_repeated_identity()
    }
}

/// A write to be tracked.
#[derive(Clone, Copy)]
struct TrackedWrite<'v> {
    endpoint: Tracked<'v>,
    manager: &'v str,
    /// The owners before, and what is known about the object that they belong to.
    live: &'v Ownership,
    form: StoredForm,
    /// The managedFields in the body of the request.
    given: Option<&'v str>,
    steps: Steps,
}

impl TrackedWrite<'_> {
    fn writer(&self) -> Writer<'_> {
        Writer { manager: self.manager, time: Some(Time(self.endpoint.cluster.clock.now().seconds())) }
    }

    /// The owners of a new object.
    fn create(self, new: &Map<'_>, arena: &Arena) -> (Ownership, StoredForm) {
        self.compared(None, ParsedValue::of_map(new), arena)
    }

    /// The owners of an object that changes.
    fn update(
        self,
        old: &Map<'_>,
        new: &Map<'_>,
        difference: Difference,
        arena: &Arena,
    ) -> (Ownership, StoredForm) {
        let is_same = difference == Difference::Nothing;
        if is_same && self.given.is_none() && self.endpoint.keeps_entries(self.live) {
            (self.live.clone(), self.form)
        } else {
            self.compared(Some(ParsedValue::of_map(old)), ParsedValue::of_map(new), arena)
        }
    }

    fn compared<'a>(
        self,
        old: Option<ParsedValue<'a>>,
        new: ParsedValue<'a>,
        arena: &'a Arena,
    ) -> (Ownership, StoredForm) {
        let managed = self.endpoint.run(arena, |place| {
            let requested = requested(self.given, self.live, place.order, arena);
            if old.is_none()
                && requested == Requested::Nothing
                // The short way knows nearly all new objects.
                && let Some(managed) = create(place, new, self.writer(), arena)
            {
                return Some(managed);
            }
            let chosen = match requested {
                Requested::Nothing => Cow::Borrowed(self.live.entries()),
                other => Cow::Owned(chosen_for_update(self.live.entries(), other, place.subresource)),
            };
            let before = Live { object: old.unwrap_or(place.empty), managed: &chosen };
            let form = match (old, self.form) {
                (Some(_), StoredForm::Normalized) => LiveForm::Valid,
                _ => LiveForm::Unchecked,
            };
            update(place, before, form, new, self.writer(), arena).ok()
        });
        match managed.flatten() {
            Some(managed) => self.found(managed),
            // Upstream: a tracking error never fails a write.
            None => (self.live.clone(), StoredForm::Unchecked),
        }
    }

    /// Owners that were found, so that the object has the form of its type.
    fn found(self, managed: ManagedFields) -> (Ownership, StoredForm) {
        let Tracked { cluster, resource, .. } = self.endpoint;
        let ownership = if managed == *self.live.entries() {
            self.live.clone()
        } else {
            cluster.shared_owners.share(resource, self.live, managed)
        };
        let form = match self.steps {
            Steps::All => StoredForm::Normalized,
            Steps::Part => self.form,
        };
        (ownership, form)
    }
}

/// What the body of a request says about managedFields.
fn requested(given: Option<&str>, live: &Ownership, order: FieldOrder, arena: &Arena) -> Requested {
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
    if order == FieldOrder::Label && value.and_then(ParsedValue::items).is_some_and(Items::is_empty) {
        return Requested::Nothing;
    }
    Requested::read(value, order)
}

/// The ownership in an object that is stored past the API; entries that cannot be read are dropped.
pub(crate) fn of_loaded(endpoint: Tracked<'_>, given: Option<&str>) -> Ownership {
    let arena = Arena::new();
    match requested(given, &Ownership::default(), endpoint.order(), &arena) {
        Requested::Entries(entries) => Ownership::new(entries),
        _ => Ownership::default(),
    }
}
