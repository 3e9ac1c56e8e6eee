//! HTTPS: the kubeconfig trusts the server, and with client certificates clients without one are refused.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD};
use kubemerge_server::{ServeOptions, Serving};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

use crate::server::support::*;

fn pem(kubeconfig: &Value, pointer: &str) -> Option<Vec<u8>> {
    STANDARD.decode(kubeconfig.pointer(pointer)?.as_str()?).ok()
}

/// Asks for the version, with the certificates of the kubeconfig or without the client's own.
async fn version(serving: &Serving, with_client_certificate: bool) -> std::io::Result<String> {
    let kubeconfig: Value = serde_json::from_str(serving.kubeconfig()).unwrap();
    let authority = pem(&kubeconfig, "/clusters/0/cluster/certificate-authority-data").unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(&authority).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let builder = builder.with_root_certificates(roots);
    let certificate =
        pem(&kubeconfig, "/users/0/user/client-certificate-data").filter(|_| with_client_certificate);
    let config = match certificate {
        None => builder.with_no_client_auth(),
        Some(certificate) => {
            let key = pem(&kubeconfig, "/users/0/user/client-key-data").unwrap();
            let chain = vec![CertificateDer::from_pem_slice(&certificate).unwrap()];
            builder.with_client_auth_cert(chain, PrivateKeyDer::from_pem_slice(&key).unwrap()).unwrap()
        }
    };
    let stream = TcpStream::connect(serving.address()).await?;
    let name = ServerName::from(serving.address().ip());
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
    stream.write_all(b"GET /version HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await?;
    let mut text = Vec::new();
    stream.read_to_end(&mut text).await?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[tokio::test]
async fn the_kubeconfig_trusts_the_server() {
    let serving = server().serve(ServeOptions::default().tls()).await.unwrap();
    assert!(serving.url().starts_with("https://127.0.0.1:"));
    assert!(version(&serving, false).await.unwrap().contains("v1.37.0"));
    // kubectl asks for a user name if there is no credential at all.
    let kubeconfig: Value = serde_json::from_str(serving.kubeconfig()).unwrap();
    assert_eq!(kubeconfig["users"][0]["user"]["token"], "unchecked");
}

#[tokio::test]
async fn client_certificates_keep_others_out() {
    let serving = server().serve(ServeOptions::default().client_certificates()).await.unwrap();
    assert!(version(&serving, true).await.unwrap().contains("v1.37.0"));
    assert!(version(&serving, false).await.is_err());
}
