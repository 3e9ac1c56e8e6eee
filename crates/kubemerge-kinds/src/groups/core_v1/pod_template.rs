//! Pod templates: what workloads have in `spec.template`, and the kind PodTemplate.

use super::pod_spec::{self, PodOf, is_counted, match_annotations, pod_annotations};
use crate::columns::{Cell, KindColumn, NAME, workload};
use crate::field::Field;
use crate::meta::{annotations, labels};
use crate::registry::{
    Context, DecodeRules, DeleteAnswer, GenerationRule, KindEntry, Presentation, Strategy, ValidationRules,
};
use crate::tree::Map;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "PodTemplate",
    decode: DecodeRules {
        defaults: |object, context| {
            object.map_mut("template").into_iter().for_each(|template| defaults(template, context));
        },
        ..DecodeRules::DEFAULT
    },
    strategy: Strategy {
        // A template has no spec; the whole of it counts as such.
        generation: GenerationRule::Field("template"),
        delete_answer: DeleteAnswer::Object,
        prepare_create: prepare_template,
        prepare_update: |object, _, context| prepare_template(object, context),
        ..Strategy::DEFAULT
    },
    validation: ValidationRules {
        object: |object| validate(object.field("template")),
        warnings: |object, old| {
            if is_counted(object, old) { pod_spec::warnings(object.field("template")) } else { Vec::new() }
        },
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Containers", Cell::Computed(workload::containers)),
            KindColumn::string("Images", Cell::Computed(workload::images)),
            KindColumn::string("Pod Labels", Cell::Computed(workload::template_labels)),
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

fn prepare_template(object: &mut Map<'_>, context: Context) {
    object.map_mut("template").into_iter().for_each(|template| prepare(template, context));
}

/// Defaults of a template.
pub(crate) fn defaults(template: &mut Map<'_>, context: Context) {
    if let Some(spec) = template.map_mut("spec") {
        pod_spec::defaults(spec, context);
    }
}

/// Prepares a template for create and update: fields of disabled features are dropped.
pub(crate) fn prepare(template: &mut Map<'_>, context: Context) {
    pod_spec::drop_disabled_fields(template, context);
}

/// Validates a template: labels, annotations and the pod spec.
pub(crate) fn validate(template: Field<'_>) {
    let metadata = template.field("metadata");
    // Upstream reports these without `metadata` in the path.
    labels(metadata.field("labels").reported_at(template.field("labels")));
    annotations(metadata.field("annotations").reported_at(template.field("annotations")));
    let spec = template.field("spec");
    let annotations = metadata.field("annotations").reported_at(template.field("annotations"));
    pod_annotations(annotations, spec);
    pod_spec::validate(spec, PodOf::Template);
    match_annotations(annotations, spec);
    let ephemeral = spec.field("ephemeralContainers");
    if !ephemeral.is_empty() {
        ephemeral.forbidden("ephemeral containers not allowed in pod template");
    }
}
