//! PersistentVolume.

use super::persistent_volume_spec::{SOURCES, VolumeOf, validate};
use super::pod_spec::{resource_list, storage_systems};
use crate::columns::{AGE, Cell, KindColumn, NAME, storage};
use crate::field::{Field, Report, internal_pretty, unified_diff};
use crate::registry::{
    Context, DecodeRules, DeleteAnswer, KindEntry, Presentation, Strategy, SubresourceRules, Times,
    ValidationRules, Written, keep_field,
};
use crate::tree::{Arena, Map};

/// The annotation that held mount options before there was a field.
const MOUNT_OPTIONS: &str = "volume.beta.kubernetes.io/mount-options";
/// Sources that had mount options in those days.
const MOUNTABLE: [&str; 13] = [
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "nfs",
    "rbd",
    "quobyte",
    "iscsi",
    "cinder",
    "cephfs",
    "azureFile",
    "vsphereVolume",
    "azureDisk",
    "photonPersistentDisk",
];
/// Labels of nodes that were renamed.
const RENAMED_LABELS: [(&str, &str); 5] = [
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("beta.kubernetes.io/os", "kubernetes.io/os"),
    ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
    ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
];

pub(super) const KIND: KindEntry = KindEntry {
    kind: "PersistentVolume",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        delete_answer: DeleteAnswer::Object,
        loaded: |volume| volume.ensure_map("status").set("phase", "Pending"),
        prepare_create,
        ..Strategy::WITH_STATUS
    },
    times: Times { changes: Some(set_phase_time), ..Times::NONE },
    validation: ValidationRules {
        object: |volume| {
            let name = volume.fields(["metadata", "name"]).str();
            validate(volume.field("spec"), VolumeOf::Object { name });
            mount_options(volume);
        },
        update: validate_update,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules { prepare_update: prepare_status, ..SubresourceRules::STATUS }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Capacity", Cell::Computed(storage::volume_capacity)),
            KindColumn::string("Access Modes", Cell::Computed(storage::volume_modes)),
            KindColumn::string("Reclaim Policy", Cell::Text("/spec/persistentVolumeReclaimPolicy")),
            KindColumn::string("Status", Cell::Computed(storage::phase)),
            KindColumn::string("Claim", Cell::Computed(storage::claim)),
            KindColumn::string("StorageClass", Cell::Computed(storage::class)),
            KindColumn::string(
                "VolumeAttributesClass",
                Cell::TextOr("/spec/volumeAttributesClassName", "<unset>"),
            ),
            KindColumn::string("Reason", Cell::Text("/status/reason")),
            AGE,
            KindColumn::string("VolumeMode", Cell::TextOr("/spec/volumeMode", "<unset>")).wide(),
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

fn defaults(volume: &mut Map<'_>, _: Context) {
    volume.ensure_map("status").set_default("phase", "Pending");
    let spec = volume.ensure_map("spec");
    spec.set_default("persistentVolumeReclaimPolicy", "Retain");
    spec.set_if_absent("volumeMode", "Filesystem");
    spec_defaults(spec);
}

/// Defaults of a spec, in an attachment too.
pub(crate) fn spec_defaults(spec: &mut Map<'_>) {
    resource_list(spec, "capacity");
    if let Some(path) = spec.map_mut("hostPath") {
        path.set_if_absent("type", "");
    }
    storage_systems(spec);
}

fn prepare_create(volume: &mut Map<'_>, _: Context) {
    let created =
        volume.map("metadata").map(|metadata| metadata.str("creationTimestamp")).unwrap_or_default();
    let status = volume.ensure_map("status");
    status.set("phase", "Pending");
    // The first phase starts when the object does. Without a server there is no time.
    if !created.is_empty() {
        status.set("lastPhaseTransitionTime", created);
    }
}

/// A volume that enters another phase, unless the client says when.
fn set_phase_time(volume: &mut Map<'_>, written: &Written<'_>) {
    const TIME: &str = "lastPhaseTransitionTime";
    let before = written.old.and_then(|old| old.map("status"));
    let (Some(before), Some(status)) = (before, volume.map_mut("status")) else { return };
    let is_told = status.has(TIME) && status.str(TIME) != before.str(TIME);
    if status.str("phase") != before.str("phase") && !is_told {
        status.set_text(TIME, written.now);
    }
}

/// A client that does not send the time of the phase does not change it.
fn prepare_status(volume: &mut Map<'_>, old: &Map<'_>, _: Context) {
    let (status, Some(stored)) = (volume.ensure_map("status"), old.map("status")) else { return };
    if status.str("phase") == stored.str("phase") && !status.has("lastPhaseTransitionTime") {
        keep_field(status, stored, "lastPhaseTransitionTime");
    }
}

fn mount_options(volume: Field<'_>) {
    let spec = volume.field("spec");
    let annotations = volume.fields(["metadata", "annotations"]);
    if !MOUNTABLE.iter().any(|name| spec.has(name)) && annotations.key(MOUNT_OPTIONS).is_set() {
        // Upstream writes the key of this annotation with a dot.
        annotations.field(MOUNT_OPTIONS).forbidden("may not specify mount options for this volume type");
    }
}

fn validate_update(volume: Field<'_>, old: Field<'_>) {
    let (spec, old) = (volume.field("spec"), old.field("spec"));
    source_kept(volume, spec, old);
    spec.field("volumeMode").reported_at(volume.field("volumeMode")).check_immutable(old.field("volumeMode"));
    let (affinity, old_affinity) = (spec.field("nodeAffinity"), old.field("nodeAffinity"));
    // Affinity may be added once; then pods were scheduled by it.
    if old_affinity.is_set() && !is_same_affinity(affinity, old_affinity) {
        affinity.reported_at(volume.field("nodeAffinity")).invalid_struct(
            "*core.VolumeNodeAffinity",
            "field is immutable, except for updating from beta label to GA",
        );
    }
    let class = "volumeAttributesClassName";
    if old.field(class).is_set() && !spec.field(class).is_set() {
        // A class may be replaced, not taken away: the volume was changed to have its attributes.
        spec.field(class).forbidden("update from non-nil value to nil is forbidden");
    }
}

/// The source never changes, except that a secret for expansion may be added.
fn source_kept(volume: Field<'_>, spec: Field<'_>, old: Field<'_>) {
    let (Some(new), Some(before)) = (spec.map(), old.map()) else { return };
    let arena = Arena::new();
    let mut allowed = new.copy_in(&arena);
    let secret = "controllerExpandSecretRef";
    // Volumes that drivers made before expansion needed a secret can get one.
    let had_secret = before.map("csi").is_none_or(|csi| csi.has(secret));
    if let Some(csi) = allowed.map_mut("csi")
        && !had_secret
    {
        csi.remove(secret);
    }
    if SOURCES.iter().any(|name| !allowed.same_field_in_go(before, name)) {
        let report = Report::new(spec.minor());
        let pretty = |source| internal_pretty("core.PersistentVolumeSource", source);
        let difference = unified_diff(&pretty(old), &pretty(Field::root(&allowed, &report)));
        volume
            // Upstream: the path names the Go type in lower case.
            .fields(["spec", "persistentvolumesource"])
            .forbidden(format!("spec.persistentvolumesource is immutable after creation\n{difference}"));
    }
}

/// Keys of requirements may change to what the label is called now.
fn is_same_affinity(affinity: Field<'_>, old: Field<'_>) -> bool {
    let (required, old_required) = (affinity.field("required"), old.field("required"));
    affinity.is_set()
        && required.is_set() == old_required.is_set()
        && is_same_list(
            required.field("nodeSelectorTerms"),
            old_required.field("nodeSelectorTerms"),
            |new, old| {
                ["matchExpressions", "matchFields"]
                    .into_iter()
                    .all(|list| is_same_list(new.field(list), old.field(list), is_same_requirement))
            },
        )
}

fn is_same_list(new: Field<'_>, old: Field<'_>, is_same: fn(Field<'_>, Field<'_>) -> bool) -> bool {
    new.len() == old.len() && new.items().zip(old.items()).all(|(new, old)| is_same(new, old))
}

fn is_same_requirement(new: Field<'_>, old: Field<'_>) -> bool {
    let (key, old_key) = (new.field("key").str(), old.field("key").str());
    // Upstream takes a label without a new name for one whose new name is empty.
    let new_key = RENAMED_LABELS.iter().find(|(old, _)| *old == old_key).map_or("", |(_, new)| new);
    (key == old_key || key == new_key)
        && new.field("operator").same_as(old.field("operator"))
        && new.field("values").same_as(old.field("values"))
}
