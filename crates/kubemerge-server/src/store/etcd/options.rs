//! Where etcd is, and how to get in.

use std::{fmt, time::Duration};

use etcd_client::{Certificate, ConnectOptions, Identity, TlsOptions};
use http::uri::Authority;

use super::keys::Keys;
use crate::store::StoreError;

const SCHEME: &str = "etcd://";
const DEFAULT_PORT: u16 = 2379;
const DEFAULT_PREFIX: &str = "kubemerge";

/// As kube-apiserver does by default.
const COMPACTION_INTERVAL: Duration = Duration::from_mins(5);

/// How long one call of etcd may take; a request that waits longer gets 503.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// etcd ends connections that are asked more often than every five seconds whether they are alive.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(6);
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(4);

/// Where etcd is, how to get in, and what an [`EtcdStore`](super::EtcdStore) does there.
#[derive(Clone)]
#[must_use]
pub struct EtcdOptions {
    /// Hosts with their ports.
    pub(super) endpoints: Vec<String>,
    pub(super) keys: Keys,
    authority: Option<String>,
    identity: Option<ClientIdentity>,
    user: Option<Account>,
    /// How often the history of etcd is compacted; never if unset.
    pub(super) compaction_interval: Option<Duration>,
}

#[derive(Clone)]
struct ClientIdentity {
    certificate: String,
    key: String,
}

#[derive(Clone)]
struct Account {
    name: String,
    password: String,
}

// Neither the password nor the key may get into a log.
impl fmt::Debug for EtcdOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EtcdOptions")
            .field("endpoints", &self.endpoints)
            .field("prefix", &self.keys.prefix())
            .field("user", &self.user.as_ref().map(|user| &user.name))
            .field("compaction_interval", &self.compaction_interval)
            .finish_non_exhaustive()
    }
}

impl EtcdOptions {
    /// Reads an address: `etcd://HOST:PORT`, with more endpoints of the same etcd after commas, and a prefix for all
    /// keys after a slash. Without them, the port is 2379 and the prefix is `kubemerge`.
    ///
    /// # Errors
    /// If it is no such address.
    pub fn new(address: &str) -> Result<EtcdOptions, StoreError> {
        let Some(rest) = address.strip_prefix(SCHEME) else {
            return Err(refused("it begins with etcd://"));
        };
        let (hosts, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        // The address itself is not repeated: it may have a password.
        if hosts.contains('@') {
            return Err(refused("it has no user, whose name and password are given apart"));
        }
        let endpoints = hosts.split(',').map(endpoint).collect::<Result<_, _>>()?;
        let prefix = Some(prefix.trim_matches('/')).filter(|prefix| !prefix.is_empty());
        Ok(EtcdOptions {
            endpoints,
            keys: Keys::below(prefix.unwrap_or(DEFAULT_PREFIX)),
            authority: None,
            identity: None,
            user: None,
            compaction_interval: Some(COMPACTION_INTERVAL),
        })
    }

    /// Connects with TLS, and trusts certificates of this authority, in PEM.
    pub fn certificate_authority(mut self, pem: impl Into<String>) -> Self {
        self.authority = Some(pem.into());
        self
    }

    /// Connects with TLS and shows this certificate, both in PEM.
    pub fn client_certificate(mut self, certificate: impl Into<String>, key: impl Into<String>) -> Self {
        self.identity = Some(ClientIdentity { certificate: certificate.into(), key: key.into() });
        self
    }

    /// Logs in as this user.
    pub fn user(mut self, name: impl Into<String>, password: impl Into<String>) -> Self {
        self.user = Some(Account { name: name.into(), password: password.into() });
        self
    }

    /// How often the history of etcd is compacted, five minutes by default; zero leaves it to others. Compaction is about
    /// the whole etcd, whatever the prefix. One of all servers on a prefix does it.
    pub fn compaction_interval(mut self, interval: Duration) -> Self {
        self.compaction_interval = Some(interval).filter(|interval| !interval.is_zero());
        self
    }

    fn uses_tls(&self) -> bool {
        self.authority.is_some() || self.identity.is_some()
    }

    /// All endpoints, for messages.
    pub(super) fn place(&self) -> String {
        self.endpoints.join(",")
    }

    pub(super) fn connect_options(&self) -> ConnectOptions {
        let mut options = ConnectOptions::new()
            .with_connect_timeout(CALL_TIMEOUT)
            .with_keep_alive(KEEP_ALIVE_INTERVAL, KEEP_ALIVE_TIMEOUT)
            // A member that lost its cluster ends its watches instead of showing nothing new.
            .with_require_leader(true)
            .with_auto_token_refresh(true);
        if let Some(Account { name, password }) = &self.user {
            options = options.with_user(name, password);
        }
        if self.uses_tls() {
            let mut tls = TlsOptions::new();
            if let Some(authority) = &self.authority {
                tls = tls.ca_certificate(Certificate::from_pem(authority));
            }
            if let Some(ClientIdentity { certificate, key }) = &self.identity {
                tls = tls.identity(Identity::from_pem(certificate, key));
            }
            options = options.with_tls(tls);
        }
        options
    }
}

fn endpoint(text: &str) -> Result<String, StoreError> {
    let parsed: Result<Authority, _> = text.parse();
    match parsed {
        Ok(authority) if authority.host().is_empty() => Err(refused("it names a host")),
        Ok(authority) if authority.port_u16().is_some() => Ok(text.to_string()),
        // A colon with no number after it is a mistake, not a host without a port.
        Ok(authority) if authority.as_str() == authority.host() => Ok(format!("{text}:{DEFAULT_PORT}")),
        _ => Err(refused("a host is a name or an address with a port")),
    }
}

fn refused(rule: &str) -> StoreError {
    StoreError::new(format!(
        "the address of the store cannot be read: {rule}; write etcd://HOST:PORT[,HOST:PORT…][/PREFIX]"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(address: &str) -> Result<(Vec<String>, String), String> {
        let options = EtcdOptions::new(address).map_err(|error| error.to_string())?;
        Ok((options.endpoints, options.keys.prefix().to_string()))
    }

    #[test]
    fn addresses_are_read() {
        let endpoints = |text: &str| read(text).map(|(endpoints, _)| endpoints.join(" "));
        assert_eq!(endpoints("etcd://127.0.0.1:2379"), Ok("127.0.0.1:2379".into()));
        assert_eq!(endpoints("etcd://a:1,b:2,c"), Ok("a:1 b:2 c:2379".into()));
        assert_eq!(endpoints("etcd://[::1]:2379/"), Ok("[::1]:2379".into()));
        let prefix = |text: &str| read(text).map(|(_, prefix)| prefix);
        assert_eq!(prefix("etcd://a"), Ok("/kubemerge".into()));
        assert_eq!(prefix("etcd://a/"), Ok("/kubemerge".into()));
        assert_eq!(prefix("etcd://a/team/one/"), Ok("/team/one".into()));
    }

    #[test]
    fn other_addresses_are_refused_with_the_form() {
        for text in
            ["etcd:", "etcd://", "etcd://a,", "etcd://a:b", "etcd://a:", "etcd://a:1:2", "http://a", "a b"]
        {
            assert!(read(text).is_err_and(|error| error.contains("etcd://HOST:PORT")), "{text}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        let error = read("etcd://root:hunter2@a:1").unwrap_err();
        assert!(!error.contains("hunter2") && error.contains("given apart"), "{error}");
        let options = EtcdOptions::new("etcd://a").unwrap().user("root", "hunter2");
        let shown = format!("{options:?}");
        assert!(shown.contains("root") && !shown.contains("hunter2"), "{shown}");
    }
}
