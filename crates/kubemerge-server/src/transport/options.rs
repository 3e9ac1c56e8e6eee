//! How a server listens, whom it answers and how much it does at once.

use std::{fmt, io, net::SocketAddr, sync::Arc, time::Duration};

use crate::transport::{
    acceptor::Acceptor,
    access_log::{AccessLogEntry, ErrorSink, LogSink},
    idle::most_by_files,
    limits::MAX_WATCHES,
};
#[cfg(feature = "tls")]
use crate::transport::{
    given_certificate::{ClientAuthentication, ServerCertificate},
    tls,
};

/// As many requests as kube-apiserver carries out at once: 400 that read and 200 that write.
const MAX_REQUESTS_INFLIGHT: usize = 600;

/// As many as watches, each of which may have one, and some more.
const MAX_CONNECTIONS: usize = 12_000;

/// As long as kube-apiserver keeps Events.
const EVENT_TTL: Duration = Duration::from_hours(1);

/// How a server listens.
#[derive(Clone)]
#[must_use]
pub struct ServeOptions {
    pub(super) address: SocketAddr,
    pub(super) allowed_hosts: Vec<String>,
    is_insecure: bool,
    pub(super) max_requests_inflight: usize,
    pub(super) max_watches: usize,
    max_connections: usize,
    pub(super) access_log: Option<LogSink>,
    pub(super) error_log: Option<ErrorSink>,
    pub(super) event_ttl: Duration,
    #[cfg(feature = "tls")]
    tls: Option<Certificates>,
}

/// Whose certificates are used.
#[cfg(feature = "tls")]
#[derive(Clone)]
enum Certificates {
    Generated(tls::ClientCertificates),
    Given(ServerCertificate),
}

impl Default for ServeOptions {
    fn default() -> Self {
        ServeOptions {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            allowed_hosts: Vec::new(),
            is_insecure: false,
            max_requests_inflight: MAX_REQUESTS_INFLIGHT,
            max_watches: MAX_WATCHES,
            max_connections: MAX_CONNECTIONS,
            access_log: None,
            error_log: None,
            event_ttl: EVENT_TTL,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }
}

impl fmt::Debug for ServeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("ServeOptions");
        text.field("address", &self.address).field("allowed_hosts", &self.allowed_hosts);
        text.field("is_insecure", &self.is_insecure);
        text.finish_non_exhaustive()
    }
}

impl ServeOptions {
    /// Listens here; port 0 takes a free port. Loopback and a free port by default. Any other address needs a
    /// token, client certificates, or [`ServeOptions::insecure`].
    pub fn address(mut self, address: SocketAddr) -> Self {
        self.address = address;
        self
    }

    /// Accepts every client that can reach the address.
    pub fn insecure(mut self) -> Self {
        self.is_insecure = true;
        self
    }

    /// Answers requests for this host name too; addresses and `localhost` are always answered. Others are refused,
    /// because a page in a browser can give its own name any address.
    pub fn allowed_host(mut self, name: &str) -> Self {
        self.allowed_hosts.push(name.to_owned());
        self
    }

    /// Carries out at most this many requests at once, watches aside; more are answered with 429.
    pub fn max_requests_inflight(mut self, count: usize) -> Self {
        self.max_requests_inflight = count;
        self
    }

    /// Keeps at most this many watches open; more are answered with 429.
    pub fn max_watches(mut self, count: usize) -> Self {
        self.max_watches = count;
        self
    }

    /// Keeps at most this many connections open: 12,000, or as many as the limit of the process for open files leaves
    /// room for. When there are as many, connections without a request are closed after a second, and new ones wait.
    pub fn max_connections(mut self, count: usize) -> Self {
        self.max_connections = count;
        self
    }

    pub(super) fn most_connections(&self) -> usize {
        self.max_connections.min(most_by_files().unwrap_or(usize::MAX))
    }

    /// Calls this with every request that was answered.
    pub fn access_log(mut self, log: impl Fn(&AccessLogEntry<'_>) + Send + Sync + 'static) -> Self {
        self.access_log = Some(Arc::new(log));
        self
    }

    /// Calls this with a line about every request that made the server panic, which is a defect; it is answered with 500.
    pub fn error_log(mut self, log: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.error_log = Some(Arc::new(log));
        self
    }

    /// Removes Events that were not written for this long; an hour by default, never for zero.
    pub fn event_ttl(mut self, ttl: Duration) -> Self {
        self.event_ttl = ttl;
        self
    }

    /// Serves HTTPS with a self-signed certificate, which the kubeconfig trusts.
    #[cfg(feature = "tls")]
    pub fn tls(mut self) -> Self {
        self.tls.get_or_insert(Certificates::Generated(tls::ClientCertificates::NotAsked));
        self
    }

    /// Serves HTTPS and requires the client certificate that is in the kubeconfig.
    #[cfg(feature = "tls")]
    pub fn client_certificates(mut self) -> Self {
        self.tls = Some(Certificates::Generated(tls::ClientCertificates::Required));
        self
    }

    /// Serves HTTPS with this certificate.
    #[cfg(feature = "tls")]
    pub fn certificate(mut self, certificate: ServerCertificate) -> Self {
        self.tls = Some(Certificates::Given(certificate));
        self
    }

    #[cfg(feature = "tls")]
    pub(super) fn acceptor(&self, address: SocketAddr) -> io::Result<Acceptor> {
        match &self.tls {
            None => Ok(Acceptor::Plain),
            Some(Certificates::Given(given)) => Ok(Acceptor::Tls(Box::new(tls::Identity::given(given)))),
            Some(Certificates::Generated(clients)) => {
                let identity = tls::Identity::new(address.ip(), &self.allowed_hosts, *clients)?;
                Ok(Acceptor::Tls(Box::new(identity)))
            }
        }
    }

    #[cfg(not(feature = "tls"))]
    pub(super) fn acceptor(&self, _: SocketAddr) -> io::Result<Acceptor> {
        Ok(Acceptor::Plain)
    }

    /// Refuses an address that others can reach without a token or a certificate, unless that was asked for.
    pub(super) fn check_address(&self, has_token: bool) -> io::Result<()> {
        if self.address.ip().is_loopback() || has_token || self.has_client_certificates() || self.is_insecure
        {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!(
                "{} is not a loopback address, and there is no token and no client certificate",
                self.address
            ),
        ))
    }

    #[cfg(feature = "tls")]
    fn has_client_certificates(&self) -> bool {
        match &self.tls {
            None => false,
            Some(Certificates::Generated(clients)) => *clients == tls::ClientCertificates::Required,
            Some(Certificates::Given(given)) => given.clients == ClientAuthentication::Required,
        }
    }

    #[cfg(not(feature = "tls"))]
    fn has_client_certificates(&self) -> bool {
        false
    }
}
