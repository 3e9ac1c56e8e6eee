//! What the fields of this group hold: certificates and requests for them, in PEM or in DER.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::x509::{
    CERTIFICATE,
    der::{certificate, request_key},
    pem::blocks,
};

/// The bytes of a field in base64 as text. Such fields are decoded before, so they are valid.
pub(super) fn decoded(text: &str) -> String {
    String::from_utf8_lossy(&decoded_bytes(text)).into_owned()
}

/// The bytes of a field in base64.
pub(super) fn decoded_bytes(text: &str) -> Vec<u8> {
    // The decoder of the typed form refuses base64 that is not valid.
    STANDARD.decode(text).unwrap_or_default()
}

/// What is wrong with a request for a certificate: PEM in base64.
pub(super) fn request_problem(text: &str) -> Option<&'static str> {
    let text = decoded(text);
    match blocks(&text).next().filter(|block| block.kind == "CERTIFICATE REQUEST") {
        Some(block) => request_key(&block.bytes).err(),
        None => Some("PEM block type must be CERTIFICATE REQUEST"),
    }
}

/// What is wrong with the certificates of a signed request; none at all are fine.
pub(super) fn certificates_problem(text: &str) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    let mut count = 0;
    for block in blocks(text) {
        count += 1;
        if block.kind != CERTIFICATE {
            let kind = crate::go_text::quoted(block.kind);
            return Some(format!("only CERTIFICATE PEM blocks are allowed, found {kind}"));
        }
        if block.has_headers {
            return Some("no PEM block headers are permitted".to_owned());
        }
        if block.bytes.is_empty() {
            return Some("found CERTIFICATE PEM block containing 0 certificates".to_owned());
        }
        if certificate(&block.bytes).is_err() {
            return Some("x509: malformed certificate".to_owned());
        }
    }
    // Text without any block is no certificate, unlike no text.
    (count == 0).then(|| "must contain at least one CERTIFICATE PEM block".to_owned())
}
