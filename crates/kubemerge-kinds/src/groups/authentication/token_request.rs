//! TokenRequest, which `serviceaccounts/token` answers; no object of its own.

use crate::field::Field;
use crate::registry::{Context, DecodeRules, KindEntry, MetadataRule, ValidationRules};
use crate::tree::Map;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "TokenRequest",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    validation: ValidationRules {
        metadata: MetadataRule::Unchecked,
        object: |request| {
            let spec = request.field("spec");
            duration(spec.field("expirationSeconds"));
            attestations(spec);
        },
        ..ValidationRules::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

const DEFAULT_SECONDS: i64 = 3600;
const MIN_SECONDS: i64 = 600;
const MAX_SECONDS: i64 = 1 << 32;

fn defaults(request: &mut Map<'_>, _context: Context) {
    request.ensure_map("spec").set_if_absent("expirationSeconds", DEFAULT_SECONDS);
}

fn duration(seconds: Field<'_>) {
    match seconds.int() {
        ..MIN_SECONDS => seconds.invalid("may not specify a duration less than 10 minutes"),
        MAX_SECONDS.. if seconds.int() > MAX_SECONDS => {
            seconds.invalid("may not specify a duration larger than 2^32 seconds");
        }
        _ => {}
    }
}

/// Attestations are for tokens of webhooks, which are bound to a configuration.
fn attestations(spec: Field<'_>) {
    let (reference, attestations) = (spec.field("boundObjectRef"), spec.field("attestations"));
    if !is_webhook(reference) {
        if !attestations.is_empty() {
            attestations.invalid("attestations may only be specified with a webhook bound object reference");
        }
        return;
    }
    let audiences = spec.field("audiences");
    if audiences.len() != 1 {
        audiences.invalid("must be length 1 when bound to a webhook config");
    }
    if attestations.entries().count() != 1 {
        attestations
            .invalid("webhook bound requests require exactly one admissionReviewAPIGroups attestation");
    }
}

fn is_webhook(reference: Field<'_>) -> bool {
    reference.field("apiVersion").str() == "admissionregistration.k8s.io/v1"
        && matches!(
            reference.field("kind").str(),
            "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration"
        )
}
