//! Pod.

use super::pod_prepare::{app_armor_from_annotations, merge_label_keys};
use super::pod_spec::{self, PodOf, drop_disabled_fields, match_annotations, pod_annotations, trimmed_image};
use super::pod_status::{initial_status, set_gated_time};
use super::{pod_resize, pod_status_update, pod_update};
use crate::columns::{self, AGE, Cell, KindColumn, NAME};
use crate::field::Field;
use crate::registry::{
    Context, DecodeRules, DeleteAnswer, Deletion, GenerationRule, KindEntry, OnUpdate, Presentation,
    SelectableField, SelectableFields, StatusOnCreate, Strategy, SubresourceRules, Times, ValidationRules,
};
use crate::tree::{List, Map, Value};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "Pod",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        generation: GenerationRule::Field("spec"),
        deletion: Deletion::AfterGracePeriod,
        delete_answer: DeleteAnswer::Object,
        loaded: |pod| pod.ensure_map("status").set("phase", "Pending"),
        status_on_create: StatusOnCreate::Own,
        prepare_create,
        prepare_update,
        ..Strategy::WITH_STATUS
    },
    times: Times { changes: Some(set_gated_time), ..Times::NONE },
    validation: ValidationRules {
        object: validate,
        update: |pod, old| {
            metadata_and_spec(pod);
            pod_update::validate_update(pod, old);
        },
        on_update: OnUpdate::ValidateMetadata,
        warnings: |pod, old| if old.is_none() { pod_spec::warnings(pod) } else { Vec::new() },
        ..ValidationRules::DEFAULT
    },
    subresources: &[
        SubresourceRules {
            resets: &[&["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"], &["spec"]],
            prepare_update: pod_status_update::prepare_update,
            validate_update: pod_status_update::validate_update,
            ..SubresourceRules::STATUS
        },
        SubresourceRules {
            name: "ephemeralcontainers",
            generation: GenerationRule::Field("spec"),
            prepare_update: pod_resize::prepare_ephemeral,
            validate_update: pod_resize::validate_ephemeral,
            ..SubresourceRules::OTHER
        },
        SubresourceRules {
            name: "resize",
            generation: GenerationRule::Field("spec"),
            prepare_update: pod_resize::prepare_resize,
            validate_update: pod_resize::validate_resize,
            ..SubresourceRules::OTHER
        },
    ],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Ready", Cell::Computed(columns::pod::ready)),
            KindColumn::string("Status", Cell::Computed(columns::pod::status)),
            KindColumn::string("Restarts", Cell::ComputedAt(columns::pod::restarts)),
            AGE,
            KindColumn::string("IP", Cell::TextOr("/status/podIPs/0/ip", "<none>")).wide(),
            KindColumn::string("Node", Cell::TextOr("/spec/nodeName", "<none>")).wide(),
            KindColumn::string("Nominated Node", Cell::TextOr("/status/nominatedNodeName", "<none>")).wide(),
            KindColumn::string("Readiness Gates", Cell::Computed(columns::pod::readiness_gates)).wide(),
        ],
        row_condition: columns::pod::row_condition,
        selectable: SelectableFields::listed(&[
            SelectableField::at("spec.nodeName"),
            SelectableField::at("spec.restartPolicy"),
            SelectableField::at("spec.schedulerName"),
            SelectableField::at("spec.serviceAccountName"),
            SelectableField::at("spec.hostNetwork"),
            SelectableField::at("status.phase"),
            SelectableField::at("status.podIP"),
            SelectableField::at("status.podIPs"),
            SelectableField::at("status.nominatedNodeName"),
            // The name of the field in v1beta1, which clients may still use.
            SelectableField::named("spec.host", "spec.nodeName"),
        ]),
    },
    ..KindEntry::NAMESPACED
};

fn defaults(pod: &mut Map<'_>, context: Context) {
    if let Some(spec) = pod.map_mut("spec") {
        pod_spec::pod_defaults(spec, context);
    }
    if let Some(status) = pod.map_mut("status") {
        status_defaults(status);
    }
}

/// `podIP` and the first of `podIPs` are the same.
fn status_defaults(status: &mut Map<'_>) {
    let first = status.maps("podIPs").next().map(|address| address.str("ip"));
    match (status.str("podIP"), first) {
        ("", None) => {}
        ("", Some(first)) => status.set("podIP", first),
        (address, Some(first)) if address == first => {}
        (address, _) => {
            let mut entry = Map::new_in(status.arena());
            entry.set("ip", address);
            let mut list = List::new_in(status.arena());
            list.push(entry);
            status.set("podIPs", Value::List(list));
        }
    }
}

fn prepare_create(pod: &mut Map<'_>, context: Context) {
    drop_disabled_fields(pod, context);
    // After fields were dropped, so that disabled keys are not merged.
    merge_label_keys(pod);
    app_armor_from_annotations(pod);
    // After admission: plugins and webhooks may have added containers.
    if let Some(spec) = pod.map_mut("spec") {
        pod_spec::complete_pod_level(spec, context);
    }
    let status = initial_status(pod.map("spec"), Map::new_in(pod.arena()));
    pod.set("status", status);
}

fn prepare_update(pod: &mut Map<'_>, old: &Map<'_>, context: Context) {
    // Clients from before pod-level resources leave them out without wanting to remove them.
    let resources = old.map("spec").and_then(|spec| spec.get("resources"));
    if let (Some(spec), Some(resources)) = (pod.map_mut("spec"), resources)
        && !spec.has("resources")
    {
        spec.set("resources", resources.copy_in(spec.arena()));
    }
    drop_disabled_fields(pod, context);
}

fn validate(pod: Field<'_>) {
    let (metadata, spec) = (pod.field("metadata"), pod.field("spec"));
    metadata_and_spec(pod);
    let ephemeral = spec.field("ephemeralContainers");
    if !ephemeral.is_empty() {
        // They are added to a running pod through their own subresource.
        ephemeral.forbidden("cannot be set on create");
    }
    // A pod with a node needs no scheduler that could wait for the gates.
    if !spec.field("nodeName").is_empty() && !spec.field("schedulingGates").is_empty() {
        spec.field("nodeName").forbidden("cannot be set until all schedulingGates have been cleared");
    }
    match_annotations(metadata.field("annotations"), spec);
}

/// What holds for new and for updated Pods.
pub(super) fn metadata_and_spec(pod: Field<'_>) {
    let (metadata, spec) = (pod.field("metadata"), pod.field("spec"));
    pod_annotations(metadata.field("annotations"), spec);
    pod_spec::validate(spec, PodOf::Pod(metadata));
    // A token is issued to an account.
    if spec.field("serviceAccountName").is_empty() {
        let volumes = spec.field("volumes").items();
        let sources = volumes.flat_map(|volume| volume.fields(["projected", "sources"]).items());
        for token in sources.map(|source| source.field("serviceAccountToken")).filter(|token| token.is_set())
        {
            token.forbidden("must not be specified when serviceAccountName is not set");
        }
    }
    spec.field("terminationGracePeriodSeconds").check_not_negative();
    for name in ["containers", "initContainers"] {
        spec.field(name).items().for_each(trimmed_image);
    }
}
