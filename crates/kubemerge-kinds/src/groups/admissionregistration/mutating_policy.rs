//! MutatingAdmissionPolicy.

use super::expression::{Params, WhenNone, check_trimmed};
use super::policy::{Conditions, defaults, has_same_conditions, matching, variables};
use super::reserved_name::reserved_name;
use super::rule::{REINVOCATION_POLICIES, mutating_operations};
use crate::columns::{AGE, Cell, KindColumn, NAME, control};
use crate::field::Field;
use crate::registry::{
    DecodeRules, GenerationRule, KindEntry, MetadataRule, OnUpdate, Permission, Presentation, Strategy,
    ValidationRules,
};
use kubemerge_cel::{CelType, Environment};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "MutatingAdmissionPolicy",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        generation: GenerationRule::Field("spec"),
        unconditional_update: Permission::Denied,
        ..Strategy::DEFAULT
    },
    validation: ValidationRules {
        metadata: MetadataRule::AnyFinalizers,
        object: |policy| validate(policy.field("spec"), Conditions::Checked),
        new_only: reserved_name,
        update: |policy, old| {
            let is_accepted = has_same_conditions(policy, old);
            let conditions = if is_accepted { Conditions::Accepted } else { Conditions::Checked };
            validate(policy.field("spec"), conditions);
        },
        on_update: OnUpdate::ValidateMetadata,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::integer("Mutations", Cell::Count("/spec/mutations")),
            KindColumn::string("ParamKind", Cell::Computed(control::param_kind)),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

/// Types of patches, and the field that holds each.
const PATCH_TYPES: [(&str, &str); 2] =
    [("ApplyConfiguration", "applyConfiguration"), ("JSONPatch", "jsonPatch")];

fn validate(spec: Field<'_>, conditions: Conditions) {
    matching(spec);
    mutating_operations(spec.field("matchConstraints"));
    conditions.validate(spec);
    // Upstream always defines `variables` here, unlike in validating policies.
    let variables = variables(spec, WhenNone::Empty);
    let environment = variables.extend(Params::of(spec).environment().with_authorizer().with_patch_types());
    let mutations = spec.field("mutations");
    mutations.require("mutations must contain at least one item");
    mutations.items().for_each(|one| mutation(one, &environment));
    let reinvocation = spec.field("reinvocationPolicy");
    if !reinvocation.require("") {
        reinvocation.one_of(&REINVOCATION_POLICIES);
    }
}

fn mutation(mutation: Field<'_>, environment: &Environment) {
    let patch_type = mutation.field("patchType");
    // Without a type there is no saying which field must be set.
    if patch_type.require("") || !patch_type.one_of(&PATCH_TYPES.map(|(name, _)| name)) {
        return;
    }
    for (name, field) in PATCH_TYPES {
        let patch = mutation.field(field);
        let is_chosen = name == patch_type.str();
        match (is_chosen, patch.is_set()) {
            (true, false) => patch.required(format!("must be specified when patchType is {name}")),
            (true, true) => {
                let expression = patch.field("expression");
                if expression.str().trim().is_empty() {
                    expression.required("");
                } else {
                    check_trimmed(expression, environment, &[patch_result(name)]);
                }
            }
            (false, true) => {
                let message = format!("must not be specified when patchType is {}", patch_type.str());
                // Upstream prints the name of the field in braces instead of a value.
                patch.invalid_as(format!("{{{field}}}").as_str(), message);
            }
            (false, false) => {}
        }
    }
}

/// What the expression of a patch must give.
fn patch_result(patch_type: &str) -> CelType {
    match patch_type {
        "JSONPatch" => CelType::list(CelType::named("JSONPatch")),
        _ => CelType::named("Object"),
    }
}
