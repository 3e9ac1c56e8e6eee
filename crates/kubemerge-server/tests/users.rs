//! Who a client is: the user of its certificate or of its token, as `x509` and service account tokens say in Kubernetes.
#![cfg(feature = "tls")]

use std::sync::Arc;

use kubemerge_server::{ApiServer, ClientAuthentication, ServeOptions, ServerCertificate, Serving};
use rcgen::{CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, pem::PemObject},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

/// An authority of client certificates.
struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key.
type Credential = (CertificateDer<'static>, PrivateKeyDer<'static>);

impl Authority {
    fn new() -> Authority {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "clients");
        params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        Authority(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn client(&self, name: Option<&str>, groups: &[&str]) -> Credential {
        let mut params = CertificateParams::default();
        params.distinguished_name = rcgen::DistinguishedName::new();
        if let Some(name) = name {
            params.distinguished_name.push(DnType::CommonName, name);
        }
        for group in groups {
            params.distinguished_name.push(DnType::OrganizationName, *group);
        }
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap().der().clone();
        (certificate, PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())))
    }
}

/// A server that asks for certificates of the authority, and what clients trust.
struct Secured {
    serving: Serving,
    roots: RootCertStore,
}

async fn serve(authority: &Authority, clients: ClientAuthentication) -> Secured {
    let (chain, key) = ServerCertificate::generate_pem([127, 0, 0, 1].into()).unwrap();
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(chain.as_bytes()).skip(1) {
        roots.add(certificate.unwrap()).unwrap();
    }
    let authority = authority.0.pem();
    let certificate =
        ServerCertificate::from_pem(chain.as_bytes(), key.as_bytes(), Some((authority.as_bytes(), clients)));
    let options = ServeOptions::default().certificate(certificate.unwrap());
    let serving = ApiServer::builder().build().unwrap().serve(options).await.unwrap();
    Secured { serving, roots }
}

impl Secured {
    /// Posts an object; answers the code and the body.
    async fn post(
        &self,
        credential: Option<Credential>,
        token: Option<&str>,
        path: &str,
        object: &Value,
    ) -> std::io::Result<(u16, Value)> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let builder = builder.unwrap().with_root_certificates(self.roots.clone());
        let config = match credential {
            None => builder.with_no_client_auth(),
            Some((certificate, key)) => builder.with_client_auth_cert(vec![certificate], key).unwrap(),
        };
        let stream = TcpStream::connect(self.serving.address()).await?;
        let name = ServerName::from(self.serving.address().ip());
        let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
        let body = object.to_string();
        let token = token.map_or(String::new(), |token| format!("authorization: Bearer {token}\r\n"));
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n{token}content-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await?;
        let mut text = String::new();
        stream.read_to_string(&mut text).await?;
        let code = text.split(' ').nth(1).unwrap().parse().unwrap();
        let body = text.split_once("\r\n\r\n").unwrap().1;
        Ok((code, serde_json::from_str(body).unwrap()))
    }

    /// The user that the server takes a client for.
    async fn who(&self, credential: Option<Credential>, token: Option<&str>) -> (u16, Value) {
        let question = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
        let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
        let (code, answer) = self.post(credential, token, path, &question).await.unwrap();
        (code, answer["status"]["userInfo"].clone())
    }
}

#[tokio::test]
async fn certificates_name_users_and_groups() {
    let authority = Authority::new();
    let server = serve(&authority, ClientAuthentication::Optional).await;
    let (code, mut user) = server.who(Some(authority.client(Some("alice"), &["dev"])), None).await;
    assert_eq!(code, 201);
    let extra = user.as_object_mut().unwrap().remove("extra").unwrap();
    let id = extra["authentication.kubernetes.io/credential-id"][0].as_str().unwrap();
    assert!(id.starts_with("X509SHA256=") && id.len() == "X509SHA256=".len() + 64, "{id}");
    assert_eq!(user, json!({"username": "alice", "groups": ["dev", "system:authenticated"]}));
    let anonymous = json!({"username": "system:anonymous", "groups": ["system:unauthenticated"]});
    assert_eq!(server.who(None, None).await, (201, anonymous.clone()));
    // Without a name a certificate says nothing.
    assert_eq!(server.who(Some(authority.client(None, &["dev"])), None).await, (201, anonymous));
}

#[tokio::test]
async fn a_certificate_of_another_authority_is_unauthorized() {
    let server = serve(&Authority::new(), ClientAuthentication::Optional).await;
    let stranger = Authority::new().client(Some("alice"), &[]);
    assert_eq!(server.who(Some(stranger), None).await, (401, Value::Null));
}

#[tokio::test]
async fn where_certificates_are_required_others_cannot_connect() {
    let authority = Authority::new();
    let server = serve(&authority, ClientAuthentication::Required).await;
    let (code, user) = server.who(Some(authority.client(Some("bob"), &[])), None).await;
    assert_eq!((code, &user["username"]), (201, &json!("bob")));
    assert!(server.post(None, None, "/api/v1/namespaces", &json!({})).await.is_err());
}

#[tokio::test]
async fn requests_for_certificates_say_who_asked() {
    let authority = Authority::new();
    let server = serve(&authority, ClientAuthentication::Optional).await;
    let key = KeyPair::generate().unwrap();
    let request = CertificateParams::default().serialize_request(&key).unwrap().pem().unwrap();
    let object = json!({"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
        "metadata": {"name": "a"},
        "spec": {"request": base64::Engine::encode(&base64::engine::general_purpose::STANDARD, request),
            "signerName": "example.com/signer", "usages": ["client auth"], "username": "forged", "uid": "forged"}});
    let path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    let client = authority.client(Some("alice"), &["dev"]);
    let (code, answer) = server.post(Some(client), None, path, &object).await.unwrap();
    assert_eq!(code, 201, "{answer}");
    let spec = &answer["spec"];
    assert_eq!(spec["username"], "alice");
    assert_eq!(spec["groups"], json!(["dev", "system:authenticated"]));
    assert!(spec["uid"].is_null() && spec["extra"]["authentication.kubernetes.io/credential-id"].is_array());
}

#[tokio::test]
async fn tokens_of_service_accounts_name_them() {
    let authority = Authority::new();
    let server = serve(&authority, ClientAuthentication::Optional).await;
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}});
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    assert_eq!(server.post(None, None, accounts, &account).await.unwrap().0, 201);
    let request = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
    let (_, answer) = server.post(None, None, &format!("{accounts}/robot/token"), &request).await.unwrap();
    let token = answer["status"]["token"].as_str().unwrap();
    let (code, user) = server.who(None, Some(token)).await;
    assert_eq!((code, &user["username"]), (201, &json!("system:serviceaccount:default:robot")));
    assert_eq!(server.who(None, Some("unknown")).await.0, 401);
    // A certificate is asked first.
    let client = authority.client(Some("alice"), &[]);
    assert_eq!(server.who(Some(client), Some("unknown")).await.1["username"], "alice");
}

#[tokio::test]
async fn tokens_end_with_the_objects_that_they_are_bound_to() {
    let authority = Authority::new();
    let server = serve(&authority, ClientAuthentication::Optional).await;
    let (core, namespace) = ("/api/v1", "/api/v1/namespaces/default");
    let named =
        |kind: &str, name: &str| json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}});
    let create = async |path: String, object: Value| {
        let (code, answer) = server.post(None, None, &path, &object).await.unwrap();
        assert_eq!(code, 201, "{answer}");
        answer
    };
    create(format!("{namespace}/serviceaccounts"), named("ServiceAccount", "robot")).await;
    create(format!("{core}/nodes"), named("Node", "near")).await;
    let mut pod = named("Pod", "a");
    pod["spec"] = json!({"serviceAccountName": "robot", "nodeName": "near",
        "containers": [{"name": "main", "image": "nginx"}]});
    let uid = create(format!("{namespace}/pods"), pod).await["metadata"]["uid"].clone();
    let request = json!({"spec": {"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": "a"}}});
    let answer = create(format!("{namespace}/serviceaccounts/robot/token"), request).await;
    let token = answer["status"]["token"].as_str().unwrap();
    let (code, user) = server.who(None, Some(token)).await;
    let extra = |name: &str| user["extra"][format!("authentication.kubernetes.io/{name}")][0].clone();
    assert_eq!((code, extra("pod-name"), extra("pod-uid")), (201, json!("a"), uid));
    assert_eq!(extra("node-name"), "near");
    assert!(extra("node-uid").is_string());
    // A pod that is evicted is gone at once where no kubelet runs.
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "a"},
        "deleteOptions": {"gracePeriodSeconds": 0}});
    create(format!("{namespace}/pods/a/eviction"), eviction).await;
    let review =
        json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}});
    let answer = create("/apis/authentication.k8s.io/v1/tokenreviews".to_owned(), review).await;
    let error = "[invalid bearer token, service account token has been invalidated]";
    assert_eq!(answer["status"], json!({"user": {}, "error": error}));
    assert_eq!(server.who(None, Some(token)).await.0, 401);
}
