//! A listener for clients that speak HTTP.
//!
//! It listens on loopback by default, and stops cleanly: open watches end, requests that are being
//! answered get a short time to finish.

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

#[cfg(feature = "tls")]
use crate::transport::tls;
use crate::{
    api::state::Api,
    protocol::{
        reply::{Body, Reply},
        status::Failure,
    },
    transport::{acceptor::Acceptor, kubeconfig, service},
};

/// How long a client may take to send its headers, and then its body.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// How long open requests may take to finish after the server was told to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(500);

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
    #[cfg(feature = "tls")]
    fn acceptor(&self, address: SocketAddr) -> io::Result<Acceptor> {
        match self.tls {
            None => Ok(Acceptor::Plain),
            Some(clients) => Ok(Acceptor::Tls(Box::new(tls::Identity::new(address.ip(), clients)?))),
        }
    }

    #[cfg(not(feature = "tls"))]
    fn acceptor(&self, _: SocketAddr) -> io::Result<Acceptor> {
        Ok(Acceptor::Plain)
    }

    /// Listens here; port 0 takes a free port. Loopback and a free port by default.
    pub fn address(mut self, address: SocketAddr) -> Self {
        self.address = address;
        self
    }

    /// Serves HTTPS with a self-signed certificate, which the kubeconfig trusts.
    #[cfg(feature = "tls")]
    pub fn tls(mut self) -> Self {
        self.tls.get_or_insert(tls::ClientCertificates::NotAsked);
        self
    }

    /// Serves HTTPS and requires the client certificate that is in the kubeconfig.
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

/// Listens; the socket is open when this returns.
pub(crate) async fn serve(api: Arc<Api>, options: &ServeOptions) -> io::Result<Serving> {
    let listener = TcpListener::bind(options.address).await?;
    let address = listener.local_addr()?;
    let acceptor = options.acceptor(address)?;
    let url = format!("{}://{address}", acceptor.scheme());
    let kubeconfig = kubeconfig::text(&url, api.settings.token.as_deref(), &acceptor);
    let (stop, stopped) = watch::channel(false);
    let task = tokio::spawn(accept(listener, acceptor, api, stopped));
    Ok(Serving { address, kubeconfig, url, stop, task })
}

async fn accept(
    listener: TcpListener,
    acceptor: Acceptor,
    api: Arc<Api>,
    mut stopped: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    let acceptor = Arc::new(acceptor);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let connection = accept_connection(acceptor.clone(), stream, api.clone(), stopped.clone());
                    connections.spawn(connection);
                }
                // Out of file descriptors or the like: the next connection may work again.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next() => {}
            _ = stopped.changed() => break,
        }
    }
    // Watches end by themselves when `stopped` changes; this waits for the others.
    let finished = async { while connections.join_next().await.is_some() {} };
    drop(tokio::time::timeout(SHUTDOWN_GRACE, finished).await);
}

async fn accept_connection(
    acceptor: Arc<Acceptor>,
    stream: TcpStream,
    api: Arc<Api>,
    stopped: watch::Receiver<bool>,
) {
    // Events of a watch are small and must not wait for more.
    drop(stream.set_nodelay(true));
    match &*acceptor {
        Acceptor::Plain => serve_connection(stream, api, stopped).await,
        #[cfg(feature = "tls")]
        Acceptor::Tls(identity) => {
            if let Ok(Ok(stream)) =
                tokio::time::timeout(READ_TIMEOUT, identity.acceptor().accept(stream)).await
            {
                serve_connection(stream, api, stopped).await;
            }
        }
    }
}

/// Answers the requests of one connection.
async fn serve_connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    api: Arc<Api>,
    mut stopped: watch::Receiver<bool>,
) {
    let answer = service_fn(move |request: Request<Incoming>| {
        let api = api.clone();
        async move { Ok::<_, Infallible>(answer(&api, request).await) }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // Without a timer hyper ignores the timeout.
    builder.http1().timer(TokioTimer::new()).header_read_timeout(READ_TIMEOUT);
    let connection = builder.serve_connection(TokioIo::new(stream), answer);
    tokio::pin!(connection);
    tokio::select! {
        _ = &mut connection => return,
        _ = stopped.changed() => connection.as_mut().graceful_shutdown(),
    }
    drop(connection.await);
}

async fn answer(api: &Arc<Api>, request: Request<Incoming>) -> Response<Body> {
    let slow = || {
        let failure = Failure::new(408, "Timeout", "the body of the request did not arrive in time");
        Reply::failure(&failure).into_response()
    };
    let (parts, body) = request.into_parts();
    match tokio::time::timeout(READ_TIMEOUT, service::collect(body)).await {
        Err(_) => slow(),
        Ok(Err(failure)) => Reply::failure(&failure).into_response(),
        Ok(Ok(bytes)) => api.handle(parts, bytes).await,
    }
}
