//! Reads the certificate of a server from files; errors name the file and what to do.

use std::path::Path;

use kubemerge_server::{CertificateError, ClientAuthentication, ServerCertificate};

use crate::report::{Notice, Result, plain};

/// The files of a certificate, all PEM.
#[derive(Clone, Copy)]
pub(in crate::cmd) struct CertificateFiles<'a> {
    pub(in crate::cmd) certificate: &'a Path,
    pub(in crate::cmd) key: &'a Path,
    pub(in crate::cmd) client_authority: Option<&'a Path>,
}

/// Reads the files.
pub(in crate::cmd) fn server_certificate(
    files: CertificateFiles<'_>,
    clients: ClientAuthentication,
) -> Result<ServerCertificate> {
    let (certificate, key) = (read(files.certificate)?, read(files.key)?);
    certificate_of_texts(files, (&certificate, &key), clients)
}

/// The same for a certificate and a key that were read; only the authority of clients is.
pub(in crate::cmd) fn certificate_of_texts(
    files: CertificateFiles<'_>,
    (certificate, key): (&[u8], &[u8]),
    clients: ClientAuthentication,
) -> Result<ServerCertificate> {
    let authority = files.client_authority.map(read).transpose()?;
    let authority = authority.as_deref().map(|pem| (pem, clients));
    ServerCertificate::from_pem(certificate, key, authority).map_err(|error| refused(files, &error).into())
}

fn refused(files: CertificateFiles<'_>, error: &CertificateError) -> Notice {
    let (file, help) = match error {
        CertificateError::Certificate(_) => (files.certificate, "give a certificate as PEM"),
        CertificateError::Key(_) => (files.key, "give the private key of the certificate as PEM"),
        CertificateError::Mismatch(_) => {
            (files.key, "give the private key that the certificate was made with")
        }
        CertificateError::ClientAuthority(_) => (
            files.client_authority.unwrap_or(files.certificate),
            "give the certificate of the authority that signs client certificates as PEM",
        ),
    };
    Notice::error(format!("{}: {error}", file.display())).help(help)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| {
        Notice::error(format!("cannot read {}: {}", path.display(), plain(&error)))
            .help("give a file that exists and can be read")
            .into()
    })
}
