//! Clients that send one request after the other, all at the same time, and note how long each took.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::Request;

use crate::connection::{Connection, Endpoint};

/// Connections, one for each client.
pub(super) struct Clients(Vec<Connection>);

/// How long requests took.
#[derive(Default)]
pub(super) struct Timings(pub(super) Vec<Duration>);

/// When clients end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Until {
    /// After this time.
    After(Duration),
    /// After this many requests of all clients.
    Count(u64),
}

/// Which request a client sends next.
pub(super) type Next<'r> = &'r (dyn Fn(usize) -> Request<Bytes> + Sync);

impl Clients {
    /// Opens the connections.
    pub(super) async fn connect(endpoint: &Endpoint, count: usize) -> Result<Clients, String> {
        let version = Request::get("/version").body(Bytes::new()).map_err(|error| error.to_string())?;
        let mut connections = Vec::new();
        for _ in 0..count {
            let mut connection = Connection::new(endpoint.clone());
            connection.send(&version).await?;
            connections.push(connection);
        }
        Ok(Clients(connections))
    }

    /// Sends requests, all clients at the same time.
    pub(super) async fn send(self, until: Until, next: Next<'_>) -> Result<(Clients, Timings), String> {
        match until {
            Until::After(duration) => {
                let end = Instant::now() + duration;
                self.send_while(&|| Instant::now() < end, next).await
            }
            Until::Count(count) => {
                let left = AtomicU64::new(count);
                let one_less = |left: u64| left.checked_sub(1);
                let take = || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok();
                self.send_while(&take, next).await
            }
        }
    }

    async fn send_while(
        mut self,
        goes_on: &(dyn Fn() -> bool + Sync),
        next: Next<'_>,
    ) -> Result<(Clients, Timings), String> {
        let clients = self.0.iter_mut().enumerate();
        let all = futures_util::future::try_join_all(clients.map(|(client, connection)| async move {
            let mut timings = Vec::new();
            while goes_on() {
                timings.push(exchange(connection, &next(client)).await?);
            }
            Ok::<_, String>(timings)
        }));
        let timings = all.await?.into_iter().flatten().collect();
        Ok((self, Timings(timings)))
    }
}

/// One request, which must succeed.
async fn exchange(connection: &mut Connection, request: &Request<Bytes>) -> Result<Duration, String> {
    let start = Instant::now();
    let answer = connection.send_once(request).await?;
    match answer.status {
        200 | 201 => Ok(start.elapsed()),
        code => {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            Err(format!("{} {}: {code}: {text}", request.method(), request.uri()))
        }
    }
}
