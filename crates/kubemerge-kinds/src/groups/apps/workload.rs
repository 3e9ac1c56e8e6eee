//! What the workloads of this group share: selectors, templates and the counters of their status.

use crate::field::Field;
use crate::groups::core_v1::pod_template;
use crate::meta::{Selector, is_empty_selector, label_selector, selector_matches};
use crate::registry::Context;
use crate::tree::Map;

/// How selectors print.
pub(super) const SELECTOR: &str = "*metav1.LabelSelector";

/// The template of a workload, to change it.
pub(super) fn template_mut<'m, 'a>(object: &'m mut Map<'a>) -> Option<&'m mut Map<'a>> {
    object.map_mut("spec").and_then(|spec| spec.map_mut("template"))
}

/// Defaults of `spec.template`.
pub(super) fn template_defaults(object: &mut Map<'_>, context: Context) {
    if let Some(template) = template_mut(object) {
        pod_template::defaults(template, context);
    }
}

/// Prepares `spec.template` for create and update.
pub(super) fn prepare_template(object: &mut Map<'_>, context: Context) {
    if let Some(template) = template_mut(object) {
        pod_template::prepare(template, context);
    }
}

/// The messages about a selector that differ by kind.
pub(super) struct SelectorTexts {
    pub(super) empty: &'static str,
    pub(super) invalid: &'static str,
}

/// Validates a selector that must be given; returns whether it can be matched against labels.
pub(super) fn required_selector(selector: Field<'_>, texts: &SelectorTexts) -> bool {
    let errors = selector.errors_so_far();
    label_selector(selector, Selector::Strict);
    let is_valid = selector.errors_so_far() == errors;
    if !selector.is_set() {
        selector.required("");
    } else if is_empty_selector(selector) {
        selector.invalid_struct(SELECTOR, texts.empty);
    }
    // Upstream reports an invalid selector again as a whole.
    if !is_valid {
        selector.invalid_struct(SELECTOR, texts.invalid);
    }
    is_valid
}

/// The selector selects the pods of the template. No selector selects nothing, an empty one everything.
pub(super) fn matches_template(selector: Field<'_>, template: Field<'_>) {
    let labels = template.fields(["metadata", "labels"]);
    if !selector.is_set() || !selector_matches(selector, labels) {
        labels.invalid_struct("map[string]string", "`selector` does not match template `labels`");
    }
}

/// Pods of these workloads run until they are deleted.
pub(super) fn runs_forever(template: Field<'_>, kind: &str) {
    let policy = template.fields(["spec", "restartPolicy"]);
    if policy.str() != "Always" {
        policy.not_supported(&["Always"]);
    }
    let deadline = template.fields(["spec", "activeDeadlineSeconds"]);
    if deadline.is_set() {
        deadline.forbidden(format!("activeDeadlineSeconds in {kind} is not Supported"));
    }
}

/// Selector and template of Deployments and ReplicaSets; the messages name deployments and ReplicaSets for both.
pub(super) fn replicated_template(spec: Field<'_>) {
    let texts = SelectorTexts {
        empty: "empty selector is invalid for deployment",
        invalid: "invalid label selector",
    };
    let (selector, template) = (spec.field("selector"), spec.field("template"));
    if required_selector(selector, &texts) {
        matches_template(selector, template);
        pod_template::validate(template);
        runs_forever(template, "ReplicaSet");
    }
}

/// Counters are not negative.
pub(super) fn counters(owner: Field<'_>, names: &'static [&'static str]) {
    names.iter().for_each(|name| owner.field(name).check_not_negative());
}

/// Some counters are not above another one.
pub(super) fn at_most(
    status: Field<'_>,
    names: &'static [&'static str],
    limit: &'static str,
    message: &'static str,
) {
    for counter in names.iter().map(|name| status.field(name)) {
        if counter.int() > status.field(limit).int() {
            counter.invalid_as(counter.int(), message);
        }
    }
}

/// Collisions of names are counted up only.
pub(super) fn collision_count(status: Field<'_>, old: Field<'_>) {
    let (count, old) = (status.field("collisionCount"), old.field("collisionCount"));
    let is_decremented = match (count.opt_int(), old.opt_int()) {
        (Some(count), Some(old)) => count < old,
        (None, Some(_)) => true,
        _ => false,
    };
    if is_decremented {
        count.invalid_as(count.int(), "cannot be decremented");
    }
}
