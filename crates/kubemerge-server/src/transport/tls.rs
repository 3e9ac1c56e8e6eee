//! Certificates that are generated at start: an authority, the server's own, and one for the client.

use std::{io, net::IpAddr, sync::Arc};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, SanType,
};
use rustls::{
    RootCertStore, ServerConfig, ServerConnection,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
    server::WebPkiClientVerifier,
};
use tokio_rustls::TlsAcceptor;

use super::given_certificate::ServerCertificate;
use crate::protocol::peer::Peer;

/// Whether clients must show a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClientCertificates {
    NotAsked,
    Required,
}

/// What the server shows, and what its clients need.
pub(crate) struct Identity {
    acceptor: TlsAcceptor,
    authority: String,
    client: Option<(String, String)>,
    given: Option<ServerCertificate>,
}

impl Identity {
    pub(super) fn new(
        address: IpAddr,
        names: &[String],
        clients: ClientCertificates,
    ) -> io::Result<Identity> {
        make(address, names, clients).map_err(io::Error::other)
    }

    /// What was given in place of generated certificates. Clients trust the chain itself.
    pub(super) fn given(given: &ServerCertificate) -> Identity {
        let acceptor = TlsAcceptor::from(given.config.clone());
        Identity { acceptor, authority: given.pem.clone(), client: None, given: Some(given.clone()) }
    }

    pub(super) fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }

    /// Who is at the other end of a connection, if users are distinguished.
    pub(super) fn peer(&self, connection: &ServerConnection) -> Option<Peer> {
        self.given.as_ref().and_then(|given| given.peer(connection))
    }

    /// The authority's certificate as PEM.
    pub(super) fn authority(&self) -> &str {
        &self.authority
    }

    /// The client's certificate and key as PEM, if clients must show one.
    pub(super) fn client(&self) -> Option<(&str, &str)> {
        self.client.as_ref().map(|(certificate, key)| (certificate.as_str(), key.as_str()))
    }
}

pub(super) type Fault = Box<dyn std::error::Error + Send + Sync>;

fn make(address: IpAddr, names: &[String], clients: ClientCertificates) -> Result<Identity, Fault> {
    let authority = authority()?;
    let (certificate, key) = server(&authority, address, names)?;
    let chain = vec![certificate.der().clone()];
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    // Named, because the process may have no default provider or another one.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions()?;
    let (builder, client) = match clients {
        ClientCertificates::NotAsked => (builder.with_no_client_auth(), None),
        ClientCertificates::Required => {
            let mut roots = RootCertStore::empty();
            roots.add(authority.der().clone())?;
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build()?;
            (builder.with_client_cert_verifier(verifier), Some(client(&authority)?))
        }
    };
    let mut config = builder.with_single_cert(chain, key)?;
    // Without these names clients would speak HTTP/1.1 only.
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    Ok(Identity { acceptor, authority: authority.pem(), client, given: None })
}

/// A certificate with that of its authority, and its key.
pub(super) fn certificate_and_key(address: IpAddr) -> Result<(String, String), Fault> {
    let authority = authority()?;
    let (certificate, key) = server(&authority, address, &[])?;
    Ok((certificate.pem() + &authority.pem(), key.serialize_pem()))
}

fn named(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

fn authority() -> Result<CertifiedIssuer<'static, KeyPair>, Fault> {
    let mut params = named("kubemerge");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    // Go refuses an authority that may not sign.
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    Ok(CertifiedIssuer::self_signed(params, KeyPair::generate()?)?)
}

fn server(
    authority: &CertifiedIssuer<'static, KeyPair>,
    address: IpAddr,
    names: &[String],
) -> Result<(rcgen::Certificate, KeyPair), Fault> {
    let mut params = named("kubemerge server");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.subject_alt_names = vec![
        SanType::IpAddress(address),
        // Besides the address itself, which may be 0.0.0.0.
        SanType::IpAddress([127, 0, 0, 1].into()),
        SanType::DnsName("localhost".try_into()?),
    ];
    for name in names {
        params.subject_alt_names.push(SanType::DnsName(name.as_str().try_into()?));
    }
    let key = KeyPair::generate()?;
    Ok((params.signed_by(&key, authority)?, key))
}

fn client(authority: &CertifiedIssuer<'static, KeyPair>) -> Result<(String, String), Fault> {
    let mut params = named("kubemerge client");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    let key = KeyPair::generate()?;
    Ok((params.signed_by(&key, authority)?.pem(), key.serialize_pem()))
}
