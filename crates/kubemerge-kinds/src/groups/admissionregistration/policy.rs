//! What ValidatingAdmissionPolicy and MutatingAdmissionPolicy have in common.

use super::expression::{Params, Variables, WhenNone};
use super::match_condition::match_conditions;
use super::param::param_kind;
use super::rule::{FAILURE_POLICIES, default_match_resources, match_resources};
use crate::field::Field;
use crate::registry::Context;
use crate::tree::Map;
use kubemerge_cel::is_word_of_cel;

/// Defaults of a policy.
pub(super) fn defaults(policy: &mut Map<'_>, _: Context) {
    let spec = policy.ensure_map("spec");
    spec.set_if_absent("failurePolicy", "Fail");
    default_match_resources(spec, "matchConstraints");
}

/// Whether the match conditions of a changed policy are validated again.
pub(super) fn has_same_conditions(policy: Field<'_>, old: Field<'_>) -> bool {
    ["paramKind", "matchConditions"]
        .into_iter()
        .all(|name| policy.fields(["spec", name]).same_as(old.fields(["spec", name])))
}

/// Validates the part of a spec before what the policy does.
pub(super) fn matching(spec: Field<'_>) {
    let failure = spec.field("failurePolicy");
    if failure.is_set() {
        failure.one_of(&FAILURE_POLICIES);
    } else {
        failure.required("");
    }
    let (kind, constraints) = (spec.field("paramKind"), spec.field("matchConstraints"));
    if kind.is_set() {
        param_kind(kind);
    }
    if constraints.is_set() {
        match_resources(constraints);
        // Bindings may leave the rules out, a policy that matches nothing may not.
        constraints.field("resourceRules").require("");
    } else {
        constraints.required("");
    }
}

/// Whether the match conditions of a policy are validated. Those that were accepted once stay accepted, whatever a newer
/// compiler says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Conditions {
    Checked,
    Accepted,
}

impl Conditions {
    pub(super) fn validate(self, spec: Field<'_>) {
        if self == Conditions::Checked {
            match_conditions(spec.field("matchConditions"), Params::of(spec));
        }
    }
}

/// Validates `variables`; answers what expressions can use of them.
pub(super) fn variables(spec: Field<'_>, when_none: WhenNone) -> Variables {
    for variable in spec.field("variables").items() {
        let name = variable.field("name");
        if name.str().trim().is_empty() {
            name.required("name is not specified");
        } else if !is_identifier(name.str()) {
            name.invalid("must be a valid CEL identifier");
        }
    }
    // All names are checked before the first expression, which is the order of errors upstream.
    Variables::of(spec, when_none)
}

fn is_identifier(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    text.bytes().next().is_some_and(is_letter)
        && text.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit())
        && !is_word_of_cel(text)
}
