//! A listener for clients that speak HTTP.
//!
//! It listens on loopback by default, and stops cleanly: open watches end, requests that are being
//! answered get a short time to finish.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, watch},
    task::{JoinHandle, JoinSet},
};

use crate::{
    api::state::Api,
    transport::{
        acceptor::Acceptor,
        connection::{Client, serve_connection},
        event_expiry::expire_events,
        gate::Gate,
        idle::{Connections, Idle},
        kubeconfig,
        options::ServeOptions,
        recovery::recover_followups,
        unsent::{NotedWrites, Unsent},
    },
};

/// How long open requests may take to finish after the server was told to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(500);

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
    options.check_address(api.settings.token.is_some())?;
    let listener = TcpListener::bind(options.address).await?;
    let address = listener.local_addr()?;
    let acceptor = options.acceptor(address)?;
    let url = format!("{}://{address}", acceptor.scheme());
    let kubeconfig = kubeconfig::text(&url, api.settings.token.as_deref(), &acceptor);
    let (stop, stopped) = watch::channel(false);
    if !options.event_ttl.is_zero() {
        tokio::spawn(expire_events(api.clone(), options.event_ttl, stopped.clone()));
    }
    tokio::spawn(recover_followups(api.clone(), stopped.clone()));
    let gate = Arc::new(Gate::new(api, options));
    let room = Connections::new(options.most_connections());
    let task = tokio::spawn(accept(listener, acceptor, (gate, room), stopped));
    Ok(Serving { address, kubeconfig, url, stop, task })
}

async fn accept(
    listener: TcpListener,
    acceptor: Acceptor,
    (gate, room): (Arc<Gate>, Connections),
    mut stopped: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    let acceptor = Arc::new(acceptor);
    loop {
        tokio::select! {
            accepted = next_client(&listener, &room) => {
                let connection = accept_connection(acceptor.clone(), accepted, gate.clone(), stopped.clone());
                connections.spawn(connection);
            }
            Some(_) = connections.join_next() => {}
            _ = stopped.changed() => break,
        }
    }
    // Watches end by themselves when `stopped` changes; this waits for the others.
    let finished = async { while connections.join_next().await.is_some() {} };
    drop(tokio::time::timeout(SHUTDOWN_GRACE, finished).await);
}

/// A client that was let in.
struct Accepted {
    stream: TcpStream,
    room: OwnedSemaphorePermit,
    idle: Idle,
}

/// Waits for the next client, and until there is room for it.
async fn next_client(listener: &TcpListener, connections: &Connections) -> Accepted {
    loop {
        if let Ok((stream, _)) = listener.accept().await
            && let Some(room) = connections.enter().await
        {
            return Accepted { stream, room, idle: connections.idle() };
        }
        // Out of file descriptors or the like: the next connection may work again.
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn accept_connection(
    acceptor: Arc<Acceptor>,
    Accepted { stream, room, idle }: Accepted,
    gate: Arc<Gate>,
    stopped: watch::Receiver<bool>,
) {
    // Events of a watch are small and must not wait for more.
    drop(stream.set_nodelay(true));
    let unsent = Unsent::new();
    let stream = NotedWrites::new(stream, unsent.clone(), room);
    match &*acceptor {
        Acceptor::Plain => serve_connection(stream, Client { peer: None, unsent, idle }, gate, stopped).await,
        #[cfg(feature = "tls")]
        Acceptor::Tls(identity) => {
            if let Ok(Ok(stream)) =
                tokio::time::timeout(super::timeouts::READ_TIMEOUT, identity.acceptor().accept(stream)).await
            {
                let peer = identity.peer(stream.get_ref().1);
                serve_connection(stream, Client { peer, unsent, idle }, gate, stopped).await;
            }
        }
    }
}
