//! Certificates as fields hold them: PEM text, DER, and bundles of authorities. Signatures are not verified.

pub(crate) mod der;
pub(crate) mod pem;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The type of a block with a certificate.
pub(crate) const CERTIFICATE: &str = "CERTIFICATE";

/// What is wrong with the certificates of authorities that a client is given in base64; an empty bundle is fine.
pub(crate) fn bundle_problem(base64: &str) -> Option<&'static str> {
    // The decoder of the typed form refuses base64 that is not valid.
    let bytes = STANDARD.decode(base64).unwrap_or_default();
    if bytes.is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(&bytes);
    let is_certificate = |block: &pem::Block<'_>| block.kind == CERTIFICATE && !block.has_headers;
    let mut found =
        pem::blocks(&text).filter(is_certificate).map(|block| der::certificate(&block.bytes).is_ok());
    // One certificate that can be read is enough.
    if found.any(|is_readable| is_readable) {
        return None;
    }
    let has_certificate = pem::blocks(&text).any(|block| is_certificate(&block));
    let ends_with_block = text.strip_suffix('\n').unwrap_or(&text).ends_with(pem::DASHES);
    Some(match (has_certificate, ends_with_block && pem::blocks(&text).next().is_some()) {
        (true, _) => {
            "unable to load root certificates: failed to parse certificate: x509: malformed certificate"
        }
        (false, true) => "unable to load root certificates: no valid certificate authority data seen",
        (false, false) => "unable to load root certificates: unable to parse bytes as PEM block",
    })
}
