//! Requests for certificates: users may not make themselves administrators.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::tree::Map;
use crate::x509::{der::request_organizations, pem::blocks};

const SIGNER: &str = "kubernetes.io/kube-apiserver-client";
const GROUP: &str = "system:masters";

/// Why a new request for a certificate is refused.
pub fn check_subject(request: &Map<'_>) -> Option<String> {
    let spec = request.map("spec").filter(|spec| spec.str("signerName") == SIGNER)?;
    // Validation has read it before.
    let text = STANDARD.decode(spec.str("request")).ok()?;
    let text = String::from_utf8_lossy(&text);
    let block = blocks(&text).next()?;
    let organizations = request_organizations(&block.bytes).ok()?;
    let is_for_masters = organizations.contains(&GROUP.as_bytes());
    is_for_masters.then(|| format!("use of {SIGNER} signer with {GROUP} group is not allowed"))
}
