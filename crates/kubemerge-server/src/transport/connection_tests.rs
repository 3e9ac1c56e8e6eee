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
    idle::Connections,
    timeouts::WRITE_TIMEOUT,
    unsent::{NotedWrites, Unsent},
};
use crate::{ApiServer, ServeOptions};

/// A listener without sockets.
struct Listener {
    gate: Arc<Gate>,
    connections: Connections,
    stop: watch::Sender<bool>,
}

impl Listener {
    fn new(server: &ApiServer, options: &ServeOptions) -> Listener {
        let gate = Arc::new(Gate::new(server.api(), options));
        Listener { gate, connections: Connections::new(1_000), stop: watch::channel(false).0 }
    }

    async fn connect(&self) -> (DuplexStream, JoinHandle<()>) {
        let (client, server) = tokio::io::duplex(4096);
        let unsent = Unsent::new();
        let room = self.connections.enter().await.unwrap();
        let stream = NotedWrites::new(server, unsent.clone(), room);
        let client_of = Client { peer: None, unsent, idle: self.connections.idle() };
        let served = serve_connection(stream, client_of, self.gate.clone(), self.stop.subscribe());
        (client, tokio::spawn(served))
    }

    /// The first line of the answer to what is sent, on a connection of its own, while the client says no more.
    async fn first_line(&self, request: &str) -> String {
        let (mut client, _served) = self.connect().await;
        client.write_all(request.as_bytes()).await.unwrap();
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            line.push(client.read_u8().await.unwrap());
        }
        String::from_utf8_lossy(&line).trim_end().to_owned()
    }

    /// The status of the answer to a GET, on a connection of its own.
    async fn status(&self, path: &str) -> String {
        self.first_line(&get(path)).await.trim_start_matches("HTTP/1.1 ").chars().take(3).collect()
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
        let (mut client, served) = listener.connect().await;
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
    let (mut client, served) = listener.connect().await;
    client.write_all(get(CONFIG_MAPS).as_bytes()).await.unwrap();
    client.read_u8().await.unwrap();
    served.await.unwrap();
    assert_eq!(listener.status("/version").await, "200");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_slowly_is_not() {
    let server = server();
    let listener = Listener::new(&server, &one_at_a_time());
    let (mut client, served) = listener.connect().await;
    client.write_all(get(CONFIG_MAPS).as_bytes()).await.unwrap();
    for _ in 0..10 {
        client.read_exact(&mut [0; 4096]).await.unwrap();
        tokio::time::sleep(WRITE_TIMEOUT / 2).await;
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
    let (client, served) = listener.connect().await;
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
    let (mut client, _served) = listener.connect().await;
    client.write_all(get(&format!("{CONFIG_MAPS}?watch=true")).as_bytes()).await.unwrap();
    client.read_u8().await.unwrap();
    tokio::time::sleep(10 * WRITE_TIMEOUT).await;
    let mut text = vec![0; 4_000_000];
    client.read_exact(&mut text).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn clients_that_do_not_finish_a_request_are_left() {
    let listener = Listener::new(&server(), &ServeOptions::default());
    let http2 = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    // A block of headers that goes on in a frame that does not come.
    let headers = [0, 0, 1, 1, 0, 0, 0, 0, 1, 0x82];
    let after = |start: &str, frames: &[&[u8]]| [start.as_bytes(), &frames.concat()].concat();
    for sent in [
        after("", &[]),
        after("GET /version HT", &[]),
        after("PRI * HTT", &[]),
        after(http2, &[]),
        after(http2, &[&settings]),
        after(http2, &[&settings, &headers]),
        after("GET /version HTTP/1.1\r\nhost: localhost\r\n\r\n", &[]),
    ] {
        let (mut client, served) = listener.connect().await;
        client.write_all(&sent).await.unwrap();
        served.await.unwrap();
        drop(client);
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_must_not_arrive_too_slowly() {
    let listener = Listener::new(&server(), &one_at_a_time());
    let (mut client, _served) = listener.connect().await;
    let head = "POST /api/v1/namespaces HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n";
    client.write_all(head.as_bytes()).await.unwrap();
    let (mut reader, mut writer) = tokio::io::split(client);
    let mut sent = 0;
    let answered = async {
        let mut status = [0; 12];
        reader.read_exact(&mut status).await.unwrap();
        String::from_utf8_lossy(&status).into_owned()
    };
    let drip = async {
        loop {
            writer.write_all(b" ").await.unwrap();
            sent += 1;
            tokio::time::sleep(Duration::from_millis(900)).await;
        }
    };
    let status = tokio::select! { status = answered => status, () = drip => unreachable!() };
    assert_eq!(status, "HTTP/1.1 408");
    assert!(sent < 1000, "the answer came before the body");
    assert_eq!(listener.status("/version").await, "200", "its room is free again");
}

#[tokio::test(start_paused = true)]
async fn credentials_come_before_room_and_body() {
    let server = ApiServer::builder().token("secret").build().unwrap();
    let listener = Listener::new(&server, &one_at_a_time());
    let post =
        |headers: &str| format!("POST /api/v1/namespaces HTTP/1.1\r\n{headers}content-length: 1000\r\n\r\n");
    let (mut client, _served) = listener.connect().await;
    client.write_all(post("host: localhost\r\nauthorization: Bearer secret\r\n").as_bytes()).await.unwrap();
    // Once the first has its room, and waits for its body.
    while listener
        .first_line(&get("/version").replace("\r\n\r\n", "\r\nauthorization: Bearer secret\r\n\r\n"))
        .await
        != "HTTP/1.1 429 Too Many Requests"
    {}
    let wrong = listener.first_line(&post("host: localhost\r\nauthorization: Bearer wrong\r\n")).await;
    assert_eq!(wrong, "HTTP/1.1 401 Unauthorized");
    let other = listener.first_line(&post("host: evil.example\r\n")).await;
    assert_eq!(other, "HTTP/1.1 403 Forbidden");
}

#[tokio::test(start_paused = true)]
async fn streams_of_a_connection_are_limited() {
    let listener = Listener::new(&server(), &ServeOptions::default());
    let (mut client, _served) = listener.connect().await;
    client.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.unwrap();
    let mut head = [0; 9];
    client.read_exact(&mut head).await.unwrap();
    assert_eq!(head[3], 4, "the frame has settings");
    let mut settings = vec![0; usize::from(head[2])];
    client.read_exact(&mut settings).await.unwrap();
    let streams = settings.chunks(6).find(|setting| setting[..2] == [0, 3]);
    assert_eq!(streams.map(|setting| &setting[2..]), Some(&[0, 0, 0, 250][..]));
}

#[tokio::test(start_paused = true)]
async fn idle_clients_make_room_for_others() {
    let mut listener = Listener::new(&server(), &ServeOptions::default());
    listener.connections = Connections::new(2);
    let (mut watching, _watch) = listener.connect().await;
    watching.write_all(get(&format!("{CONFIG_MAPS}?watch=true")).as_bytes()).await.unwrap();
    watching.read_u8().await.unwrap();
    let (_silent, idle) = listener.connect().await;
    assert_eq!(listener.status("/version").await, "200");
    idle.await.unwrap();
    watching.read_u8().await.unwrap();
}
