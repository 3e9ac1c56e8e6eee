//! What both versions of HorizontalPodAutoscaler share.

use super::reference::{ApiVersion, object_reference};
use crate::columns::{AGE, Cell, KindColumn, NAME, autoscaler};
use crate::field::Field;
use crate::registry::{Coverage, GenerationRule, KindEntry, Presentation, Strategy, SubresourceRules};

/// What all versions have in common, without rules. Of older versions nothing else is known.
pub(super) const OLDER: KindEntry = KindEntry {
    kind: "HorizontalPodAutoscaler",
    versions: &["v2beta1", "v2beta2"],
    coverage: Coverage::TypedForm,
    strategy: Strategy { generation: GenerationRule::Field("spec"), ..Strategy::WITH_STATUS },
    subresources: &[SubresourceRules::STATUS],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Reference", Cell::Computed(autoscaler::target)),
            KindColumn::string("Targets", Cell::Computed(autoscaler::metrics)),
            KindColumn::string("MinPods", Cell::Computed(autoscaler::min_pods)),
            KindColumn::string("MaxPods", Cell::Number("/spec/maxReplicas")),
            KindColumn::string("Replicas", Cell::Number("/status/currentReplicas")),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

/// From this minor version on, autoscalers may scale to zero.
pub(super) const SCALE_TO_ZERO_SINCE: u32 = 37;

/// Validates the number of replicas and the target; an update is checked against the stored spec.
pub(super) fn replicas_and_target<'t>(spec: Field<'t>, old: Option<Field<'t>>) {
    let (least, most) = (spec.field("minReplicas"), spec.field("maxReplicas"));
    let was_zero = old.is_some_and(|old| old.field("minReplicas").opt_int() == Some(0));
    // An autoscaler that was at zero stays valid when the version does not allow it.
    let bound = i64::from(!(spec.since(SCALE_TO_ZERO_SINCE) || was_zero));
    if least.is_set() && least.int() < bound {
        least.declared().invalid(format!("must be greater than or equal to {bound}"));
    }
    match most.int() {
        // Zero is what Go reads for a missing number.
        0 => most.declared().required(""),
        ..0 => most.declared().invalid("must be greater than or equal to 1"),
        _ => {}
    }
    if least.is_set() && most.int() < least.int() {
        most.invalid_as(most.int(), "must be greater than or equal to `minReplicas`");
    }
    let target = spec.field("scaleTargetRef");
    object_reference(target, version_rule(target, old.map(|old| old.field("scaleTargetRef"))));
}

fn version_rule(target: Field<'_>, old: Option<Field<'_>>) -> ApiVersion {
    let is_unchanged = old.is_some_and(|old| {
        ["apiVersion", "kind"].into_iter().all(|name| old.field(name).str() == target.field(name).str())
    });
    match target.field("kind").str() {
        _ if is_unchanged => ApiVersion::Unchecked,
        // The one target in the core group, which has no name.
        "ReplicationController" => ApiVersion::Any,
        _ => ApiVersion::WithGroup,
    }
}

/// Validates an updated status.
pub(super) fn status(status: Field<'_>) {
    for condition in status.field("conditions").items() {
        condition.field("observedGeneration").check_not_negative();
    }
    for name in ["currentReplicas", "desiredReplicas"] {
        status.field(name).check_not_negative();
    }
}
