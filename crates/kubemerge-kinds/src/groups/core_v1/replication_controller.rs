//! ReplicationController.

use super::{pod_spec::template_warnings, pod_template};
use crate::columns::workload;
use crate::field::Field;
use crate::meta::NameRule;
use crate::registry::{
    Context, DecodeRules, GenerationRule, KindEntry, OnUpdate, Presentation, Propagation, SelectableField,
    SelectableFields, StorageFolder, Strategy, SubresourceRules, ValidationRules,
};
use crate::tree::Map;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "ReplicationController",
    folder: StorageFolder::Named("controllers"),
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        name: NameRule::LongName,
        generation: GenerationRule::Field("spec"),
        // For clients from before there was garbage collection, which deleted dependents themselves.
        default_propagation: Propagation::Orphan,
        prepare_create: prepare_template,
        prepare_update: |controller, _, context| prepare_template(controller, context),
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        object: validate,
        on_update: OnUpdate::ValidateObject,
        warnings: template_warnings,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        // The stored spec gives labels to a controller that has none.
        prepare_update: |controller, _, context| defaults(controller, context),
        validate_update: |controller, _| status(controller.field("status")),
        ..SubresourceRules::STATUS
    }],
    presentation: Presentation {
        columns: workload::REPLICA_COLUMNS,
        selectable: SelectableFields::listed(&[SelectableField::at("status.replicas")]),
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

fn template<'m, 'a>(controller: &'m mut Map<'a>) -> Option<&'m mut Map<'a>> {
    controller.map_mut("spec").and_then(|spec| spec.map_mut("template"))
}

fn prepare_template(controller: &mut Map<'_>, context: Context) {
    if let Some(template) = template(controller) {
        pod_template::prepare(template, context);
    }
}

/// The labels of the template are those of the controller and its selector unless others are given.
fn defaults(controller: &mut Map<'_>, context: Context) {
    let arena = controller.arena();
    controller.ensure_map("spec").set_if_absent("replicas", 1);
    let Some(template) = template(controller) else { return };
    pod_template::defaults(template, context);
    let labels = template.map("metadata").and_then(|metadata| metadata.map("labels"));
    let Some(labels) = labels.map(|labels| labels.copy_in(arena)) else { return };
    // The oldest controller may be given by its template alone.
    controller.ensure_map("spec").set_default("selector", labels.copy_in(arena));
    controller.ensure_map("metadata").set_default("labels", labels);
}

fn validate(controller: Field<'_>) {
    let spec = controller.field("spec");
    spec.field("minReadySeconds").check_not_negative();
    spec.field("selector").require("");
    spec.field("replicas").check_not_negative();
    let template = spec.field("template");
    if !template.is_set() {
        return template.required("");
    }
    matches_template(spec.field("selector"), template);
    pod_template::validate(template);
    let policy = template.fields(["spec", "restartPolicy"]);
    // A controller replaces pods that end, so they must not.
    if policy.str() != "Always" {
        policy.not_supported(&["Always"]);
    }
    let deadline = template.fields(["spec", "activeDeadlineSeconds"]);
    if deadline.is_set() {
        deadline.forbidden("activeDeadlineSeconds in ReplicationController is not Supported");
    }
}

/// The selector is a plain map; an empty one was reported before.
fn matches_template(selector: Field<'_>, template: Field<'_>) {
    let labels = template.fields(["metadata", "labels"]);
    let is_match = selector.entries().all(|(key, value)| {
        let label = labels.key(key);
        label.is_set() && label.str() == value.str()
    });
    if !is_match {
        labels.invalid_struct("map[string]string", "`selector` does not match template `labels`");
    }
}

fn status(status: Field<'_>) {
    const COUNTED: [&str; 3] = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
    status.field("replicas").check_not_negative();
    COUNTED.into_iter().for_each(|name| status.field(name).check_not_negative());
    status.field("observedGeneration").check_not_negative();
    let replicas = status.field("replicas").int();
    for counter in COUNTED.map(|name| status.field(name)) {
        if counter.int() > replicas {
            counter.invalid_as(counter.int(), "cannot be greater than status.replicas");
        }
    }
    let available = status.field("availableReplicas");
    if available.int() > status.field("readyReplicas").int() {
        available.invalid_as(available.int(), "cannot be greater than readyReplicas");
    }
}
