//! ValidatingAdmissionPolicy.

use std::collections::BTreeSet;

use super::expression::{Params, WhenNone, check};
use super::policy::{Conditions, defaults, has_same_conditions, matching, variables};
use super::reserved_name::reserved_name;
use crate::columns::{AGE, Cell, KindColumn, NAME, control};
use crate::field::Field;
use crate::format::qualified_name;
use crate::meta;
use crate::registry::{
    DecodeRules, GenerationRule, KindEntry, MetadataRule, OnUpdate, Permission, Presentation, Strategy,
    SubresourceRules, ValidationRules,
};
use kubemerge_cel::{CelType, Environment, problem};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "ValidatingAdmissionPolicy",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        generation: GenerationRule::Field("spec"),
        unconditional_update: Permission::Denied,
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        metadata: MetadataRule::AnyFinalizers,
        object: |policy| validate(policy, Conditions::Checked),
        new_only: reserved_name,
        update: |policy, old| {
            let is_accepted = has_same_conditions(policy, old);
            let conditions = if is_accepted { Conditions::Accepted } else { Conditions::Checked };
            validate(policy, conditions);
        },
        on_update: OnUpdate::ValidateMetadata,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        validate_update: |policy, _| status(policy.field("status")),
        ..SubresourceRules::STATUS_ALONE
    }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::integer("Validations", Cell::Count("/spec/validations")),
            KindColumn::string("ParamKind", Cell::Computed(control::param_kind)),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

const MAX_AUDIT_ANNOTATIONS: usize = 20;
const MAX_VALUE_EXPRESSION_BYTES: usize = 5 * 1024;
const REASONS: [&str; 3] = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

fn validate(policy: Field<'_>, conditions: Conditions) {
    let spec = policy.field("spec");
    matching(spec);
    conditions.validate(spec);
    let variables = variables(spec, WhenNone::Undefined);
    let base = variables.extend(Params::of(spec).environment());
    let (validations, annotations) = (spec.field("validations"), spec.field("auditAnnotations"));
    // A policy that neither refuses nor records anything has no effect.
    if validations.is_empty() && annotations.is_empty() {
        for list in [validations, annotations] {
            list.required("validations or auditAnnotations must contain at least one item");
        }
        return;
    }
    validations.items().for_each(|one| validation(one, &base));
    if annotations.len() > MAX_AUDIT_ANNOTATIONS {
        let message = format!("must not have more than {MAX_AUDIT_ANNOTATIONS} auditAnnotations");
        annotations.invalid_struct("[]admissionregistration.AuditAnnotation", message);
    }
    let mut keys = BTreeSet::new();
    for annotation in annotations.items() {
        audit_annotation(policy.fields(["metadata", "name"]).str(), annotation, &base);
        if !keys.insert(annotation.field("key").str()) {
            annotation.field("key").duplicate();
        }
    }
}

/// Validates a validation; what is in `base` and permissions can be used, for messages only the former.
fn validation(validation: Field<'_>, base: &Environment) {
    let (expression, message) = (validation.field("expression"), validation.field("message"));
    if expression.str().trim().is_empty() {
        expression.required("expression is not specified");
    } else {
        check(expression, &base.clone().with_authorizer(), &[CelType::Bool]);
    }
    let text = validation.field("messageExpression");
    if !text.str().trim().is_empty() {
        check(text, base, &[CelType::String]);
    }
    for field in [text, message] {
        if !field.is_empty() && field.str().trim().is_empty() {
            field.invalid("must be non-empty if specified");
        }
    }
    if message.str().trim().contains(['\n', '\r']) {
        message.invalid("must not contain line breaks");
    }
    let reason = validation.field("reason");
    if reason.is_set() {
        reason.one_of(&REASONS);
    }
}

fn audit_annotation(policy: &str, annotation: Field<'_>, base: &Environment) {
    let (key, expression) = (annotation.field("key"), annotation.field("valueExpression"));
    if policy.is_empty() {
        key.invalid("requires metadata.name be non-empty");
    } else {
        // Audit events show the annotation under this name, so the pair must be a valid key.
        let name = format!("{policy}/{}", key.str());
        qualified_name(&name).into_iter().for_each(|problem| key.invalid_as(name.as_str(), problem));
    }
    let text = expression.str().trim();
    if text.is_empty() {
        expression.required("valueExpression is not specified");
    } else if text.len() > MAX_VALUE_EXPRESSION_BYTES {
        // Upstream: too long is reported as missing.
        expression.required(format!("must not exceed {MAX_VALUE_EXPRESSION_BYTES} bytes in length"));
    } else if let Some(problem) =
        problem(text, &base.clone().with_authorizer(), &[CelType::String, CelType::Null])
    {
        expression.invalid(problem);
    }
}

fn status(status: Field<'_>) {
    for warning in status.fields(["typeChecking", "expressionWarnings"]).items() {
        warning.field("warning").require("");
        let place = warning.field("fieldRef");
        if place.str().trim().is_empty() {
            place.required("");
        }
    }
    meta::conditions(status.field("conditions"));
}
