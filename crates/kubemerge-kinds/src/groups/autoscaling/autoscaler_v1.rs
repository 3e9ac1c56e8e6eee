//! HorizontalPodAutoscaler in version v1: one metric, the utilization of CPUs.
//!
//! What only version v2 can say is in annotations here, see [`super::conversion`]. Metrics and behavior in them are
//! not validated.

use super::autoscaler::{OLDER, replicas_and_target, status};
use super::conversion::{self, CURRENT_METRICS, DEFAULT_CPU_UTILIZATION, METRICS};
use crate::field::Field;
use crate::registry::{
    Context, DecodeRules, KindEntry, OnUpdate, Strategy, SubresourceRules, ValidationRules,
};
use crate::tree::{Map, Value};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "HorizontalPodAutoscaler",
    versions: &["v1"],
    conversion: Some(conversion::V1),
    decode: DecodeRules { defaults, track: Some(annotate_current_metrics), ..DecodeRules::DEFAULT },
    strategy: Strategy {
        prepare_update: |autoscaler, _, _| annotate_current_metrics(autoscaler),
        ..OLDER.strategy
    },
    validation: ValidationRules {
        object: |autoscaler| validate(autoscaler.field("spec"), None),
        update: |autoscaler, old| validate(autoscaler.field("spec"), Some(old.field("spec"))),
        on_update: OnUpdate::ValidateChanges,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        prepare_update: |autoscaler, _, _| annotate_current_metrics(autoscaler),
        validate_update: |autoscaler, _| status(autoscaler.field("status")),
        ..SubresourceRules::STATUS
    }],
    presentation: OLDER.presentation,
    ..KindEntry::NAMESPACED
};

fn defaults(autoscaler: &mut Map<'_>, _: Context) {
    let spec = autoscaler.ensure_map("spec");
    spec.set_if_absent("minReplicas", 1);
    if !has_other_metrics(autoscaler) {
        let spec = autoscaler.ensure_map("spec");
        spec.set_if_absent("targetCPUUtilizationPercentage", DEFAULT_CPU_UTILIZATION);
    }
}

/// Whether an annotation has metrics of version v2.
fn has_other_metrics(autoscaler: &Map<'_>) -> bool {
    let annotations = autoscaler.map("metadata").and_then(|metadata| metadata.map("annotations"));
    let text = annotations.map(|annotations| annotations.str(METRICS)).unwrap_or_default();
    let metrics = conversion::read_annotation(autoscaler.arena(), text);
    let metrics = metrics.as_ref().and_then(Value::as_list).filter(|metrics| !metrics.is_empty());
    metrics.is_some_and(|metrics| metrics.maps().count() == metrics.len())
}

/// The current utilization is a metric of version v2, and all of those are written to an annotation.
fn annotate_current_metrics(autoscaler: &mut Map<'_>) {
    let status = autoscaler.map("status");
    let Some(utilization) = status.and_then(|status| status.int("currentCPUUtilizationPercentage")) else {
        return;
    };
    let metrics = format!(
        r#"[{{"type":"Resource","resource":{{"name":"cpu","currentAverageUtilization":{utilization},"currentAverageValue":"0"}}}}]"#
    );
    let annotations = autoscaler.ensure_map("metadata").ensure_map("annotations");
    annotations.set_text(CURRENT_METRICS, &metrics);
}

fn validate<'t>(spec: Field<'t>, old: Option<Field<'t>>) {
    replicas_and_target(spec, old);
    let metrics = spec.field("metrics");
    if spec.field("minReplicas").opt_int() == Some(0) {
        // Version v1 only knows metrics of cpu, which pods that are gone do not have.
        metrics.forbidden(
            "must specify at least one Object or External metric to support scaling to zero replicas",
        );
    }
    let utilization = spec.field("targetCPUUtilizationPercentage");
    if utilization.is_set() && utilization.int() < 1 {
        // Version v2, which is validated, has it as a metric.
        let place = metrics.index(0).fields(["resource", "target", "averageUtilization"]);
        utilization.reported_at(place).invalid("must be greater than 0");
    }
}
