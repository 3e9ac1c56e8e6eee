//! ResourceClaim and ResourceClaimTemplate.

use super::claim_spec::{defaults, drop_disabled_fields, validate};
use super::claim_status;
use crate::columns::{AGE, Cell, KindColumn, NAME, control};
use crate::field::{BadValue, Field};
use crate::meta::{annotations, labels};
use crate::registry::{
    DecodeRules, DeleteAnswer, KindEntry, OnUpdate, Presentation, Strategy, SubresourceRules, ValidationRules,
};

pub(super) const CLAIM: KindEntry = KindEntry {
    kind: "ResourceClaim",
    decode: DecodeRules {
        defaults: |claim, _| {
            defaults(claim.ensure_map("spec"));
            claim_status::defaults(claim);
        },
        ..DecodeRules::DEFAULT
    },
    strategy: Strategy {
        delete_answer: DeleteAnswer::Object,
        prepare_create: |claim, _| drop_disabled_fields(claim.ensure_map("spec")),
        prepare_update: |claim, _, _| drop_disabled_fields(claim.ensure_map("spec")),
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        object: |claim| validate(claim.field("spec")),
        update: |claim, old| {
            let spec = claim.field("spec");
            if !spec.same_as(old.field("spec")) {
                // Upstream: the declarative rule does not tell the value.
                spec.invalid_as(BadValue::null(), "field is immutable");
            }
        },
        on_update: OnUpdate::ValidateMetadata,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        prepare_update: claim_status::prepare,
        validate_update: claim_status::validate,
        ..SubresourceRules::STATUS_ALONE
    }],
    presentation: Presentation {
        columns: &[NAME, KindColumn::string("State", Cell::Computed(control::claim_state)), AGE],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

pub(super) const TEMPLATE: KindEntry = KindEntry {
    kind: "ResourceClaimTemplate",
    decode: DecodeRules {
        defaults: |template, _| {
            if let Some(spec) = template.map_mut("spec").and_then(|spec| spec.map_mut("spec")) {
                defaults(spec);
            }
        },
        ..DecodeRules::DEFAULT
    },
    strategy: Strategy {
        delete_answer: DeleteAnswer::Object,
        prepare_create: |template, _| {
            if let Some(spec) = template.map_mut("spec").and_then(|spec| spec.map_mut("spec")) {
                drop_disabled_fields(spec);
            }
        },
        prepare_update: |template, _, _| {
            if let Some(spec) = template.map_mut("spec").and_then(|spec| spec.map_mut("spec")) {
                drop_disabled_fields(spec);
            }
        },
        ..Strategy::DEFAULT
    },
    validation: ValidationRules {
        object: validate_template,
        update: |template, old| {
            template
                .field("spec")
                .check_immutable_struct(old.field("spec"), "resource.ResourceClaimTemplateSpec");
        },
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation { columns: &[NAME, AGE], ..Presentation::DEFAULT },
    ..KindEntry::NAMESPACED
};

fn validate_template(template: Field<'_>) {
    template_metadata(template.fields(["spec", "metadata"]));
    validate(template.fields(["spec", "spec"]));
}

/// Metadata of the claims to be made: labels and annotations alone.
fn template_metadata(metadata: Field<'_>) {
    annotations(metadata.field("annotations"));
    labels(metadata.field("labels"));
    for (name, value) in metadata.map().into_iter().flat_map(|map| map.iter()) {
        let place = match name {
            "labels" | "annotations" => continue,
            // Upstream makes the names of Go out of those of JSON by their first letter.
            "uid" => metadata.field("uID"),
            _ => metadata.field_owned(name),
        };
        // A pointer in Go: zero seconds are set, too.
        if !value.is_empty() || name == "deletionGracePeriodSeconds" {
            place.forbidden("cannot be set");
        }
    }
}
