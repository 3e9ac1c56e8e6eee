//! A certificate and a key that a caller gives, and the authority that signs the certificates of its clients.

use std::{fmt, io, net::IpAddr, sync::Arc};

use rustls::{
    RootCertStore, ServerConfig, ServerConnection,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::{WebPkiClientVerifier, danger::ClientCertVerifier},
};

use super::{
    any_certificate::AnyCertificate,
    client_certificate::{Subject, subject},
    tls,
};
use crate::protocol::peer::Peer;

/// Whether a client must show a certificate of the given authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientAuthentication {
    /// As kube-apiserver does: clients without a certificate are answered as well.
    Optional,
    /// Clients without a certificate cannot connect.
    Required,
}

/// A certificate to serve HTTPS with, see [`ServeOptions::certificate`](crate::ServeOptions::certificate).
#[derive(Clone)]
pub struct ServerCertificate {
    pub(super) config: Arc<ServerConfig>,
    pub(super) pem: String,
    pub(super) clients: ClientAuthentication,
    authority: Option<Arc<dyn ClientCertVerifier>>,
}

/// Why a given certificate cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateError {
    /// There is no certificate in the text, or it cannot be read.
    Certificate(String),
    /// There is no key in the text, or it cannot be read.
    Key(String),
    /// The key is not that of the certificate.
    Mismatch(String),
    /// The authority of the clients cannot be read.
    ClientAuthority(String),
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertificateError::Certificate(why) => write!(f, "the certificate cannot be read: {why}"),
            CertificateError::Key(why) => write!(f, "the private key cannot be read: {why}"),
            CertificateError::Mismatch(why) => {
                write!(f, "the private key does not fit the certificate: {why}")
            }
            CertificateError::ClientAuthority(why) => {
                write!(f, "the authority of client certificates cannot be read: {why}")
            }
        }
    }
}

impl std::error::Error for CertificateError {}

impl ServerCertificate {
    /// Reads a chain, its key and perhaps the authority of client certificates, all PEM.
    ///
    /// # Errors
    /// If one of them cannot be read, or the key does not fit the certificate.
    pub fn from_pem(
        chain: &[u8],
        key: &[u8],
        client_authority: Option<(&[u8], ClientAuthentication)>,
    ) -> Result<ServerCertificate, CertificateError> {
        let certificates = certificates(chain).map_err(CertificateError::Certificate)?;
        let key =
            PrivateKeyDer::from_pem_slice(key).map_err(|error| CertificateError::Key(error.to_string()))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| CertificateError::Certificate(error.to_string()))?;
        let authority = client_authority.map(|(pem, _)| verifier(pem)).transpose()?;
        let clients = client_authority.map_or(ClientAuthentication::Optional, |(_, clients)| clients);
        let builder = match (authority.clone(), clients) {
            (None, _) => builder.with_no_client_auth(),
            (Some(verifier), ClientAuthentication::Required) => builder.with_client_cert_verifier(verifier),
            (Some(verifier), ClientAuthentication::Optional) => {
                builder.with_client_cert_verifier(Arc::new(AnyCertificate(verifier)))
            }
        };
        let config = builder.with_single_cert(certificates, key);
        let mut config = config.map_err(|error| CertificateError::Mismatch(error.to_string()))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(ServerCertificate {
            config: Arc::new(config),
            pem: String::from_utf8_lossy(chain).into_owned(),
            clients,
            authority,
        })
    }

    /// A new certificate for `localhost` and this address, followed by that of the authority that signed it, and its key;
    /// both are PEM.
    ///
    /// # Errors
    /// If no key can be generated.
    pub fn generate_pem(address: IpAddr) -> io::Result<(String, String)> {
        tls::certificate_and_key(address).map_err(io::Error::other)
    }

    /// Who is at the other end of a connection, if its certificate was asked for.
    pub(super) fn peer(&self, connection: &ServerConnection) -> Option<Peer> {
        let authority = self.authority.as_ref()?;
        let certificates = connection.peer_certificates().and_then(|all| all.split_first());
        let Some((own, chain)) = certificates else { return Some(Peer::Unnamed) };
        let now = self.config.time_provider.current_time();
        if now.is_none_or(|now| authority.verify_client_cert(own, chain, now).is_err()) {
            return Some(Peer::Refused);
        }
        Some(match subject(own) {
            Subject::User(user) => Peer::Certified(Arc::new(user)),
            Subject::Unnamed => Peer::Unnamed,
            Subject::Unreadable => Peer::Refused,
        })
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match read {
        Ok(list) if list.is_empty() => Err("no PEM section CERTIFICATE".to_owned()),
        Ok(list) => Ok(list),
        Err(error) => Err(error.to_string()),
    }
}

fn verifier(pem: &[u8]) -> Result<Arc<dyn ClientCertVerifier>, CertificateError> {
    let refused = CertificateError::ClientAuthority;
    let mut roots = RootCertStore::empty();
    for certificate in certificates(pem).map_err(refused)? {
        roots.add(certificate).map_err(|error| refused(error.to_string()))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
        .build()
        .map_err(|error| refused(error.to_string()))
}
