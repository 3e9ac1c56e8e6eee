//! SubjectAccessReview, SelfSubjectAccessReview and LocalSubjectAccessReview.

use crate::field::{BadValue, Field};
use crate::format::{label_value, qualified_name};
use crate::registry::{KindEntry, MetadataRule, ValidationRules};
use crate::tree::Map;

pub(super) const SUBJECT_ACCESS_REVIEW: KindEntry = KindEntry {
    kind: "SubjectAccessReview",
    validation: ValidationRules {
        metadata: MetadataRule::Unchecked,
        object: |review| {
            attributes(review.field("spec"));
            subject(review.field("spec"));
            selectors(review.field("spec"));
            empty_metadata(review.field("metadata"), &[], "must be empty");
        },
        ..ValidationRules::DEFAULT
    },
    ..KindEntry::CLUSTER
};

pub(super) const SELF_SUBJECT_ACCESS_REVIEW: KindEntry = KindEntry {
    kind: "SelfSubjectAccessReview",
    validation: ValidationRules {
        metadata: MetadataRule::Unchecked,
        object: |review| {
            attributes(review.field("spec"));
            selectors(review.field("spec"));
            empty_metadata(review.field("metadata"), &[], "must be empty");
        },
        ..ValidationRules::DEFAULT
    },
    ..KindEntry::CLUSTER
};

pub(super) const LOCAL_SUBJECT_ACCESS_REVIEW: KindEntry = KindEntry {
    kind: "LocalSubjectAccessReview",
    validation: ValidationRules {
        metadata: MetadataRule::Unchecked,
        object: |review| {
            let spec = review.field("spec");
            attributes(spec);
            subject(spec);
            selectors(spec);
            empty_metadata(review.field("metadata"), &["namespace"], "must be empty except for namespace");
            let (resource, other) = (spec.field("resourceAttributes"), spec.field("nonResourceAttributes"));
            let namespace = resource.field("namespace");
            if resource.is_set() && namespace.str() != review.fields(["metadata", "namespace"]).str() {
                namespace.invalid("must match metadata.namespace");
            }
            if other.is_set() {
                other.invalid_struct(
                    "*authorization.NonResourceAttributes",
                    "disallowed on this kind of request",
                );
            }
        },
        ..ValidationRules::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

/// A review is about a resource or about a URL.
fn attributes(spec: Field<'_>) {
    let (resource, other) = (spec.field("resourceAttributes"), spec.field("nonResourceAttributes"));
    if resource.is_set() == other.is_set() {
        let value = if other.is_set() {
            BadValue::internal("*authorization.NonResourceAttributes", other)
        } else {
            // Neither is given, so there is nothing to print.
            BadValue::null()
        };
        spec.invalid_as(
            value,
            "exactly one of nonResourceAttributes or resourceAttributes must be specified",
        );
    }
}

fn selectors(spec: Field<'_>) {
    let [fields, labels] =
        ["fieldSelector", "labelSelector"].map(|name| spec.fields(["resourceAttributes", name]));
    selector(fields);
    fields.field("requirements").items().for_each(field_requirement);
    selector(labels);
    labels.field("requirements").items().for_each(label_requirement);
}

/// A selector is one text or a list of requirements.
fn selector(selector: Field<'_>) {
    let (raw, requirements) = (selector.field("rawSelector"), selector.field("requirements"));
    if !raw.is_empty() && !requirements.is_empty() {
        raw.invalid("may not specified at the same time as requirements");
    }
    if selector.is_set() && raw.is_empty() && requirements.is_empty() {
        let path = selector.path();
        requirements.required(format!("when {path} is specified, requirements or rawSelector is required"));
    }
}

fn field_requirement(requirement: Field<'_>) {
    requirement.field("key").require("must be specified");
    values(requirement);
}

fn label_requirement(requirement: Field<'_>) {
    values(requirement);
    requirement.field("key").check(qualified_name);
    for value in requirement.field("values").items() {
        value.check(label_value);
    }
}

/// Operators that are not known are those of newer clients, and ignored.
fn values(requirement: Field<'_>) {
    let values = requirement.field("values");
    match requirement.field("operator").str() {
        "In" | "NotIn" if values.is_empty() => {
            values.required("must be specified when `operator` is 'In' or 'NotIn'");
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        }
        _ => {}
    }
}

fn subject(spec: Field<'_>) {
    if spec.field("user").is_empty() && spec.field("groups").is_empty() {
        spec.field("user").invalid_as("", "at least one of user or group must be specified");
    }
}

fn empty_metadata(metadata: Field<'_>, allowed: &[&str], problem: &str) {
    let mut given = metadata.map().into_iter().flat_map(Map::iter).filter(|(_, value)| !value.is_empty());
    // Every new object has a uid by then; reviews get none in Kubernetes.
    let is_ignored = |name: &str| matches!(name, "managedFields" | "uid");
    if given.any(|(name, _)| !is_ignored(name) && !allowed.contains(&name)) {
        metadata.invalid_struct("metav1.ObjectMeta", problem);
    }
}
