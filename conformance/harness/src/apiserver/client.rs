//! A client of one kube-apiserver for code that is not asynchronous.

use bytes::Bytes;
use http::Request;
use tokio::runtime::Runtime;

use crate::connection::{Answer, Connection, Endpoint};

/// A connection with a runtime of its own.
pub(crate) struct Client {
    runtime: Runtime,
    connection: Connection,
}

impl Client {
    /// Connects with the first request.
    pub(crate) fn new(endpoint: Endpoint) -> Result<Client, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        Ok(Client { runtime, connection: Connection::new(endpoint) })
    }

    /// GET of a path, as JSON.
    pub(crate) fn get(&mut self, path: &str) -> Result<Answer, String> {
        let request = Request::get(path).body(Bytes::new()).map_err(|error| error.to_string())?;
        self.send(&request)
    }

    /// Sends a request and reads the whole answer.
    pub(crate) fn send(&mut self, request: &Request<Bytes>) -> Result<Answer, String> {
        self.runtime.block_on(self.connection.send(request))
    }
}
