//! PersistentVolumeClaim.

use std::cmp::Ordering;

use super::claim_spec::{self, ApiGroups};
use super::pod_spec::{is_native, quantity_value, resource_list};
use crate::columns::{AGE, Cell, KindColumn, NAME, storage};
use crate::field::{Field, Report, internal_pretty, unified_diff};
use crate::format::qualified_name;
use crate::registry::{
    Context, DecodeRules, DeleteAnswer, KindEntry, OnUpdate, Presentation, Strategy, SubresourceRules,
    ValidationRules, keep_field,
};
use crate::tree::{Arena, Map, Value};

/// The annotation that named the class before there was a field.
const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";
/// The states of an expansion.
const RESIZE_STATES: [&str; 5] = [
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
];

pub(super) const KIND: KindEntry = KindEntry {
    kind: "PersistentVolumeClaim",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        delete_answer: DeleteAnswer::Object,
        // The phase.
        completed_by_reading: |_| true,
        loaded: |claim| claim.ensure_map("status").set("phase", "Pending"),
        prepare_create: |claim, _| {
            claim.ensure_map("status").set("phase", "Pending");
            data_sources(claim.ensure_map("spec"), None);
        },
        prepare_update: |claim, old, _| data_sources(claim.ensure_map("spec"), old.map("spec")),
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        object: |claim| claim_spec::validate(claim.field("spec"), ApiGroups::Valid),
        update: validate_update,
        on_update: OnUpdate::ValidateMetadata,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        prepare_update: |claim, old, _| {
            // The health of volumes is off by default.
            if !old.map("status").is_some_and(|status| status.has("healthStatus")) {
                claim.ensure_map("status").remove("healthStatus");
            }
        },
        validate_update: |claim, _| status(claim),
        ..SubresourceRules::STATUS
    }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Status", Cell::Computed(storage::phase)),
            KindColumn::string("Volume", Cell::Text("/spec/volumeName")),
            KindColumn::string("Capacity", Cell::Computed(storage::claim_capacity)),
            KindColumn::string("Access Modes", Cell::Computed(storage::claim_modes)),
            KindColumn::string("StorageClass", Cell::Computed(storage::class)),
            KindColumn::string(
                "VolumeAttributesClass",
                Cell::TextOr("/spec/volumeAttributesClassName", "<unset>"),
            ),
            AGE,
            KindColumn::string("VolumeMode", Cell::TextOr("/spec/volumeMode", "<unset>")).wide(),
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

fn defaults(claim: &mut Map<'_>, context: Context) {
    claim_spec::defaults(claim.ensure_map("spec"), context);
    let status = claim.ensure_map("status");
    status.set_default("phase", "Pending");
    resource_list(status, "capacity");
    resource_list(status, "allocatedResources");
}

/// Both fields for a data source hold the same, unless it is in another namespace.
fn data_sources(spec: &mut Map<'_>, stored: Option<&Map<'_>>) {
    let is_stored = |name: &str| stored.is_some_and(|stored| stored.has(name));
    // Sources in other namespaces are off by default.
    let has_namespace = spec.map("dataSourceRef").is_some_and(|source| !source.str("namespace").is_empty());
    if has_namespace && !is_stored("dataSourceRef") {
        spec.remove("dataSourceRef");
    }
    let is_new = !is_stored("dataSource") && !is_stored("dataSourceRef");
    // Upstream drops unknown sources silently in the older field only.
    if is_new && !spec.has("dataSourceRef") && !spec.map("dataSource").is_some_and(is_claim_or_snapshot) {
        spec.remove("dataSource");
    }
    normalize(spec);
}

fn normalize(spec: &mut Map<'_>) {
    match (spec.map("dataSource"), spec.map("dataSourceRef")) {
        (Some(source), None) => {
            let copy = source.copy_in(spec.arena());
            spec.set("dataSourceRef", Value::Map(copy));
        }
        (None, Some(source)) if source.str("namespace").is_empty() => {
            let mut copy = source.copy_in(spec.arena());
            copy.remove("namespace");
            spec.set("dataSource", Value::Map(copy));
        }
        _ => {}
    }
}

/// The only sources that there were before `dataSourceRef`.
fn is_claim_or_snapshot(source: &Map<'_>) -> bool {
    matches!(
        (source.str("apiGroup"), source.str("kind")),
        ("", "PersistentVolumeClaim") | ("snapshot.storage.k8s.io", "VolumeSnapshot")
    )
}

fn validate_update(claim: Field<'_>, old: Field<'_>) {
    let (spec, old_spec) = (claim.field("spec"), old.field("spec"));
    // Groups were not checked once; claims that have one keep it.
    let had_group =
        ["dataSource", "dataSourceRef"].iter().any(|name| old_spec.field(name).field("apiGroup").is_set());
    claim_spec::validate(spec, if had_group { ApiGroups::Any } else { ApiGroups::Valid });
    let [annotation, old_annotation] = [claim, old].map(class_annotation);
    let class = class_change(claim, old);
    if class != ClassChange::FromAnnotation && annotation.str() != old_annotation.str() {
        let place = claim.fields(["metadata", "annotations", CLASS_ANNOTATION]);
        place.invalid_as(annotation.str(), "field is immutable");
    }
    spec_kept(claim, old, class);
    storage_not_reduced(claim, old);
    spec.field("volumeMode")
        .reported_at(claim.field("volumeMode"))
        .check_immutable(old_spec.field("volumeMode"));
    attributes_class_kept(spec, old);
}

/// How the class of a claim may change after all.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ClassChange {
    /// It moves from the annotation to the field.
    FromAnnotation,
    /// It is given for the first time.
    FromNothing,
    /// Not at all.
    Forbidden,
}

fn class_change(claim: Field<'_>, old: Field<'_>) -> ClassChange {
    let [before, now] = [old, claim].map(class_annotation);
    let [class, old_class] = [claim, old].map(|claim| claim.fields(["spec", "storageClassName"]));
    if old_class.is_set() || !class.is_set() || before.is_set() && before.str() != class.str() {
        ClassChange::Forbidden
    } else if before.is_set() && (!now.is_set() || now.str() == before.str()) {
        ClassChange::FromAnnotation
    } else {
        ClassChange::FromNothing
    }
}

fn class_annotation(claim: Field<'_>) -> Field<'_> {
    claim.fields(["metadata", "annotations"]).key(CLASS_ANNOTATION)
}

/// Puts what may change to the same value on both sides; whatever differs then may not change.
fn spec_kept(claim: Field<'_>, old: Field<'_>, class: ClassChange) {
    let (spec, old_spec) = (claim.field("spec"), old.field("spec"));
    let (Some(new), Some(before)) = (spec.map(), old_spec.map()) else { return };
    let arena = Arena::new();
    let (mut new, mut before) = (new.copy_in(&arena), before.copy_in(&arena));
    // Claims stored before `dataSourceRef` existed get it here, so that no change is seen.
    normalize(&mut before);
    // A binding sets the name once.
    if before.str("volumeName").is_empty() {
        keep_field(&mut before, &new, "volumeName");
    }
    match class {
        ClassChange::FromAnnotation => {
            // The stored spec has no such field in this case, so neither side has it now.
            new.remove("storageClassName");
        }
        ClassChange::FromNothing => keep_field(&mut new, &before, "storageClassName"),
        ClassChange::Forbidden => {}
    }
    // Before it is bound there is no volume that could grow.
    if claim.fields(["status", "phase"]).str() == "Bound" {
        keep_storage(&mut new, &before);
        keep_field(&mut new, &before, "volumeAttributesClassName");
    }
    if !new.same_in_go(&before) {
        let report = Report::new(spec.minor());
        let pretty =
            |spec: &Map<'_>| internal_pretty("core.PersistentVolumeClaimSpec", Field::root(spec, &report));
        let difference = unified_diff(&pretty(&before), &pretty(&new));
        spec.forbidden(format!(
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound \
             claims\n{difference}"
        ));
    }
}

fn keep_storage(new: &mut Map<'_>, before: &Map<'_>) {
    let stored = before.map("resources").and_then(|resources| resources.map("requests"));
    let stored = stored.map(|requests| requests.str("storage")).unwrap_or_default();
    if let Some(requests) = new.map_mut("resources").and_then(|resources| resources.map_mut("requests")) {
        // Go reads a missing quantity as zero.
        requests.set_text("storage", if stored.is_empty() { "0" } else { stored });
    }
}

/// A claim shrinks only after an expansion that failed, and never below what it has.
fn storage_not_reduced(claim: Field<'_>, old: Field<'_>) {
    let path = ["spec", "resources", "requests", "storage"];
    let (size, old_size) = (claim.fields(path), old.fields(path));
    let stored = old.fields(["status", "capacity", "storage"]);
    // Compared with what was asked for, then with what the volume really has.
    let is_less = size.quantity().compare(&old_size.quantity()) == Ordering::Less;
    if is_less && size.quantity().compare(&stored.quantity()) != Ordering::Greater {
        size.forbidden("field can not be less than status.capacity");
    }
}

fn attributes_class_kept(spec: Field<'_>, old: Field<'_>) {
    let class = spec.field("volumeAttributesClassName");
    let is_changed = !class.same_as(old.fields(["spec", "volumeAttributesClassName"]));
    if !is_changed
        || !old.fields(["status", "currentVolumeAttributesClassName"]).is_set()
        || !class.is_empty()
    {
        return;
    }
    let new = if class.is_set() { "empty string" } else { "nil" };
    class.forbidden(format!(
        "update to {new} is forbidden when status.currentVolumeAttributesClassName is not nil"
    ));
}

fn status(claim: Field<'_>) {
    if claim.fields(["spec", "accessModes"]).is_empty() {
        // Upstream: a capital letter in the path.
        claim.fields(["Spec", "accessModes"]).required("");
    }
    let status = claim.field("status");
    status.field("capacity").entries().for_each(|(_, quantity)| {
        basic_quantity(quantity);
    });
    let states = status.field("allocatedResourceStatuses");
    for (name, state) in states.entries() {
        resource_key(name, states);
        if !RESIZE_STATES.contains(&state.str()) {
            // Upstream prints the resource in place of the state.
            states.not_supported_as(name, &RESIZE_STATES);
        }
    }
    let allocated = status.field("allocatedResources");
    for (name, quantity) in allocated.entries() {
        if resource_key(name, allocated) && basic_quantity(quantity) {
            // Upstream checks every resource as if it were storage.
            quantity_value("storage", quantity);
        }
    }
}

fn basic_quantity(quantity: Field<'_>) -> bool {
    let value = quantity.quantity().value();
    if value < 0 {
        quantity.invalid_as(value, "must be a valid resource quantity");
    }
    value >= 0
}

/// A resource of a claim: storage, or what a vendor defines.
fn resource_key(name: &str, reported: Field<'_>) -> bool {
    let problems = qualified_name(name);
    let is_named = problems.is_empty();
    problems.into_iter().for_each(|problem| reported.invalid_as(name, problem));
    let is_known = !is_native(name) || name == "storage";
    if is_named && !is_known {
        reported.not_supported_as(name, &["storage"]);
    }
    is_named && is_known
}
