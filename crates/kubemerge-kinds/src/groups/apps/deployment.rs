//! Deployment.

use super::annotation::{annotation, parse_error};
use super::rolling_update::{absent_is_zero, at_most_100_percent, int_or_percent, number};
use super::workload::{
    SELECTOR, at_most, collision_count, counters, prepare_template, replicated_template, template_defaults,
};
use crate::columns::{AGE, CONTAINERS, Cell, IMAGES, KindColumn, NAME, workload};
use crate::field::{BadValue, Field};
use crate::groups::core_v1::pod_spec::template_warnings;
use crate::registry::{
    Context, DecodeRules, GenerationRule, KindEntry, OnUpdate, Presentation, Strategy, SubresourceRules,
    ValidationRules,
};
use crate::tree::Map;

/// A field of a removed version that lives on as an annotation.
const ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";

pub(super) const KIND: KindEntry = KindEntry {
    kind: "Deployment",
    decode: DecodeRules {
        defaults,
        refuse_conversion: |deployment| {
            let text = annotation(deployment, ROLLBACK_TO).filter(|text| !text.is_empty())?;
            let error = parse_error(text)?;
            Some(format!("failed to parse annotation[{ROLLBACK_TO}]={text} as int64: {error}"))
        },
        ..DecodeRules::DEFAULT
    },
    strategy: Strategy {
        // Annotations are copied to ReplicaSets, so that they count too.
        generation: GenerationRule::SpecOrAnnotations,
        prepare_create: prepare_template,
        prepare_update: |deployment, _, context| prepare_template(deployment, context),
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        object: validate,
        update: |deployment, old| {
            let selector = deployment.fields(["spec", "selector"]);
            selector.check_immutable_struct(old.fields(["spec", "selector"]), SELECTOR);
        },
        on_update: OnUpdate::ValidateObject,
        warnings: template_warnings,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        resets: &[&["metadata", "labels"], &["spec"]],
        prepare_update: |deployment, old, _| keep_rollback(deployment, old),
        validate_update: |deployment, old| {
            status(deployment.field("status"));
            collision_count(deployment.field("status"), old.field("status"));
        },
        ..SubresourceRules::STATUS
    }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Ready", Cell::Computed(workload::ready_replicas)),
            KindColumn::string("Up-to-date", Cell::Number("/status/updatedReplicas")),
            KindColumn::string("Available", Cell::Number("/status/availableReplicas")),
            AGE,
            CONTAINERS,
            IMAGES,
            KindColumn::string("Selector", Cell::Computed(workload::selector_or_nothing)).wide(),
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

fn defaults(deployment: &mut Map<'_>, context: Context) {
    template_defaults(deployment, context);
    let spec = deployment.ensure_map("spec");
    spec.set_if_absent("replicas", 1);
    spec.set_if_absent("revisionHistoryLimit", 10);
    spec.set_if_absent("progressDeadlineSeconds", 600);
    let strategy = spec.ensure_map("strategy");
    strategy.set_default("type", "RollingUpdate");
    if strategy.str("type") == "RollingUpdate" {
        let update = strategy.ensure_map("rollingUpdate");
        update.set_if_absent("maxUnavailable", "25%");
        update.set_if_absent("maxSurge", "25%");
    }
    absent_is_zero(strategy);
    rollback_annotation(deployment);
}

/// The annotation is read into a number and written again; an empty one is dropped.
fn rollback_annotation(deployment: &mut Map<'_>) {
    let Some(metadata) = deployment.map_mut("metadata") else { return };
    let Some(annotations) = metadata.map_mut("annotations") else { return };
    match annotations.str(ROLLBACK_TO) {
        "" => {
            annotations.remove(ROLLBACK_TO);
        }
        text => {
            if let Ok(revision) = text.parse::<i64>() {
                annotations.set_text(ROLLBACK_TO, &revision.to_string());
            }
        }
    }
    if annotations.is_empty() {
        metadata.remove("annotations");
    }
}

/// The annotation is a field of the spec, which status does not change.
fn keep_rollback(deployment: &mut Map<'_>, old: &Map<'_>) {
    let metadata = deployment.ensure_map("metadata");
    if let Some(revision) = annotation(old, ROLLBACK_TO) {
        metadata.ensure_map("annotations").set_text(ROLLBACK_TO, revision);
    } else if let Some(annotations) = metadata.map_mut("annotations") {
        annotations.remove(ROLLBACK_TO);
        if annotations.is_empty() {
            metadata.remove("annotations");
        }
    }
}

fn validate(deployment: Field<'_>) {
    let spec = deployment.field("spec");
    spec.field("replicas").check_not_negative();
    replicated_template(spec);
    strategy(spec.field("strategy"));
    counters(spec, &["minReadySeconds", "revisionHistoryLimit"]);
    let rollback = deployment.fields(["metadata", "annotations"]).key(ROLLBACK_TO);
    if let Some(revision) = rollback.str().parse::<i64>().ok().filter(|revision| *revision < 0) {
        // Upstream: a path that has never been a field.
        spec.fields(["rollback", "version"]).invalid_as(revision, "must be greater than or equal to 0");
    }
    let deadline = spec.field("progressDeadlineSeconds");
    deadline.check_not_negative();
    // A pod counts as progress only once it was ready for so long.
    if deadline.is_set() && deadline.int() <= spec.field("minReadySeconds").int() {
        deadline.invalid("must be greater than minReadySeconds");
    }
}

fn strategy(strategy: Field<'_>) {
    let update = strategy.field("rollingUpdate");
    match strategy.field("type").str() {
        "Recreate" if update.is_set() => {
            update.forbidden("may not be specified when strategy `type` is 'Recreate'");
        }
        "Recreate" => {}
        "RollingUpdate" => rolling_update(update),
        _ => {
            let value = BadValue::internal("apps.DeploymentStrategy", strategy);
            strategy.not_supported_as(value, &["Recreate", "RollingUpdate"]);
        }
    }
}

fn rolling_update(update: Field<'_>) {
    let (unavailable, surge) = (update.field("maxUnavailable"), update.field("maxSurge"));
    int_or_percent(unavailable);
    int_or_percent(surge);
    if number(unavailable) == 0 && number(surge) == 0 {
        unavailable.invalid("may not be 0 when `maxSurge` is 0");
    }
    // More than all pods can be added, but not taken away.
    at_most_100_percent(unavailable);
}

fn status(status: Field<'_>) {
    counters(
        status,
        &[
            "observedGeneration",
            "replicas",
            "updatedReplicas",
            "readyReplicas",
            "availableReplicas",
            "unavailableReplicas",
            "terminatingReplicas",
            "collisionCount",
        ],
    );
    let counted = &["updatedReplicas", "readyReplicas", "availableReplicas"];
    at_most(status, counted, "replicas", "cannot be greater than status.replicas");
    at_most(status, &["availableReplicas"], "readyReplicas", "cannot be greater than readyReplicas");
}
