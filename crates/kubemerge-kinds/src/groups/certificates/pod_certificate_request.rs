//! PodCertificateRequest.

use super::content::decoded_bytes;
use crate::columns::{Cell, KindColumn, NAME, control};
use crate::field::Field;
use crate::format::{dns1123_subdomain, qualified_name};
use crate::groups::core_v1::pod_spec::signer_name;
use crate::meta::conditions;
use crate::registry::{
    DecodeRules, KindEntry, OnUpdate, Permission, Presentation, SelectableField, SelectableFields, Strategy,
    SubresourceRules, ValidationRules,
};
use crate::x509::{
    CERTIFICATE,
    der::{certificate, request_key},
    pem::blocks,
};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "PodCertificateRequest",
    decode: DecodeRules {
        defaults: |request, _| {
            request.ensure_map("spec").set_if_absent("maxExpirationSeconds", 24 * HOUR);
        },
        ..DecodeRules::DEFAULT
    },
    strategy: Strategy { unconditional_update: Permission::Denied, ..Strategy::WITH_STATUS },
    validation: ValidationRules {
        object: |request| validate(request.field("spec")),
        update: |request, old| {
            let go_type = "certificates.PodCertificateRequestSpec";
            request.field("spec").check_immutable_struct(old.field("spec"), go_type);
        },
        on_update: OnUpdate::ValidateChanges,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules { validate_update: status, ..SubresourceRules::STATUS_ALONE }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("PodName", Cell::Text("/spec/podName")),
            KindColumn::string("ServiceAccountName", Cell::Text("/spec/serviceAccountName")),
            KindColumn::string("NodeName", Cell::Text("/spec/nodeName")),
            KindColumn::string("SignerName", Cell::Text("/spec/signerName")),
            KindColumn::string("State", Cell::Computed(control::pod_certificate_state)),
            KindColumn::string("UnverifiedUserAnnotations", Cell::Computed(control::user_annotations)),
        ],
        selectable: SelectableFields::listed(&[
            SelectableField::at("spec.signerName"),
            SelectableField::at("spec.podName"),
            SelectableField::at("spec.nodeName"),
        ]),
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

const HOUR: i64 = 3600;
const MAX_EXPIRATION: i64 = 91 * 24 * HOUR;
const MAX_UID_BYTES: usize = 128;
const MAX_KEY_BYTES: usize = 10 * 1024;
const MAX_CHAIN_BYTES: usize = 100 * 1024;
const MAX_ANNOTATIONS_BYTES: usize = 256 * 1024;
/// Conditions that end the life of a request.
const FINAL: [&str; 3] = ["Issued", "Denied", "Failed"];

fn validate(spec: Field<'_>) {
    signer_name(spec.field("signerName"));
    annotations(spec.field("unverifiedUserAnnotations"));
    for name in ["podName", "serviceAccountName", "nodeName"] {
        spec.field(name).check(dns1123_subdomain);
    }
    for uid in ["podUID", "serviceAccountUID", "nodeUID"].map(|name| spec.field(name)) {
        if uid.is_empty() {
            uid.invalid("must not be empty");
        }
        if uid.str().len() > MAX_UID_BYTES {
            uid.too_long(MAX_UID_BYTES);
        }
    }
    let expiration = spec.field("maxExpirationSeconds");
    // Signers of Kubernetes itself issue certificates for a day at most.
    let is_kubernetes = spec.field("signerName").str().starts_with("kubernetes.io/");
    let most = if is_kubernetes { 24 * HOUR } else { MAX_EXPIRATION };
    if !(HOUR..=most).contains(&expiration.int()) {
        expiration.invalid(format!("must be in the range [{HOUR}, {most}]"));
    }
    key(spec);
}

/// Annotations whose keys have a domain.
fn annotations(annotations: Field<'_>) {
    let mut bytes = 0;
    for (key, value) in annotations.entries() {
        bytes += key.len() + value.str().len();
        // Keys of annotations are compared without case.
        let key = key.to_lowercase();
        let problems = qualified_name(&key);
        if key.is_empty() {
            annotations.required("");
        } else if problems.is_empty() && !key.contains('/') {
            annotations.invalid_as(key.as_str(), "must be a domain-prefixed key (such as \"acme.io/foo\")");
        }
        if !key.is_empty() {
            problems.into_iter().for_each(|problem| annotations.invalid_as(key.as_str(), problem));
        }
    }
    if bytes > MAX_ANNOTATIONS_BYTES {
        annotations.too_long(MAX_ANNOTATIONS_BYTES);
    }
}

/// The key that is to be certified, as a request or in the older form of key and proof.
fn key(spec: Field<'_>) {
    let [request, key, proof] =
        ["stubPKCS10Request", "pkixPublicKey", "proofOfPossession"].map(|name| spec.field(name));
    match [request, key, proof].map(|field| !field.is_empty()) {
        [true, false, false] => {
            let bytes = decoded_bytes(request.str());
            if bytes.len() > MAX_KEY_BYTES {
                request.too_long(MAX_KEY_BYTES);
            } else if request_key(&bytes).is_err() {
                request.invalid_omitted("must be a valid PKCS#10 CSR");
            }
        }
        [false, true, true] => {
            // The proof is a signature; those are not verified.
            for field in [key, proof].into_iter().filter(|field| field.str().len() / 4 * 3 > MAX_KEY_BYTES) {
                field.too_long(MAX_KEY_BYTES);
            }
        }
        _ => spec.invalid_omitted(
            "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set",
        ),
    }
}

fn status(request: Field<'_>, old: Field<'_>) {
    let (status, stored) = (request.field("status"), old.field("status"));
    let errors_before = request.errors_so_far();
    known_conditions(status.field("conditions"));
    conditions(status.field("conditions"));
    // The conditions decide what else is validated, so they must be valid.
    if request.errors_so_far() > errors_before {
        return;
    }
    // A decision is final, so that kubelets can rely on it.
    if FINAL.iter().any(|kind| is_in(stored, kind)) {
        return fixed(status, stored, "immutable after PodCertificateRequest is issued, denied, or failed");
    }
    if is_in(status, "Denied") || is_in(status, "Failed") {
        let others = status.map().into_iter().flat_map(|map| map.iter());
        if others.into_iter().any(|(name, _)| name != "conditions") {
            status.invalid_omitted(
                "non-condition status fields must be empty when denying or failing the PodCertificateRequest",
            );
        }
        return;
    }
    if is_in(status, "Issued") {
        return issued(status, old.field("spec"));
    }
    fixed(
        status,
        stored,
        "status is immutable unless transitioning to \"Issued\", \"Denied\", or \"Failed\"",
    );
}

fn fixed(status: Field<'_>, stored: Field<'_>, message: &str) {
    if !status.same_as(stored) {
        status.invalid_omitted(message);
    }
}

fn is_in(status: Field<'_>, kind: &str) -> bool {
    let mut conditions = status.field("conditions").items();
    conditions.any(|one| one.field("type").str() == kind && one.field("status").str() == "True")
}

fn known_conditions(conditions: Field<'_>) {
    let mut known = 0;
    for (at, condition) in conditions.items().enumerate() {
        // Upstream: the index is a name in the path.
        let place = conditions.field_owned(&format!("[{at}]"));
        let (kind, status) = (condition.field("type"), condition.field("status"));
        if !FINAL.contains(&kind.str()) {
            kind.reported_at(place.field("type")).not_supported(&FINAL);
            continue;
        }
        known += 1;
        if known > 1 {
            let text = "There may be at most one condition with type \"Issued\", \"Denied\", or \"Failed\"";
            kind.reported_at(place.field("type")).invalid(text);
        }
        if status.str() != "True" {
            status.reported_at(place.field("status")).not_supported(&["True"]);
        }
    }
}

/// The issued certificates. When they are valid is compared with the clock of the server, which rules do not have.
fn issued(status: Field<'_>, spec: Field<'_>) {
    let chain = status.field("certificateChain");
    if chain.str().len() > MAX_CHAIN_BYTES {
        return chain.too_long(MAX_CHAIN_BYTES);
    }
    let Some(leaf) = blocks(chain.str()).next() else {
        return chain.invalid("issued certificate chain must contain at least one certificate");
    };
    if leaf.kind != CERTIFICATE {
        return chain.invalid("issued certificate chain must consist entirely of CERTIFICATE PEM blocks");
    }
    let Ok(certificate) = certificate(&leaf.bytes) else {
        return chain.invalid("leaf certificate does not parse as valid X.509");
    };
    let request = decoded_bytes(spec.field("stubPKCS10Request").str());
    if request_key(&request).is_ok_and(|key| key != certificate.key) {
        return chain.invalid("leaf certificate was not issued to the requested public key");
    }
    for name in ["notBefore", "notAfter"] {
        if !status.field(name).is_set() {
            status.field(name).required("must be present and consistent with the issued certificate");
        }
    }
    if !status.field("beginRefreshAt").is_set() {
        let text = "must be present and in the range [notbefore+10min, notafter-10min]";
        status.field("beginRefreshAt").required(text);
    }
}
