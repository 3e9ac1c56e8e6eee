//! Job.

use super::job_spec::{self, is_indexed, prepare, shared_defaults};
use super::job_status;
use super::job_template_update::template_unchanged;
use crate::columns::{AGE, CONTAINERS, Cell, IMAGES, KindColumn, NAME, POD_SELECTOR, workload};
use crate::field::{BadValue, Field, Report};
use crate::format::dns1123_label;
use crate::groups::core_v1::pod_spec::template_warnings;
use crate::meta::{Selector, label_selector, selector_matches};
use crate::registry::{
    Context, DecodeRules, GenerationRule, KindEntry, OnUpdate, Permission, Presentation, Propagation,
    SelectableField, SelectableFields, SelectorRefusal, Strategy, SubresourceRules, ValidationRules,
};
use crate::tree::{Arena, Map, Value};

const UID_LABELS: [&str; 2] = ["controller-uid", "batch.kubernetes.io/controller-uid"];
const NAME_LABELS: [&str; 2] = ["job-name", "batch.kubernetes.io/job-name"];
const SELECTOR: &str = "*metav1.LabelSelector";

pub(super) const KIND: KindEntry = KindEntry {
    kind: "Job",
    decode: DecodeRules { defaults, track: Some(label_like_template), ..DecodeRules::DEFAULT },
    strategy: Strategy {
        generation: GenerationRule::Field("spec"),
        // For clients from before there was garbage collection, which deleted dependents themselves.
        default_propagation: Propagation::Orphan,
        completed_by_reading: gets_labels_by_reading,
        prepare_create: |job, context| {
            // Before the defaults of labels, which copy what this adds to the template.
            generate_selector(job);
            prepare(job.ensure_map("spec"), context);
            label_like_template(job);
        },
        prepare_update: |job, _, context| {
            prepare(job.ensure_map("spec"), context);
            label_like_template(job);
        },
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        object: |job| {
            generated_selector(job);
            spec(job);
        },
        update: validate_update,
        on_update: OnUpdate::ValidateChanges,
        warnings: template_warnings,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        // The labels of the template that the client sent come first, then those of the stored one.
        before_reset: |job, _| label_like_template(job),
        prepare_update: |job, _, _| label_like_template(job),
        validate_update: job_status::validate_update,
        ..SubresourceRules::STATUS
    }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Status", Cell::Computed(workload::job_status)),
            KindColumn::string("Completions", Cell::Computed(workload::completions)),
            KindColumn::string("Duration", Cell::ComputedAt(workload::job_duration)),
            AGE,
            CONTAINERS,
            IMAGES,
            POD_SELECTOR,
        ],
        selectable: SelectableFields {
            fields: &[SelectableField::named("status.successful", "status.succeeded")],
            namespace: Permission::Granted,
            refusal: SelectorRefusal::Job,
        },
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

fn defaults(job: &mut Map<'_>, context: Context) {
    let spec = job.ensure_map("spec");
    shared_defaults(spec, context);
    // With parallelism alone, any pod that succeeds completes the job.
    if !spec.has("completions") && !spec.has("parallelism") {
        spec.set("completions", 1);
    }
    spec.set_if_absent("parallelism", 1);
    let has_limit_per_index = spec.has("backoffLimitPerIndex");
    // Failures are counted for each index then, not for the job.
    spec.set_if_absent("backoffLimit", if has_limit_per_index { i64::from(i32::MAX) } else { 6 });
    spec.set_if_absent("completionMode", "NonIndexed");
    spec.set_if_absent("suspend", false);
    // The gate JobPodReplacementPolicy is on by default since 1.29, which gives manualSelector a default too.
    if context.since(29) {
        let has_policy = spec.has("podFailurePolicy");
        let replaced_when = if has_policy { "Failed" } else { "TerminatingOrFailed" };
        spec.set_if_absent("podReplacementPolicy", replaced_when);
        spec.set_if_absent("manualSelector", false);
    }
}

/// Labels that are generated for pods become those of the Job when it is read, unless the template came with labels:
/// then both are one map, even if it was empty.
fn gets_labels_by_reading(job: &Map<'_>) -> bool {
    let template = job.map("spec").and_then(|spec| spec.map("template")?.map("metadata"));
    let has_labels = |metadata: &Map<'_>| metadata.has("labels") || metadata.is_given_empty("labels");
    !job.map("metadata").is_some_and(|metadata| metadata.has("labels")) && !template.is_some_and(has_labels)
}

/// A Job without labels has those of its pods. Kubernetes sets them before it adds its own labels to the
/// template, but both are one map.
fn label_like_template(job: &mut Map<'_>) {
    let arena = job.arena();
    let template = job.map("spec").and_then(|spec| spec.map("template"));
    let labels = template.and_then(|template| template.map("metadata")?.map("labels"));
    if let Some(labels) = labels.map(|labels| labels.copy_in(arena)) {
        job.ensure_map("metadata").set_default("labels", labels);
    }
}

/// Labels the pods with the name and the uid of the Job, and selects them by the uid.
fn generate_selector(job: &mut Map<'_>) {
    let metadata = job.ensure_map("metadata");
    let (name, uid) = (metadata.str("name"), metadata.str("uid"));
    let spec = job.ensure_map("spec");
    // For jobs that take over the pods of another one.
    if spec.bool("manualSelector") {
        return;
    }
    let labels = spec.ensure_map("template").ensure_map("metadata").ensure_map("labels");
    NAME_LABELS.into_iter().for_each(|label| labels.set_if_absent(label, name));
    UID_LABELS.into_iter().for_each(|label| labels.set_if_absent(label, uid));
    spec.ensure_map("selector").ensure_map("matchLabels").set_if_absent(UID_LABELS[1], uid);
}

fn generated_selector(job: Field<'_>) {
    let (spec, metadata) = (job.field("spec"), job.field("metadata"));
    let selector = spec.field("selector");
    // A missing selector is reported with the spec.
    if spec.field("manualSelector").bool() || !selector.is_set() {
        return;
    }
    let labels = spec.fields(["template", "metadata", "labels"]);
    let arena = Arena::new();
    let mut expected = Map::new_in(&arena);
    let (uid, name) = (metadata.field("uid"), metadata.field("name"));
    if uid.is_empty() {
        uid.required("");
    }
    for (names, value) in [(UID_LABELS, uid.str()), (NAME_LABELS, name.str())] {
        for name in names {
            has_label(labels, name, value);
            expected.set_text(name, value);
        }
    }
    let expected = labels.with_copy_of(&Value::Map(expected));
    if is_valid(selector) && !selector_matches(selector, expected) {
        selector.invalid_struct(SELECTOR, "`selector` not auto-generated");
    }
}

/// Whether a selector can be matched; what is wrong with it is reported elsewhere.
fn is_valid(selector: Field<'_>) -> bool {
    let report = Report::new(selector.minor());
    if let Some(map) = selector.map() {
        label_selector(Field::root(map, &report), Selector::Strict);
    }
    report.into_errors().is_empty()
}

fn has_label(labels: Field<'_>, name: &'static str, value: &str) {
    let label = labels.key(name);
    if !label.is_set() {
        label.required(format!("must be '{value}'"));
    } else if label.str() != value {
        label.invalid_as(BadValue::internal("map[string]string", labels), format!("must be '{value}'"));
    }
}

fn spec(job: Field<'_>) {
    let spec = job.field("spec");
    job_spec::validate(spec);
    let selector = spec.field("selector");
    if !selector.is_set() {
        selector.required("");
    }
    let errors = selector.errors_so_far();
    label_selector(selector, Selector::Strict);
    let labels = spec.fields(["template", "metadata", "labels"]);
    let is_valid = selector.errors_so_far() == errors;
    if is_valid && (!selector.is_set() || !selector_matches(selector, labels)) {
        labels.invalid_struct("map[string]string", "`selector` does not match template `labels`");
    }
    name_for_indexes(job);
}

/// Pods of indexed Jobs have host names of the name and the index.
fn name_for_indexes(job: Field<'_>) {
    let (name, completions) = (job.fields(["metadata", "name"]), job.fields(["spec", "completions"]).int());
    // Other jobs give their pods random names.
    if !is_indexed(job.field("spec")) || completions <= 0 {
        return;
    }
    let longest = format!("{}-{}", name.str(), completions - 1);
    if !dns1123_label(&longest).is_empty() {
        name.invalid(format!("will not able to create pod with invalid DNS label: {longest}"));
    }
}

fn validate_update(job: Field<'_>, old: Field<'_>) {
    spec(job);
    let (spec, stored) = (job.field("spec"), old.field("spec"));
    completions_unchanged(spec, stored);
    spec.field("selector").check_immutable_struct(stored.field("selector"), SELECTOR);
    template_unchanged(spec, old);
    let kept = |name, go_type| spec.field(name).check_immutable_struct(stored.field(name), go_type);
    text_kept(spec.field("completionMode"), stored.field("completionMode"));
    kept("podFailurePolicy", "*batch.PodFailurePolicy");
    kept("backoffLimitPerIndex", "*int32");
    text_kept(spec.field("managedBy"), stored.field("managedBy"));
    kept("successPolicy", "*batch.SuccessPolicy");
}

fn text_kept<'t>(field: Field<'t>, old: Field<'t>) {
    if !field.is_set() && old.is_set() {
        field.invalid_as(BadValue::null(), "field is immutable");
    } else {
        field.check_immutable(old);
    }
}

/// Indexed Jobs may scale if parallelism follows.
fn completions_unchanged(spec: Field<'_>, stored: Field<'_>) {
    let (completions, old) = (spec.field("completions"), stored.field("completions"));
    if !is_indexed(spec) {
        completions.check_immutable_struct(old, "*int32");
    } else if completions.is_set()
        && !completions.same_as(old)
        && completions.int() != spec.field("parallelism").int()
    {
        completions.invalid("can only be modified in tandem with spec.parallelism");
    }
}
