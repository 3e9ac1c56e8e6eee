//! ReplicaSet.

use super::workload::{
    SELECTOR, at_most, counters, prepare_template, replicated_template, template_defaults,
};
use crate::columns::workload;
use crate::field::Field;
use crate::groups::core_v1::pod_spec::template_warnings;
use crate::registry::{
    DecodeRules, GenerationRule, KindEntry, OnUpdate, Presentation, Strategy, SubresourceRules,
    ValidationRules,
};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "ReplicaSet",
    decode: DecodeRules {
        defaults: |set, context| {
            template_defaults(set, context);
            set.ensure_map("spec").set_if_absent("replicas", 1);
        },
        ..DecodeRules::DEFAULT
    },
    strategy: Strategy {
        generation: GenerationRule::Field("spec"),
        prepare_create: prepare_template,
        prepare_update: |set, _, context| prepare_template(set, context),
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        object: validate,
        update: |set, old| {
            let selector = set.fields(["spec", "selector"]);
            selector.check_immutable_struct(old.fields(["spec", "selector"]), SELECTOR);
        },
        on_update: OnUpdate::ValidateObject,
        warnings: template_warnings,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        validate_update: |set, _| status(set.field("status")),
        ..SubresourceRules::STATUS
    }],
    presentation: Presentation { columns: workload::REPLICA_COLUMNS, ..Presentation::DEFAULT },
    ..KindEntry::NAMESPACED
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
