//! DaemonSet.

use super::annotation::{annotation, parse_error};
use super::rolling_update::{absent_is_zero, at_most_100_percent, int_or_percent, number};
use super::workload::{
    SELECTOR, collision_count, counters, matches_template, prepare_template, runs_forever, template_defaults,
};
use crate::columns::{AGE, CONTAINERS, Cell, IMAGES, KindColumn, NAME, POD_SELECTOR, workload};
use crate::field::{BadValue, Field};
use crate::groups::core_v1::pod_spec::template_warnings;
use crate::groups::core_v1::pod_template;
use crate::meta::{Selector, is_empty_selector, label_selector};
use crate::registry::{
    Context, DecodeRules, GenerationRule, KindEntry, OnUpdate, Presentation, Strategy, SubresourceRules,
    ValidationRules,
};
use crate::tree::{Map, both_or_neither};

/// Counts changes of the template; a field of a removed version that lives on as an annotation.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

pub(super) const KIND: KindEntry = KindEntry {
    kind: "DaemonSet",
    decode: DecodeRules {
        defaults,
        refuse_conversion: |set| annotation(set, TEMPLATE_GENERATION).and_then(parse_error),
        track: Some(|set| set_template_generation(set, template_generation(set))),
    },
    strategy: Strategy {
        generation: GenerationRule::Field("spec"),
        prepare_create: |set, context| {
            prepare_template(set, context);
            // Clients may restore an object with its count.
            let generation = template_generation(set).max(1);
            set_template_generation(set, generation);
        },
        prepare_update: |set, old, context| {
            prepare_template(set, context);
            let is_changed = !both_or_neither(template(set), template(old), Map::same_in_go);
            let generation = template_generation(old).saturating_add(i64::from(is_changed));
            set_template_generation(set, generation);
        },
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        object: validate,
        update: |set, old| {
            let selector = set.fields(["spec", "selector"]);
            selector.check_immutable_struct(old.fields(["spec", "selector"]), SELECTOR);
            validate(set);
        },
        on_update: OnUpdate::ValidateChanges,
        warnings: template_warnings,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        // In Kubernetes it is a field of the spec, which status does not change.
        prepare_update: |set, old, _| set_template_generation(set, template_generation(old)),
        validate_update: |set, old| {
            status(set.field("status"));
            collision_count(set.field("status"), old.field("status"));
        },
        ..SubresourceRules::STATUS
    }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::integer("Desired", Cell::Number("/status/desiredNumberScheduled")),
            KindColumn::integer("Current", Cell::Number("/status/currentNumberScheduled")),
            KindColumn::integer("Ready", Cell::Number("/status/numberReady")),
            KindColumn::integer("Up-to-date", Cell::Number("/status/updatedNumberScheduled")),
            KindColumn::integer("Available", Cell::Number("/status/numberAvailable")),
            KindColumn::string("Node Selector", Cell::Computed(workload::node_selector)),
            AGE,
            CONTAINERS,
            IMAGES,
            POD_SELECTOR,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

fn template<'m, 'a>(set: &'m Map<'a>) -> Option<&'m Map<'a>> {
    set.map("spec").and_then(|spec| spec.map("template"))
}

fn template_generation(set: &Map<'_>) -> i64 {
    annotation(set, TEMPLATE_GENERATION).and_then(|text| text.parse().ok()).unwrap_or_default()
}

fn set_template_generation(set: &mut Map<'_>, generation: i64) {
    let annotations = set.ensure_map("metadata").ensure_map("annotations");
    annotations.set_text(TEMPLATE_GENERATION, &generation.to_string());
}

fn defaults(set: &mut Map<'_>, context: Context) {
    template_defaults(set, context);
    let spec = set.ensure_map("spec");
    spec.set_if_absent("revisionHistoryLimit", 10);
    let strategy = spec.ensure_map("updateStrategy");
    strategy.set_default("type", "RollingUpdate");
    if strategy.str("type") == "RollingUpdate" {
        let update = strategy.ensure_map("rollingUpdate");
        update.set_if_absent("maxUnavailable", 1);
        update.set_if_absent("maxSurge", 0);
    }
    absent_is_zero(strategy);
}

fn validate(set: Field<'_>) {
    let spec = set.field("spec");
    selector(spec);
    let template = spec.field("template");
    pod_template::validate(template);
    runs_forever(template, "DaemonSet");
    spec.field("minReadySeconds").check_not_negative();
    update_strategy(spec.field("updateStrategy"));
    spec.field("revisionHistoryLimit").check_not_negative();
}

fn selector(spec: Field<'_>) {
    let selector = spec.field("selector");
    let errors = selector.errors_so_far();
    label_selector(selector, Selector::Strict);
    // A malformed selector matches nothing, which is not worth a second error.
    if selector.errors_so_far() == errors {
        matches_template(selector, spec.field("template"));
    }
    if selector.is_set() && is_empty_selector(selector) {
        selector.invalid_struct(SELECTOR, "empty selector is invalid for daemonset");
    }
}

fn update_strategy(strategy: Field<'_>) {
    match strategy.field("type").str() {
        "OnDelete" => {}
        "RollingUpdate" => rolling_update(strategy.field("rollingUpdate")),
        _ => {
            let value = BadValue::internal("apps.DaemonSetUpdateStrategy", strategy);
            strategy.not_supported_as(value, &["RollingUpdate", "OnDelete"]);
        }
    }
}

fn rolling_update(update: Field<'_>) {
    let (unavailable, surge) = (update.field("maxUnavailable"), update.field("maxSurge"));
    for field in [unavailable, surge] {
        int_or_percent(field);
        at_most_100_percent(field);
    }
    match (number(unavailable), number(surge)) {
        (0, 0) => unavailable.required("cannot be 0 when maxSurge is 0"),
        // Nodes are updated either by a second pod beside the old one or after it is gone, never both.
        (0, _) | (_, 0) => {}
        _ => surge.invalid("may not be set when maxUnavailable is non-zero"),
    }
}

fn status(status: Field<'_>) {
    counters(
        status,
        &[
            "currentNumberScheduled",
            "numberMisscheduled",
            "desiredNumberScheduled",
            "numberReady",
            "observedGeneration",
            "updatedNumberScheduled",
            "numberAvailable",
            "numberUnavailable",
            "collisionCount",
        ],
    );
}
