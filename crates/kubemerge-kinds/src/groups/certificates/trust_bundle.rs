//! ClusterTrustBundle.

use std::collections::BTreeMap;

use crate::columns::{Cell, KindColumn, NAME};
use crate::field::Field;
use crate::format::{Problems, dns1123_subdomain};
use crate::groups::core_v1::pod_spec::signer_name;
use crate::meta::NameRule;
use crate::registry::{
    KindEntry, OnUpdate, Permission, Presentation, SelectableField, SelectableFields, Strategy,
    ValidationRules,
};
use crate::x509::{
    CERTIFICATE,
    der::certificate,
    pem::{Block, blocks},
};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "ClusterTrustBundle",
    strategy: Strategy {
        // The name depends on the signer.
        name: NameRule::Custom(|_| Problems::new()),
        unconditional_update: Permission::Denied,
        ..Strategy::DEFAULT
    },
    validation: ValidationRules {
        object: |bundle| {
            validate(bundle);
            anchors(bundle.fields(["spec", "trustBundle"]));
        },
        update: |bundle, old| {
            validate(bundle);
            let path = ["spec", "trustBundle"];
            // Anchors are parsed when they change only: parsers differ between versions.
            if bundle.fields(path).str() != old.fields(path).str() {
                anchors(bundle.fields(path));
            }
            bundle.fields(["spec", "signerName"]).check_immutable(old.fields(["spec", "signerName"]));
        },
        on_update: OnUpdate::ValidateMetadata,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[NAME, KindColumn::string("SignerName", Cell::TextOr("/spec/signerName", "<none>"))],
        selectable: SelectableFields::listed(&[SelectableField::at("spec.signerName")]),
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

const MAX_BUNDLE_BYTES: usize = 1024 * 1024;

fn validate(bundle: Field<'_>) {
    let (name, signer) = (bundle.fields(["metadata", "name"]), bundle.fields(["spec", "signerName"]));
    if !name.is_empty() {
        name.report_problems(name_problems(name.str(), signer.str()));
    }
    if !signer.is_empty() {
        signer_name(signer);
    }
}

/// The name of a bundle of a signer starts with that of the signer.
fn name_problems(name: &str, signer: &str) -> Problems {
    if signer.is_empty() {
        return if name.contains(':') {
            vec!["ClusterTrustBundle without signer name must not have \":\" in its name".to_owned()]
        } else {
            dns1123_subdomain(name)
        };
    }
    // A slash cannot be in the name of an object.
    let prefix = format!("{}:", signer.replace('/', ":"));
    match name.strip_prefix(&prefix) {
        Some(own) => dns1123_subdomain(own),
        None => {
            vec![format!("ClusterTrustBundle for signerName {signer} must be named with prefix {prefix}")]
        }
    }
}

fn anchors(bundle: Field<'_>) {
    const HIDDEN: &str = "<value omitted>";
    if bundle.str().len() > MAX_BUNDLE_BYTES {
        return bundle.too_long(MAX_BUNDLE_BYTES);
    }
    let mut seen: BTreeMap<Vec<u8>, Vec<String>> = BTreeMap::new();
    let errors_before = bundle.errors_so_far();
    for (at, block) in blocks(bundle.str()).enumerate() {
        match block_problem(&block) {
            Some(problem) => bundle.invalid_as(HIDDEN, format!("entry {at} {problem}")),
            None => seen.entry(block.bytes).or_default().push(at.to_string()),
        }
    }
    // Malformed entries are reported alone.
    if bundle.errors_so_far() > errors_before {
        return;
    }
    if seen.is_empty() {
        bundle.invalid_as(HIDDEN, "at least one trust anchor must be provided");
    }
    for places in seen.values().filter(|places| places.len() > 1) {
        let text = format!("duplicate trust anchor (indices [{}])", places.join(" "));
        bundle.invalid_as(HIDDEN, text);
    }
}

fn block_problem(block: &Block<'_>) -> Option<String> {
    if block.kind != CERTIFICATE {
        return Some(format!("has bad block type: {}", block.kind));
    }
    if block.has_headers {
        return Some("has PEM block headers".to_owned());
    }
    match certificate(&block.bytes) {
        Err(_) => Some("does not parse as X.509".to_owned()),
        Ok(certificate) if !certificate.is_authority => Some("does not have the CA bit set".to_owned()),
        Ok(_) => None,
    }
}
