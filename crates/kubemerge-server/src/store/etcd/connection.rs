//! Calls of etcd: each with a time limit, and with errors that name the cure.

use std::{future::Future, net::ToSocketAddrs, sync::Arc};

use etcd_client::{
    Client, CompactionOptions, DeleteOptions, Error, GetOptions, GetResponse, KeyValue, KvClient,
    LeaseClient, MaintenanceClient, PutOptions, Txn, TxnOpResponse, TxnResponse, WatchClient, WatchOptions,
    WatchStream,
};
use tokio::time::timeout;

use super::{
    keys::Keys,
    options::{CALL_TIMEOUT, EtcdOptions},
};
use crate::store::{Revision, StoreError};

/// Pages and events have many objects. The limit of gRPC itself is larger than anything etcd sends.
const MAX_MESSAGE_BYTES: usize = i32::MAX as usize;

/// Codes of gRPC.
const UNKNOWN: i32 = 2;
const INVALID_ARGUMENT: i32 = 3;
const PERMISSION_DENIED: i32 = 7;
const RESOURCE_EXHAUSTED: i32 = 8;
const OUT_OF_RANGE: i32 = 11;
const UNAVAILABLE: i32 = 14;
const UNAUTHENTICATED: i32 = 16;

/// Why a call failed.
#[derive(Debug)]
pub(super) enum CallError {
    /// The revision cannot be read any more.
    Compacted,
    Failed(StoreError),
}

impl From<CallError> for StoreError {
    fn from(error: CallError) -> StoreError {
        match error {
            CallError::Compacted => StoreError::new("etcd has compacted a revision while it was read"),
            CallError::Failed(error) => error,
        }
    }
}

/// A connection to etcd. Copies share it.
#[derive(Clone)]
pub(super) struct Connection {
    kv: KvClient,
    watch: WatchClient,
    lease: LeaseClient,
    maintenance: MaintenanceClient,
    /// Where etcd is, for messages.
    place: Arc<str>,
    prefix: Arc<str>,
}

impl Connection {
    /// Connects, and logs in if there is a user.
    pub(super) async fn open(options: &EtcdOptions) -> Result<Connection, StoreError> {
        let place: Arc<str> = options.place().into();
        let prefix: Arc<str> = options.keys.prefix().into();
        let connecting = Client::connect(&options.endpoints, Some(options.connect_options()));
        let client = match timeout(CALL_TIMEOUT, connecting).await {
            Ok(connected) => connected.map_err(|error| StoreError::from(explain(error, &place, &prefix)))?,
            Err(_) => return Err(unreachable(&options.endpoints)),
        };
        Ok(Connection {
            kv: client
                .kv_client()
                .max_decoding_message_size(MAX_MESSAGE_BYTES)
                .max_encoding_message_size(MAX_MESSAGE_BYTES),
            watch: client.watch_client().max_decoding_message_size(MAX_MESSAGE_BYTES),
            lease: client.lease_client(),
            maintenance: client.maintenance_client(),
            place,
            prefix,
        })
    }

    async fn call<T>(&self, call: impl Future<Output = Result<T, Error>> + Send) -> Result<T, CallError> {
        match timeout(CALL_TIMEOUT, call).await {
            Ok(answered) => answered.map_err(|error| explain(error, &self.place, &self.prefix)),
            Err(_) => {
                Err(CallError::Failed(StoreError::new(format!("etcd at {} does not answer", self.place))))
            }
        }
    }

    pub(super) async fn get(
        &self,
        key: impl Into<Vec<u8>> + Send,
        options: GetOptions,
    ) -> Result<GetResponse, CallError> {
        self.call(self.kv.clone().get(key, Some(options))).await
    }

    pub(super) async fn txn(&self, txn: Txn) -> Result<TxnResponse, CallError> {
        self.call(self.kv.clone().txn(txn)).await
    }

    /// Writes a key; answers the revision.
    pub(super) async fn put(
        &self,
        key: String,
        value: Vec<u8>,
        options: Option<PutOptions>,
    ) -> Result<Revision, CallError> {
        let answered = self.call(self.kv.clone().put(key, value, options)).await?;
        Ok(answered.header().map_or(0, |header| unsigned(header.revision())))
    }

    pub(super) async fn delete(&self, key: String, options: Option<DeleteOptions>) -> Result<(), CallError> {
        self.call(self.kv.clone().delete(key, options)).await.map(drop)
    }

    /// Forgets all states of etcd before a revision.
    pub(super) async fn compact(&self, to: Revision) -> Result<(), CallError> {
        let options = Some(CompactionOptions::new());
        match self.call(self.kv.clone().compact(signed(to), options)).await {
            // Done already.
            Ok(_) | Err(CallError::Compacted) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Watches all keys that begin with a text, from a revision on.
    pub(super) async fn watch(&self, prefix: String, from: Revision) -> Result<WatchStream, CallError> {
        let options = WatchOptions::new().with_prefix().with_start_revision(signed(from));
        self.call(self.watch.clone().watch(prefix, Some(options))).await
    }

    /// A lease of this many seconds.
    pub(super) async fn grant(&self, seconds: i64) -> Result<i64, CallError> {
        Ok(self.call(self.lease.clone().grant(seconds, None)).await?.id())
    }

    /// Prolongs a lease; an error if it has ended.
    pub(super) async fn keep_alive(&self, lease: i64) -> Result<(), CallError> {
        self.call(self.lease.clone().keep_alive(lease)).await.map(drop)
    }

    /// How large the whole etcd is.
    pub(super) async fn disk_bytes(&self) -> Result<u64, CallError> {
        Ok(unsigned(self.call(self.maintenance.clone().status()).await?.db_size()))
    }

    /// The revision of the newest write below the prefix, as a linearizable read gives it.
    pub(super) async fn head(&self, keys: &Keys) -> Result<Revision, StoreError> {
        let found = self.get(keys.head(), GetOptions::new()).await?;
        match found.kvs().first() {
            Some(head) => Ok(unsigned(head.mod_revision())),
            None => Err(StoreError::new(format!(
                "etcd at {} has no data below {} any more: restore it and start the server again",
                self.place, self.prefix
            ))),
        }
    }
}

/// etcd's numbers are signed, and never negative.
pub(super) fn unsigned(number: i64) -> u64 {
    number.max(0).unsigned_abs()
}

pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The values that a transaction has read, in the order of its operations; none for a key that is missing.
pub(super) fn found(response: &TxnResponse) -> Vec<Option<KeyValue>> {
    let first = |response: TxnOpResponse| match response {
        TxnOpResponse::Get(mut got) => Some(got.take_kvs().into_iter().next()),
        _ => None,
    };
    response.op_responses().into_iter().filter_map(first).collect()
}

fn explain(error: Error, place: &str, prefix: &str) -> CallError {
    let failed = |text: String| CallError::Failed(StoreError::new(text));
    let Error::GRpcStatus(status) = &error else {
        return failed(format!("etcd at {place} cannot be used: {error}"));
    };
    let message = status.message();
    match i32::from(status.code()) {
        _ if message.contains("request is too large") => CallError::Failed(StoreError::too_large(message)),
        RESOURCE_EXHAUSTED if message.contains("larger than max") => {
            let text = format!("rpc error: code = ResourceExhausted desc = {message}");
            CallError::Failed(StoreError::too_large(text))
        }
        OUT_OF_RANGE if message.contains("compacted") => CallError::Compacted,
        UNAUTHENTICATED | PERMISSION_DENIED => failed(refusal(place, prefix, message)),
        // An unknown user, a wrong password and a missing user have this code.
        INVALID_ARGUMENT if message.contains("user") || message.contains("auth") => {
            failed(refusal(place, prefix, message))
        }
        UNAVAILABLE | UNKNOWN => {
            failed(format!("cannot reach etcd at {place}: {}", without_connection(message, status)))
        }
        _ => failed(format!("etcd at {place} failed: {message}")),
    }
}

/// Why there is no connection, and what to do.
fn without_connection(message: &str, error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let cause = cause.to_string();
    let text = if cause.contains(message) { cause } else { format!("{message}: {cause}") };
    match message {
        "tcp connect error" | "dns error" => format!("{text}; start etcd, or correct the address"),
        _ => format!(
            "{text}; start etcd, or correct the address; give a certificate authority if etcd wants TLS, and a client \
             certificate if it wants one"
        ),
    }
}

fn refusal(place: &str, prefix: &str, message: &str) -> String {
    format!(
        "etcd at {place} refuses the request: {message}; give a user, its password and a role that may read and write \
         all keys below {prefix}/"
    )
}

/// Why no call was answered: the port is closed, or what listens there is something else.
pub(super) fn unreachable(endpoints: &[String]) -> StoreError {
    let place = endpoints.join(",");
    for endpoint in endpoints {
        let address = match endpoint.to_socket_addrs().map(|mut found| found.next()) {
            Ok(Some(address)) => address,
            Ok(None) => return StoreError::new(format!("the host of etcd in {endpoint} has no address")),
            Err(error) => {
                return StoreError::new(format!("the host of etcd in {endpoint} is not known: {error}"));
            }
        };
        if let Err(error) = std::net::TcpStream::connect_timeout(&address, CALL_TIMEOUT) {
            return StoreError::new(format!(
                "cannot reach etcd at {endpoint}: {error}; start etcd, or correct the address"
            ));
        }
    }
    StoreError::new(format!(
        "{place} accepts connections but does not answer as etcd does: correct the address; give a certificate \
         authority if etcd wants TLS, and none if it does not"
    ))
}
