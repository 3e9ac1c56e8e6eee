//! HorizontalPodAutoscaler in version v2.

use super::autoscaler::{OLDER, replicas_and_target, status};
use super::behavior;
use super::metrics::metric;
use super::reference::{ApiVersion, version_problem};
use crate::field::Field;
use crate::registry::{Context, DecodeRules, KindEntry, OnUpdate, SubresourceRules, ValidationRules};
use crate::tree::{List, Map};

const DEFAULT_CPU_UTILIZATION: i64 = 80;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "HorizontalPodAutoscaler",
    versions: &["v2"],
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: OLDER.strategy,
    validation: ValidationRules {
        object: |autoscaler| validate(autoscaler.field("spec"), None),
        update: |autoscaler, old| validate(autoscaler.field("spec"), Some(old.field("spec"))),
        on_update: OnUpdate::ValidateChanges,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        validate_update: |autoscaler, _| status(autoscaler.field("status")),
        ..SubresourceRules::STATUS
    }],
    presentation: OLDER.presentation,
    ..KindEntry::NAMESPACED
};

fn defaults(autoscaler: &mut Map<'_>, _: Context) {
    let spec = autoscaler.ensure_map("spec");
    spec.set_if_absent("minReplicas", 1);
    if spec.list("metrics").is_empty() {
        let mut metrics = List::new_in(spec.arena());
        metrics.push(default_metric(spec));
        spec.set("metrics", metrics);
    }
    if let Some(behavior) = spec.map_mut("behavior") {
        behavior::defaults(behavior);
    }
}

fn default_metric<'a>(spec: &Map<'a>) -> Map<'a> {
    let mut metric = Map::new_in(spec.arena());
    metric.set("type", "Resource");
    let resource = metric.ensure_map("resource");
    resource.set("name", "cpu");
    let target = resource.ensure_map("target");
    target.set("type", "Utilization");
    target.set("averageUtilization", DEFAULT_CPU_UTILIZATION);
    metric
}

fn validate<'t>(spec: Field<'t>, old: Option<Field<'t>>) {
    replicas_and_target(spec, old);
    let rule = described_objects(old);
    let metrics = spec.field("metrics");
    metrics.items().for_each(|one| metric(one, rule));
    // Without pods, only metrics from elsewhere can tell that some are needed.
    let has_outside_metric =
        metrics.items().any(|metric| matches!(metric.field("type").str(), "Object" | "External"));
    if spec.field("minReplicas").opt_int() == Some(0) && !has_outside_metric {
        metrics.forbidden(
            "must specify at least one Object or External metric to support scaling to zero replicas",
        );
    }
    behavior::behavior(spec.field("behavior"));
}

/// If one stored version is invalid, none is checked.
fn described_objects(old: Option<Field<'_>>) -> ApiVersion {
    let is_invalid = old.is_some_and(|old| {
        old.field("metrics").items().any(|metric| {
            let object = metric.field("object");
            let version = object.fields(["describedObject", "apiVersion"]).str();
            metric.field("type").str() == "Object"
                && object.is_set()
                && version_problem(version, ApiVersion::Any).is_some()
        })
    });
    if is_invalid { ApiVersion::Unchecked } else { ApiVersion::Any }
}
