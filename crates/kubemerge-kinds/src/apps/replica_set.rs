//! ReplicaSet.

use super::workload::{
    SELECTOR, at_most, counters, prepare_template, replicated_template, template_defaults,
};
use crate::field::Field;
use crate::registry::{Generation, OnUpdate, Rules, SubresourceRules};

pub(super) const RULES: Rules = Rules {
    kind: "ReplicaSet",
    defaults: |set, context| {
        template_defaults(set, context);
        set.ensure_map("spec").set_if_absent("replicas", 1);
    },
    generation: Generation::Spec,
    prepare_create: prepare_template,
    prepare_update: |set, _, context| prepare_template(set, context),
    validate,
    validate_update: |set, old| {
        let selector = set.fields(["spec", "selector"]);
        selector.check_immutable_struct(old.fields(["spec", "selector"]), SELECTOR);
    },
    on_update: OnUpdate::ValidateObject,
    subresources: &[SubresourceRules {
        validate_update: |set, _| status(set.field("status")),
        ..SubresourceRules::DEFAULT
    }],
    ..Rules::NAMESPACED
};

fn validate(set: Field<'_>) {
    let spec = set.field("spec");
    counters(spec, &["replicas", "minReadySeconds"]);
    replicated_template(spec);
}

fn status(status: Field<'_>) {
    counters(
        status,
        &[
            "replicas",
            "fullyLabeledReplicas",
            "readyReplicas",
            "availableReplicas",
            "observedGeneration",
            "terminatingReplicas",
        ],
    );
    let counted = &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
    at_most(status, counted, "replicas", "cannot be greater than status.replicas");
    at_most(status, &["availableReplicas"], "readyReplicas", "cannot be greater than readyReplicas");
}
