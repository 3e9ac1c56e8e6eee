//! A client of one kube-apiserver: HTTPS with keep-alive, one request at a time.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, client::conn::http1::SendRequest};
use hyper_util::rt::TokioIo;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use tokio::{net::TcpStream, runtime::Runtime};
use tokio_rustls::TlsConnector;

/// Where a server is, and what its clients need.
pub(crate) struct Endpoint {
    pub(crate) port: u16,
    pub(crate) token: String,
    pub(crate) certificate: PathBuf,
}

/// An answer of any server, read to its end.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) warnings: Vec<String>,
    pub(crate) body: Bytes,
}

impl Answer {
    /// Takes apart what every HTTP library gives.
    pub(crate) fn new<B>(response: &Response<B>, body: Bytes) -> Answer {
        let header = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        Answer {
            status: response.status().as_u16(),
            content_type: response.headers().get(http::header::CONTENT_TYPE).map(header).unwrap_or_default(),
            warnings: response.headers().get_all(http::header::WARNING).iter().map(header).collect(),
            body,
        }
    }
}

/// How long an answer may take. A watch ends by itself within its `timeoutSeconds`.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// A connection that is opened again where the server closed it.
pub(crate) struct Client {
    runtime: Runtime,
    tls: TlsConnector,
    port: u16,
    token: String,
    connection: Option<SendRequest<Full<Bytes>>>,
}

impl Client {
    /// Reads the certificate of a server; connects with the first request.
    pub(crate) fn connect(endpoint: Endpoint) -> Result<Client, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(Client {
            runtime: runtime.map_err(|error| error.to_string())?,
            tls: connector(&endpoint.certificate)?,
            port: endpoint.port,
            token: endpoint.token,
            connection: None,
        })
    }

    /// GET of a path, as JSON.
    pub(crate) fn get(&mut self, path: &str) -> Result<Answer, String> {
        let request = Request::get(path).body(Bytes::new()).map_err(|error| error.to_string())?;
        self.send(&request)
    }

    /// Sends a request and reads the whole answer. A connection that the server has closed is opened once more.
    pub(crate) fn send(&mut self, request: &Request<Bytes>) -> Result<Answer, String> {
        let reused = self.connection.is_some();
        match self.try_send(request) {
            // Only then may the server have closed it meanwhile; a fresh connection that fails is an error.
            Err(_) if reused => self.try_send(request),
            answer => answer,
        }
    }

    fn try_send(&mut self, request: &Request<Bytes>) -> Result<Answer, String> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.open()?,
        };
        let wire = self.on_the_wire(request)?;
        let exchange = async {
            connection.ready().await.map_err(|error| error.to_string())?;
            let response = connection.send_request(wire).await.map_err(|error| error.to_string())?;
            Ok::<_, String>((read(response).await?, connection))
        };
        let (answer, connection) = self
            .runtime
            .block_on(async { tokio::time::timeout(ANSWER_TIMEOUT, exchange).await })
            .map_err(|_| "no answer in time".to_string())??;
        self.connection = Some(connection);
        Ok(answer)
    }

    fn on_the_wire(&self, request: &Request<Bytes>) -> Result<Request<Full<Bytes>>, String> {
        let mut wire = Request::builder().method(request.method()).uri(request.uri());
        for (name, value) in request.headers() {
            wire = wire.header(name, value);
        }
        wire.header(http::header::HOST, format!("127.0.0.1:{}", self.port))
            .header(http::header::AUTHORIZATION, format!("Bearer {}", self.token))
            .body(Full::new(request.body().clone()))
            .map_err(|error| error.to_string())
    }

    fn open(&self) -> Result<SendRequest<Full<Bytes>>, String> {
        self.runtime.block_on(async {
            let stream =
                TcpStream::connect(("127.0.0.1", self.port)).await.map_err(|error| error.to_string())?;
            stream.set_nodelay(true).map_err(|error| error.to_string())?;
            let name = ServerName::IpAddress(std::net::Ipv4Addr::LOCALHOST.into());
            let stream = self.tls.connect(name, stream).await.map_err(|error| error.to_string())?;
            let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
                .await
                .map_err(|error| error.to_string())?;
            // Runs whenever this client waits for an answer; ends with the connection.
            tokio::spawn(connection);
            Ok(sender)
        })
    }
}

async fn read(response: Response<Incoming>) -> Result<Answer, String> {
    let (parts, body) = response.into_parts();
    let body = body.collect().await.map_err(|error| error.to_string())?.to_bytes();
    Ok(Answer::new(&Response::from_parts(parts, ()), body))
}

fn connector(path: &Path) -> Result<TlsConnector, String> {
    let mut roots = RootCertStore::empty();
    for certificate in
        CertificateDer::pem_file_iter(path).map_err(|error| format!("{}: {error}", path.display()))?
    {
        let certificate = certificate.map_err(|error| error.to_string())?;
        // The file has the server's certificate and the authority that signed it; only the second is a root.
        let _ = roots.add(certificate);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
