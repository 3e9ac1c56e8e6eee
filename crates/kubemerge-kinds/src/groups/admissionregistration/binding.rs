//! ValidatingAdmissionPolicyBinding and MutatingAdmissionPolicyBinding.

use std::collections::BTreeSet;

use super::param::param_ref;
use super::reserved_name::reserved_name;
use super::rule::{default_match_resources, match_resources, mutating_operations};
use crate::columns::{AGE, Cell, KindColumn, NAME, control};
use crate::field::Field;
use crate::format::dns1123_subdomain;
use crate::registry::{
    DecodeRules, GenerationRule, KindEntry, MetadataRule, Permission, Presentation, Strategy, ValidationRules,
};

pub(super) const VALIDATING: KindEntry = KindEntry {
    kind: "ValidatingAdmissionPolicyBinding",
    decode: DecodeRules {
        defaults: |binding, _| default_match_resources(binding.ensure_map("spec"), "matchResources"),
        ..DecodeRules::DEFAULT
    },
    strategy: Strategy {
        generation: GenerationRule::Field("spec"),
        unconditional_update: Permission::Denied,
        ..Strategy::DEFAULT
    },
    validation: ValidationRules {
        metadata: MetadataRule::AnyFinalizers,
        object: |binding| {
            spec(binding.field("spec"), binding.fields(["spec", "policyName"]).declared());
            actions(binding.fields(["spec", "validationActions"]));
        },
        new_only: reserved_name,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("PolicyName", Cell::Text("/spec/policyName")),
            KindColumn::string("ParamRef", Cell::Computed(control::param_ref)),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

pub(super) const MUTATING: KindEntry = KindEntry {
    kind: "MutatingAdmissionPolicyBinding",
    validation: ValidationRules {
        object: |binding| {
            spec(binding.field("spec"), binding.fields(["spec", "policyName"]));
            // What a mutation does follows from the policy, so that there are no actions to choose from.
            mutating_operations(binding.fields(["spec", "matchResources"]));
        },
        ..VALIDATING.validation
    },
    ..VALIDATING
};

const ACTIONS: [&str; 3] = ["Audit", "Deny", "Warn"];

/// `policy_required` is the name of the policy as the rule that requires it reports it.
fn spec<'t>(spec: Field<'t>, policy_required: Field<'t>) {
    let policy = spec.field("policyName");
    if !policy_required.require("") {
        policy.check(dns1123_subdomain);
    }
    param_ref(spec.field("paramRef"));
    let resources = spec.field("matchResources");
    if resources.is_set() {
        match_resources(resources);
    }
}

fn actions(actions: Field<'_>) {
    let mut seen = BTreeSet::new();
    for action in actions.items() {
        action.one_of(&ACTIONS);
        if !seen.insert(action.str()) {
            action.duplicate();
        }
    }
    if seen.contains("Deny") && seen.contains("Warn") {
        actions.invalid(
            "must not contain both Deny and Warn (repeating the same validation failure information in the API \
             response and headers serves no purpose)",
        );
    }
    if seen.is_empty() {
        actions.declared().required("");
    }
}
