//! PodDisruptionBudget.

use crate::columns::{AGE, Cell, KindColumn, NAME, workload};
use crate::field::{Field, Report};
use crate::groups::apps::rolling_update::{at_most_100_percent, int_or_percent};
use crate::meta::{Selector, conditions, label_selector};
use crate::registry::{
    Counted, GenerationRule, KindEntry, MetadataRule, OnUpdate, Permission, Presentation, Strategy,
    SubresourceRules, ValidationRules,
};
use crate::tree::{Map, Value, both_or_neither};

/// A label that told version v1beta1 from v1 selectors; conversion alone may use it.
const VERSION_LABEL: &str = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";

pub(super) const KIND: KindEntry = KindEntry {
    kind: "PodDisruptionBudget",
    strategy: Strategy {
        generation: GenerationRule::Field("spec"),
        // Upstream counts before it drops the label.
        counted: Counted::Sent,
        unconditional_update: Permission::Denied,
        prepare_create: |budget, _| strip_version_label(budget),
        prepare_update: |budget, old, _| {
            // A selector that was converted from v1beta1 keeps its label until someone changes it.
            if !both_or_neither(selector(budget), selector(old), Value::same_in_go) {
                strip_version_label(budget);
            }
        },
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        metadata: MetadataRule::Generic,
        object: |budget| validate(budget.field("spec"), Selector::Strict),
        update: |budget, old| {
            let stored = old.fields(["spec", "selector"]);
            // Selectors stored before values were checked stay valid.
            let rule = if is_strict(stored) { Selector::Strict } else { Selector::AnyValues };
            validate(budget.field("spec"), rule);
        },
        on_update: OnUpdate::ValidateChanges,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        validate_update: |budget, _| status(budget.field("status")),
        ..SubresourceRules::STATUS
    }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Min Available", Cell::Computed(workload::min_available)),
            KindColumn::string("Max Unavailable", Cell::Computed(workload::max_unavailable)),
            KindColumn::integer("Allowed Disruptions", Cell::Number("/status/disruptionsAllowed")),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

fn selector<'m, 'a>(budget: &'m Map<'a>) -> Option<&'m Value<'a>> {
    budget.map("spec").and_then(|spec| spec.get("selector"))
}

/// Drops the label from selectors, except from the one that selects none.
fn strip_version_label(budget: &mut Map<'_>) {
    let Some(spec) = budget.map_mut("spec") else { return };
    let Some(selector) = spec.map_mut("selector") else { return };
    let has_label = |value: &Value<'_>| value.as_map().is_some_and(|map| map.str("key") == VERSION_LABEL);
    let selects_none = match selector.list("matchExpressions") {
        [one] => {
            let is_exists = one.as_map().is_some_and(|map| map.str("operator") == "Exists" && map.len() == 2);
            has_label(one) && is_exists && !selector.has("matchLabels")
        }
        _ => false,
    };
    if selects_none {
        return;
    }
    let Some(expressions) = selector.list_mut("matchExpressions") else { return };
    expressions.retain(|expression| !has_label(expression));
    if expressions.is_empty() {
        selector.remove("matchExpressions");
    }
}

/// Whether a stored selector obeys today's rules.
fn is_strict(selector: Field<'_>) -> bool {
    let report = Report::new(selector.minor());
    if let Some(map) = selector.map() {
        label_selector(Field::root(map, &report), Selector::Strict);
    }
    report.into_errors().is_empty()
}

fn validate(spec: Field<'_>, rule: Selector) {
    let limits = [spec.field("minAvailable"), spec.field("maxUnavailable")];
    if limits.iter().all(|limit| limit.is_set()) {
        let message = "minAvailable and maxUnavailable cannot be both set";
        spec.invalid_struct("policy.PodDisruptionBudgetSpec", message);
    }
    for limit in limits {
        int_or_percent(limit);
        at_most_100_percent(limit);
    }
    label_selector(spec.field("selector"), rule);
    let policy = spec.field("unhealthyPodEvictionPolicy");
    if policy.is_set() {
        policy.one_of(&["AlwaysAllow", "IfHealthyBudget"]);
    }
}

fn status(status: Field<'_>) {
    conditions(status.field("conditions"));
    for name in ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] {
        status.field(name).check_not_negative();
    }
}
