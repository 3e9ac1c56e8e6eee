//! Projected volumes: files from several sources in one folder.

use std::collections::BTreeSet;

use super::env::downward_api_file;
use super::paths::{local_path, user};
use super::volume_sources::{file_owner_and_mode, key_to_path};
use crate::field::{BadValue, Field};
use crate::format::{Problems, dns1123_label, dns1123_subdomain};
use crate::go_text::quoted;
use crate::meta::{Selector, label_selector};

const MESSAGE: &str = "conflicting duplicate paths";

/// Paths of the volume that are taken.
struct Paths<'t> {
    taken: BTreeSet<&'t str>,
    volume: Field<'t>,
}

impl<'t> Paths<'t> {
    fn take(&mut self, path: &'t str, reported: impl Into<BadValue>) {
        if !self.taken.insert(path) {
            self.volume.invalid_as(reported, MESSAGE);
        }
    }
}

pub(super) fn projected(volume: Field<'_>) {
    file_owner_and_mode(volume);
    let mut paths = Paths { taken: BTreeSet::new(), volume };
    for source in volume.field("sources").items() {
        let mut count = 0;
        let kinds = [
            "secret",
            "configMap",
            "downwardAPI",
            "serviceAccountToken",
            "clusterTrustBundle",
            "podCertificate",
        ];
        for kind in kinds {
            if source.field(kind).is_set() {
                count += 1;
                self::source(kind, source.field(kind), &mut paths);
            }
        }
        if count > 1 {
            source.forbidden("may not specify more than 1 volume type per source");
        }
    }
}

fn source<'t>(kind: &str, source: Field<'t>, paths: &mut Paths<'t>) {
    match kind {
        "secret" | "configMap" => {
            let name = source.field("name");
            name.require("");
            for item in source.field("items").items() {
                key_to_path(item);
                let path = item.field("path").str();
                if !path.is_empty() {
                    // Upstream prints the name of the source here, and the path for the other kinds.
                    paths.take(path, name.str());
                }
            }
        }
        "downwardAPI" => {
            for file in source.field("items").items() {
                downward_api_file(file, source);
                let path = file.field("path").str();
                if !path.is_empty() {
                    paths.take(path, path);
                }
            }
        }
        "serviceAccountToken" => token(source, paths.volume),
        "clusterTrustBundle" => trust_bundle(source, paths),
        _ => certificate(source, paths),
    }
}

fn token<'t>(source: Field<'t>, volume: Field<'t>) {
    const MIN_EXPIRATION_SECONDS: i64 = 600;
    let expiration = source.field("expirationSeconds");
    if !expiration.is_set() {
        expiration.required("");
    } else if expiration.int() < MIN_EXPIRATION_SECONDS {
        expiration.invalid("may not specify a duration less than 10 minutes");
    // The limits of the API TokenRequest, which the kubelet calls with this duration.
    } else if expiration.int() > 1 << 32 {
        expiration.invalid("may not specify a duration larger than 2^32 seconds");
    }
    // Upstream reports the path at the volume.
    let path = source.field("path").reported_at(volume.field("path"));
    if !path.require("") {
        local_path(path);
    }
    user(source.field("user"));
}

fn trust_bundle<'t>(source: Field<'t>, paths: &mut Paths<'t>) {
    let (name, signer) = (source.field("name"), source.field("signerName"));
    match (name.is_set(), signer.is_set()) {
        (true, true) => source.invalid("only one of name and signerName may be used"),
        (true, false) => bundle_name(source),
        (false, true) => {
            if signer.is_empty() {
                signer.required("must be a valid signer name");
            }
            signer_name(signer);
            label_selector(source.field("labelSelector"), Selector::Strict);
        }
        (false, false) => source.required("either name or signerName must be specified"),
    }
    let path = source.field("path");
    path.require("");
    user(source.field("user"));
    local_path(path);
    paths.take(path.str(), path.str());
}

fn bundle_name(source: Field<'_>) {
    let name = source.field("name");
    if name.is_empty() {
        name.required("must be a valid object name");
    }
    // The name of a bundle of a signer starts with that of the signer.
    let own = name.str().rsplit_once(':').map_or(name.str(), |(_, own)| own);
    for problem in dns1123_subdomain(own) {
        name.invalid(format!("not a valid clustertrustbundlename: {problem}"));
    }
    let selector = source.field("labelSelector");
    if selector.is_set() {
        selector.invalid("labelSelector must be unset if name is specified");
    }
}

/// `domain/path` of a signer of certificates.
pub(crate) fn signer_name(signer: Field<'_>) {
    const MAX_NAME: usize = 571;
    const MAX_DOMAIN: usize = 253;
    let text = signer.str();
    if text.is_empty() {
        return signer.required("");
    }
    let parts: Vec<&str> = text.split('/').collect();
    let [domain, path] = parts[..] else {
        return signer
            .invalid("must be a fully qualified domain and path of the form 'example.com/signer-name'");
    };
    if domain.len() > MAX_DOMAIN {
        signer.too_long(MAX_DOMAIN);
    }
    first_wrong_label(signer, domain, dns1123_label);
    if !domain.contains('.') {
        signer.invalid_as(domain, "should be a domain with at least two segments separated by dots");
    }
    first_wrong_label(signer, path, dns1123_subdomain);
    if text.len() > MAX_NAME {
        signer.too_long(MAX_NAME);
    }
}

/// Further labels are not looked at: their errors would read the same.
fn first_wrong_label(signer: Field<'_>, part: &str, check: fn(&str) -> Problems) {
    let mut labels = part.split('.').map(|label| (label, check(label)));
    if let Some((label, problems)) = labels.find(|(_, problems)| !problems.is_empty()) {
        for problem in problems {
            signer.invalid_as(part, format!("validating label {}: {problem}", quoted(label)));
        }
    }
}

fn certificate<'t>(source: Field<'t>, paths: &mut Paths<'t>) {
    const HOUR: i64 = 3600;
    const MAX_EXPIRATION: i64 = 91 * 24 * HOUR;
    signer_name(source.field("signerName"));
    user(source.field("user"));
    source.field("keyType").one_of(&["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"]);
    let expiration = source.field("maxExpirationSeconds");
    if expiration.is_set() && expiration.int() < HOUR {
        expiration.invalid("if provided, maxExpirationSeconds must be >= 3600");
    }
    // Signers of Kubernetes itself issue certificates for a day at most.
    let is_kubernetes = source.field("signerName").str().starts_with("kubernetes.io/");
    let most = if is_kubernetes { 24 * HOUR } else { MAX_EXPIRATION };
    if expiration.int() > most {
        expiration.invalid(format!("if provided, maxExpirationSeconds must be <= {most}"));
    }
    let mut count = 0;
    for name in ["credentialBundlePath", "keyPath", "certificateChainPath"] {
        let path = source.field(name);
        if !path.is_empty() {
            count += 1;
            local_path(path);
            paths.take(path.str(), path.str());
        }
    }
    if count == 0 {
        source.required("specify at least one of credentialBundlePath, keyPath, and certificateChainPath");
    }
}
