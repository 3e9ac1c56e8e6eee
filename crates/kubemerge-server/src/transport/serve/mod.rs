//! The handler behind a listener, for clients that speak HTTP.
//!
//! It listens on loopback unless told otherwise, and stops cleanly: open watches end, requests that are being
//! answered are let finish for a moment.

mod kubeconfig;
#[cfg(feature = "tls")]
mod tls;

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};

use http::{Request, Response};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::{JoinHandle, JoinSet},
};

use crate::{
    api::app::App,
    protocol::{
        reply::{Body, Reply},
        status::Failure,
    },
    server::ApiServer,
    transport::service,
};

/// How long a client may take to send its headers, and then its body.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long requests may go on after the server was told to stop.
const FAREWELL: Duration = Duration::from_millis(500);

/// How a server listens.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    address: SocketAddr,
    #[cfg(feature = "tls")]
    tls: Option<tls::ClientCertificates>,
}

impl Default for ServeOptions {
    fn default() -> Self {
        ServeOptions {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            #[cfg(feature = "tls")]
            tls: None,
        }
    }
}

impl ServeOptions {
    /// Listens here; port 0 takes a free port. Loopback and a free port by default.
    pub fn address(mut self, address: SocketAddr) -> Self {
        self.address = address;
        self
    }

    /// Speaks HTTPS with a certificate made for the occasion; the kubeconfig trusts it.
    #[cfg(feature = "tls")]
    pub fn tls(mut self) -> Self {
        self.tls.get_or_insert(tls::ClientCertificates::NotAsked);
        self
    }

    /// Speaks HTTPS and lets in only clients with the certificate that is in the kubeconfig.
    #[cfg(feature = "tls")]
    pub fn client_certificates(mut self) -> Self {
        self.tls = Some(tls::ClientCertificates::Required);
        self
    }
}

/// A listener. Dropping it stops the server.
pub struct Serving {
    address: SocketAddr,
    kubeconfig: String,
    url: String,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Serving {
    /// Where the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of the server.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A kubeconfig that leads to the server.
    pub fn kubeconfig(&self) -> &str {
        &self.kubeconfig
    }

    /// Stops listening and ends what is open.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        drop(self.task.await);
    }
}

impl ApiServer {
    /// Listens; the socket is open when this returns.
    ///
    /// # Errors
    /// If the address cannot be bound or a certificate cannot be made.
    pub async fn serve(&self, options: ServeOptions) -> io::Result<Serving> {
        let listener = TcpListener::bind(options.address).await?;
        let address = listener.local_addr()?;
        let door = Door::new(&options, address)?;
        let token = self.app().settings.token.as_deref();
        let url = format!("{}://{address}", door.scheme());
        let kubeconfig = kubeconfig::text(&url, token, &door);
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(accept(listener, door, self.app().clone(), stopped));
        Ok(Serving { address, kubeconfig, url, stop, task })
    }
}

/// What stands between the socket and HTTP.
pub(crate) enum Door {
    Plain,
    #[cfg(feature = "tls")]
    Tls(Box<tls::Identity>),
}

impl Door {
    #[cfg(feature = "tls")]
    fn new(options: &ServeOptions, address: SocketAddr) -> io::Result<Door> {
        match options.tls {
            None => Ok(Door::Plain),
            Some(clients) => Ok(Door::Tls(Box::new(tls::Identity::new(address.ip(), clients)?))),
        }
    }

    #[cfg(not(feature = "tls"))]
    fn new(_: &ServeOptions, _: SocketAddr) -> io::Result<Door> {
        Ok(Door::Plain)
    }

    fn scheme(&self) -> &'static str {
        match self {
            Door::Plain => "http",
            #[cfg(feature = "tls")]
            Door::Tls(_) => "https",
        }
    }
}

async fn accept(listener: TcpListener, door: Door, app: Arc<App>, mut stopped: watch::Receiver<bool>) {
    let mut connections = JoinSet::new();
    let door = Arc::new(door);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let connection = enter(door.clone(), stream, app.clone(), stopped.clone());
                    connections.spawn(connection);
                }
                // Out of file descriptors or the like: the next connection may work again.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next() => {}
            _ = stopped.changed() => break,
        }
    }
    let farewell = async { while connections.join_next().await.is_some() {} };
    drop(tokio::time::timeout(FAREWELL, farewell).await);
}

async fn enter(door: Arc<Door>, stream: TcpStream, app: Arc<App>, stopped: watch::Receiver<bool>) {
    drop(stream.set_nodelay(true));
    match &*door {
        Door::Plain => converse(stream, app, stopped).await,
        #[cfg(feature = "tls")]
        Door::Tls(identity) => {
            if let Ok(Ok(stream)) = tokio::time::timeout(PATIENCE, identity.acceptor().accept(stream)).await {
                converse(stream, app, stopped).await;
            }
        }
    }
}

/// Answers the requests of one connection.
async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    app: Arc<App>,
    mut stopped: watch::Receiver<bool>,
) {
    let answer = service_fn(move |request: Request<Incoming>| {
        let app = app.clone();
        async move { Ok::<_, Infallible>(answer(&app, request).await) }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    let connection = builder.serve_connection(TokioIo::new(stream), answer);
    tokio::pin!(connection);
    tokio::select! {
        _ = &mut connection => return,
        _ = stopped.changed() => connection.as_mut().graceful_shutdown(),
    }
    drop(connection.await);
}

async fn answer(app: &Arc<App>, request: Request<Incoming>) -> Response<Body> {
    let slow = || {
        let failure = Failure::new(408, "Timeout", "the body of the request did not arrive in time");
        Reply::failure(&failure).into_response()
    };
    let (parts, body) = request.into_parts();
    match tokio::time::timeout(PATIENCE, service::collect(body)).await {
        Err(_) => slow(),
        Ok(Err(failure)) => Reply::failure(&failure).into_response(),
        Ok(Ok(bytes)) => app.handle(parts, bytes).await,
    }
}
