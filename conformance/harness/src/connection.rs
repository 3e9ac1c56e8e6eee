//! A connection to an API server: HTTP or HTTPS with keep-alive, one request at a time.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, client::conn::http1::SendRequest};
use hyper_util::rt::TokioIo;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

/// How long an answer may take. A watch ends by itself within its `timeoutSeconds`.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);

/// Where a server is, and what its clients need.
#[derive(Clone)]
pub(crate) struct Endpoint {
    address: SocketAddr,
    token: Option<String>,
    /// For HTTPS.
    tls: Option<TlsConnector>,
}

impl Endpoint {
    /// A server that speaks HTTP and lets everybody in.
    pub(crate) fn plain(address: SocketAddr) -> Endpoint {
        Endpoint { address, token: None, tls: None }
    }

    /// A server that speaks HTTPS, its certificate or that of its authority as PEM.
    pub(crate) fn tls(address: SocketAddr, token: Option<String>, pem: &[u8]) -> Result<Endpoint, String> {
        Ok(Endpoint { address, token, tls: Some(connector(pem)?) })
    }

    /// The server of a kubeconfig that kubemerge wrote, which is JSON.
    pub(crate) fn of_kubeconfig(text: &str) -> Result<Endpoint, String> {
        let config: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let (cluster, user) = (&config["clusters"][0]["cluster"], &config["users"][0]["user"]);
        let url = cluster["server"].as_str().unwrap_or_default();
        let (scheme, address) = url.split_once("://").ok_or_else(|| format!("`{url}` is no URL"))?;
        let address = address.parse().map_err(|error| format!("{url}: {error}"))?;
        let token = user["token"].as_str().map(str::to_owned);
        if scheme == "http" {
            return Ok(Endpoint { address, token, tls: None });
        }
        let encoded = cluster["certificate-authority-data"].as_str().unwrap_or_default();
        Endpoint::tls(address, token, &STANDARD.decode(encoded).map_err(|error| error.to_string())?)
    }
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

    /// The body; null if it is no JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// A request without a body for `null`, else with one as JSON. The content type is that of a patch where it is one.
pub(crate) fn json_request(method: &str, path: &str, body: &Value) -> Result<Request<Bytes>, String> {
    let content_type = match method {
        "PATCH" => "application/strategic-merge-patch+json",
        _ => "application/json",
    };
    let bytes = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
    let request = Request::builder().method(method).uri(path).header("content-type", content_type);
    request.body(bytes).map_err(|error| error.to_string())
}

/// A connection that is opened with the first request, and again where the server closed it.
pub(crate) struct Connection {
    endpoint: Endpoint,
    sender: Option<SendRequest<Full<Bytes>>>,
}

impl Connection {
    pub(crate) fn new(endpoint: Endpoint) -> Connection {
        Connection { endpoint, sender: None }
    }

    /// Sends a request with a JSON body and reads the whole answer.
    pub(crate) async fn ask(&mut self, method: &str, path: &str, body: &Value) -> Result<Answer, String> {
        self.send(&json_request(method, path, body)?).await
    }

    /// Sends a request and reads the whole answer. A connection that the server has closed is opened once more.
    pub(crate) async fn send(&mut self, request: &Request<Bytes>) -> Result<Answer, String> {
        let reused = self.sender.is_some();
        match self.send_once(request).await {
            // Only then may the server have closed it meanwhile; a fresh connection that fails is an error.
            Err(_) if reused => self.send_once(request).await,
            answer => answer,
        }
    }

    /// The same on a connection that may be closed, without a second try: for writes that must not happen twice.
    pub(crate) async fn send_once(&mut self, request: &Request<Bytes>) -> Result<Answer, String> {
        let exchange = async {
            let (response, sender) = self.respond(request).await?;
            Ok::<_, String>((read(response).await?, sender))
        };
        let (answer, sender) = tokio::time::timeout(ANSWER_TIMEOUT, exchange)
            .await
            .map_err(|_| "no answer in time".to_string())??;
        self.sender = Some(sender);
        Ok(answer)
    }

    /// Sends a request whose answer goes on, such as a watch; its body ends with the connection.
    pub(crate) async fn stream(endpoint: Endpoint, request: &Request<Bytes>) -> Result<Stream, String> {
        let (response, sender) = Connection::new(endpoint).respond(request).await?;
        Ok(Stream { response, _sender: sender })
    }

    /// Takes the connection, so that one that fails is not used again.
    async fn respond(
        &mut self,
        request: &Request<Bytes>,
    ) -> Result<(Response<Incoming>, SendRequest<Full<Bytes>>), String> {
        let mut sender = match self.sender.take() {
            Some(sender) => sender,
            None => self.open().await?,
        };
        sender.ready().await.map_err(|error| error.to_string())?;
        let wire = self.on_the_wire(request)?;
        let response = sender.send_request(wire).await.map_err(|error| error.to_string())?;
        Ok((response, sender))
    }

    fn on_the_wire(&self, request: &Request<Bytes>) -> Result<Request<Full<Bytes>>, String> {
        let mut wire = Request::builder().method(request.method()).uri(request.uri());
        for (name, value) in request.headers() {
            wire = wire.header(name, value);
        }
        if let Some(token) = &self.endpoint.token {
            wire = wire.header(http::header::AUTHORIZATION, format!("Bearer {token}"));
        }
        wire.header(http::header::HOST, self.endpoint.address.to_string())
            .body(Full::new(request.body().clone()))
            .map_err(|error| error.to_string())
    }

    async fn open(&self) -> Result<SendRequest<Full<Bytes>>, String> {
        let stream = TcpStream::connect(self.endpoint.address).await.map_err(|error| error.to_string())?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        match &self.endpoint.tls {
            None => handshake(stream).await,
            Some(tls) => {
                let name = ServerName::IpAddress(self.endpoint.address.ip().into());
                handshake(tls.connect(name, stream).await.map_err(|error| error.to_string())?).await
            }
        }
    }
}

/// An answer that goes on.
pub(crate) struct Stream {
    response: Response<Incoming>,
    /// The connection ends with it.
    _sender: SendRequest<Full<Bytes>>,
}

impl Stream {
    pub(crate) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// The next piece of the body; none at its end, be it in order or not.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        loop {
            let frame = self.response.body_mut().frame().await?.ok()?;
            if let Ok(data) = frame.into_data() {
                return Some(data);
            }
        }
    }
}

async fn handshake<S>(stream: S) -> Result<SendRequest<Full<Bytes>>, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| error.to_string())?;
    // Runs whenever this client waits for an answer; ends with the connection.
    tokio::spawn(connection);
    Ok(sender)
}

async fn read(response: Response<Incoming>) -> Result<Answer, String> {
    let (parts, body) = response.into_parts();
    let body = body.collect().await.map_err(|error| error.to_string())?.to_bytes();
    Ok(Answer::new(&Response::from_parts(parts, ()), body))
}

fn connector(pem: &[u8]) -> Result<TlsConnector, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| error.to_string())?;
        // A file may have the server's certificate and the authority that signed it; only the second is a root.
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
