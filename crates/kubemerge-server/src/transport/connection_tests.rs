//! Connections in memory. Time stands still while anything is done, so that the order of events decides, not time.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Empty};
use hyper::{body::Incoming, client::conn::http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream},
    sync::watch,
    task::JoinHandle,
};

use super::{
    connection::{Client, serve_connection},
    gate::Gate,
    unsent::{NotedWrites, Unsent, WRITE_TIMEOUT},
};
use crate::{ApiServer, ServeOptions};

/// A listener without sockets.
struct Listener {
    gate: Arc<Gate>,
    stop: watch::Sender<bool>,
}

impl Listener {
    fn new(server: &ApiServer, options: &ServeOptions) -> Listener {
        Listener { gate: Arc::new(Gate::new(server.api(), options)), stop: watch::channel(false).0 }
    }

    fn connect(&self) -> (DuplexStream, JoinHandle<()>) {
        let (client, server) = tokio::io::duplex(4096);
        let unsent = Unsent::new();
        let stream = NotedWrites::new(server, unsent.clone());
        let client_of = Client { peer: None, unsent };
        let served = serve_connection(stream, client_of, self.gate.clone(), self.stop.subscribe());
        (client, tokio::spawn(served))
    }

    /// The status of the answer to a GET, on a connection of its own.
    async fn status(&self, path: &str) -> String {
        let (mut client, _served) = self.connect();
        client.write_all(get(path).as_bytes()).await.unwrap();
        let mut status = [0; 12];
        client.read_exact(&mut status).await.unwrap();
        String::from_utf8_lossy(&status).trim_start_matches("HTTP/1.1 ").to_owned()
    }
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
}

const CONFIG_MAPS: &str = "/api/v1/configmaps";

/// A server whose lists of ConfigMaps have 4 MB.
fn server() -> ApiServer {
    let text = "x".repeat(100_000);
    let object = |at| {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("m{at}"), "namespace": "default"},
            "data": {"text": text}})
    };
    ApiServer::builder().deterministic().objects((0..40).map(object)).build().unwrap()
}

fn one_at_a_time() -> ServeOptions {
    ServeOptions::default().max_requests_inflight(1)
}

#[tokio::test(start_paused = true)]
async fn an_answer_keeps_its_room_until_it_is_read() {
    let server = server();
    for path in [CONFIG_MAPS.to_owned(), format!("{CONFIG_MAPS}?pretty=true")] {
        let listener = Listener::new(&server, &one_at_a_time());
        let (mut client, served) = listener.connect();
        client.write_all(get(&path).as_bytes()).await.unwrap();
        client.read_u8().await.unwrap();
        assert_eq!(listener.status("/version").await, "429", "{path}");
        let mut text = Vec::new();
        client.read_to_end(&mut text).await.unwrap();
        assert!(text.len() > 4_000_000, "{path}");
        served.await.unwrap();
        assert_eq!(listener.status("/version").await, "200", "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_left() {
    let server = server();
    let listener = Listener::new(&server, &one_at_a_time());
    let (mut client, served) = listener.connect();
    client.write_all(get(CONFIG_MAPS).as_bytes()).await.unwrap();
    client.read_u8().await.unwrap();
    served.await.unwrap();
    assert_eq!(listener.status("/version").await, "200");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_slowly_is_not() {
    let server = server();
    let listener = Listener::new(&server, &one_at_a_time());
    let (mut client, served) = listener.connect();
    client.write_all(get(CONFIG_MAPS).as_bytes()).await.unwrap();
    for _ in 0..10 {
        client.read_exact(&mut [0; 4096]).await.unwrap();
        tokio::time::sleep(WRITE_TIMEOUT - Duration::from_secs(1)).await;
    }
    let mut text = Vec::new();
    client.read_to_end(&mut text).await.unwrap();
    assert!(text.len() > 4_000_000 - 10 * 4096);
    served.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stream_of_http2_that_is_not_read_is_left() {
    let server = server();
    let listener = Listener::new(&server, &one_at_a_time());
    let (client, served) = listener.connect();
    let (mut sender, connection) = http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(65_535)
        .handshake::<_, Empty<Bytes>>(TokioIo::new(client))
        .await
        .unwrap();
    tokio::spawn(connection);
    let mut ask = |path: &str| {
        let uri = format!("http://localhost{path}");
        sender.send_request(Request::get(uri).body(Empty::new()).unwrap())
    };
    let unread: http::Response<Incoming> = ask(CONFIG_MAPS).await.unwrap();
    assert_eq!(ask("/version").await.unwrap().status(), 429);
    served.await.unwrap();
    assert!(unread.into_body().collect().await.is_err(), "the list is not complete");
    assert_eq!(listener.status("/version").await, "200");
}

#[tokio::test(start_paused = true)]
async fn a_watch_without_events_is_not_left() {
    let server = server();
    let listener = Listener::new(&server, &one_at_a_time());
    let (mut client, _served) = listener.connect();
    client.write_all(get(&format!("{CONFIG_MAPS}?watch=true")).as_bytes()).await.unwrap();
    client.read_u8().await.unwrap();
    tokio::time::sleep(10 * WRITE_TIMEOUT).await;
    let mut text = vec![0; 4_000_000];
    client.read_exact(&mut text).await.unwrap();
}
