//! The listener: loopback, limits, tokens, clean stops.

use std::time::Duration;

use kubemerge_server::{ApiServer, ServeOptions};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::*;

async fn exchange(address: std::net::SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = Vec::new();
    drop(tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut text)).await);
    String::from_utf8_lossy(&text).into_owned()
}

#[tokio::test]
async fn it_listens_on_loopback_and_stops() {
    let server = server();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    let address = serving.address();
    assert!(address.ip().is_loopback() && address.port() != 0);
    assert!(serving.kubeconfig().contains(serving.url()));
    let answer = exchange(address, "GET /version HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("v1.37.0"), "{answer}");
    // An open watch does not keep the server from stopping.
    let mut watch = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {CONFIG_MAPS}?watch=true HTTP/1.1\r\nhost: x\r\n\r\n");
    watch.write_all(request.as_bytes()).await.unwrap();
    let mut first = [0; 16];
    watch.read_exact(&mut first).await.unwrap();
    tokio::time::timeout(Duration::from_secs(5), serving.stop()).await.expect("it stops");
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn large_bodies_are_refused() {
    let server = server();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    let length = 3 * 1024 * 1024 + 1;
    let head = format!(
        "POST {CONFIG_MAPS} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    let mut stream = TcpStream::connect(serving.address()).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    drop(stream.write_all(&vec![b' '; length]).await);
    let mut text = Vec::new();
    drop(tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut text)).await);
    let text = String::from_utf8_lossy(&text);
    assert!(text.starts_with("HTTP/1.1 413") && text.contains("limit is 3145728"), "{text}");
}

#[tokio::test]
async fn very_large_bodies_are_refused_early() {
    let server = server();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    let head = format!("POST {CONFIG_MAPS} HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999\r\n\r\n");
    let answer = exchange(serving.address(), &head).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[tokio::test]
async fn aborted_and_silent_clients_hold_nobody_up() {
    let server = server();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    let mut silent = Vec::new();
    for _ in 0..50 {
        let mut stream = TcpStream::connect(serving.address()).await.unwrap();
        stream.write_all(b"POST /api/v1/namespaces HTTP/1.1\r\ncontent-le").await.unwrap();
        silent.push(stream);
    }
    silent.truncate(25);
    let answer =
        exchange(serving.address(), "GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert!(answer.ends_with("ok"), "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_requests_at_once_are_answered() {
    let server = server();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    let address = serving.address();
    let requests = (0..1000).map(|at| {
        tokio::spawn(async move {
            let body = format!("{{\"metadata\":{{\"name\":\"m{at}\"}}}}");
            let request = format!(
                "POST {CONFIG_MAPS} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            exchange(address, &request).await.starts_with("HTTP/1.1 201")
        })
    });
    for request in requests.collect::<Vec<_>>() {
        assert!(request.await.unwrap());
    }
    assert_eq!(get(&server, CONFIG_MAPS).await.body["items"].as_array().unwrap().len(), 1000);
}

#[tokio::test]
async fn a_token_is_in_the_kubeconfig_and_asked_for() {
    let server = ApiServer::builder().token("let-me-in").build().unwrap();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    assert!(serving.kubeconfig().contains("let-me-in"));
    let close = "host: x\r\nconnection: close\r\n";
    let without = exchange(serving.address(), &format!("GET {PODS} HTTP/1.1\r\n{close}\r\n")).await;
    assert!(without.starts_with("HTTP/1.1 401"), "{without}");
    let with = format!("GET {PODS} HTTP/1.1\r\n{close}authorization: Bearer let-me-in\r\n\r\n");
    assert!(exchange(serving.address(), &with).await.starts_with("HTTP/1.1 200"));
}
