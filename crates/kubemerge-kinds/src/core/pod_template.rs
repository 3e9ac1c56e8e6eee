//! Pod templates: what workloads have in `spec.template`, and the kind PodTemplate.

use super::pod_spec::{self, PodOf, match_annotations, pod_annotations};
use crate::field::Field;
use crate::meta::{annotations, labels};
use crate::registry::{Context, Generation, Rules, count_generation};
use crate::tree::Map;

pub(super) const RULES: Rules = Rules {
    kind: "PodTemplate",
    generation: Generation::Own,
    defaults: |object, context| {
        object.map_mut("template").into_iter().for_each(|template| defaults(template, context));
    },
    prepare_create: |object, context| {
        object.map_mut("template").into_iter().for_each(|template| prepare(template, context));
        object.ensure_map("metadata").set("generation", 1);
    },
    prepare_update: |object, old, context| {
        object.map_mut("template").into_iter().for_each(|template| prepare(template, context));
        // A template has no spec; the whole of it counts as such.
        if !object.same_field_in_go(old, "template") {
            count_generation(object, old);
        }
    },
    validate: |object| validate(object.field("template")),
    ..Rules::NAMESPACED
};

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
