//! The listener: loopback, limits, tokens, clean stops.

use std::time::Duration;

use kubemerge_server::{ApiServer, ServeOptions};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::server::support::*;

pub(crate) async fn exchange(address: std::net::SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = Vec::new();
    drop(tokio::time::timeout(Duration::from_mins(1), stream.read_to_end(&mut text)).await);
    String::from_utf8_lossy(&text).into_owned()
}

#[tokio::test]
async fn it_listens_on_loopback_and_stops() {
    let server = server();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    let address = serving.address();
    assert!(address.ip().is_loopback() && address.port() != 0);
    assert!(serving.kubeconfig().contains(serving.url()));
    let answer =
        exchange(address, "GET /version HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("v1.37.0"), "{answer}");
    // An open watch does not keep the server from stopping.
    let mut watch = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {CONFIG_MAPS}?watch=true HTTP/1.1\r\nhost: localhost\r\n\r\n");
    watch.write_all(request.as_bytes()).await.unwrap();
    let mut first = [0; 16];
    watch.read_exact(&mut first).await.unwrap();
    tokio::time::timeout(Duration::from_mins(1), serving.stop()).await.expect("it stops");
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn large_bodies_are_refused() {
    let server = server();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    let length = 3 * 1024 * 1024 + 1;
    let head = format!(
        "POST {CONFIG_MAPS} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    let mut stream = TcpStream::connect(serving.address()).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    drop(stream.write_all(&vec![b' '; length]).await);
    let mut text = Vec::new();
    drop(tokio::time::timeout(Duration::from_mins(1), stream.read_to_end(&mut text)).await);
    let text = String::from_utf8_lossy(&text);
    assert!(text.starts_with("HTTP/1.1 413") && text.contains("limit is 3145728"), "{text}");
}

#[tokio::test]
async fn very_large_bodies_are_refused_early() {
    let server = server();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    let head =
        format!("POST {CONFIG_MAPS} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999\r\n\r\n");
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
        exchange(serving.address(), "GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
            .await;
    assert!(answer.ends_with("ok"), "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_requests_at_once_are_answered() {
    let server = server();
    // On a busy machine all of them may be in flight.
    let serving = server.serve(ServeOptions::default().max_requests_inflight(1000)).await.unwrap();
    let address = serving.address();
    let requests = (0..1000).map(|at| {
        tokio::spawn(async move {
            let body = format!("{{\"metadata\":{{\"name\":\"m{at}\"}}}}");
            let request = format!(
                "POST {CONFIG_MAPS} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            exchange(address, &request).await
        })
    });
    for request in requests.collect::<Vec<_>>() {
        let answer = request.await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }
    assert_eq!(get(&server, CONFIG_MAPS).await.body["items"].as_array().unwrap().len(), 1000);
}

#[tokio::test]
async fn a_token_is_in_the_kubeconfig_and_asked_for() {
    let server = ApiServer::builder().token("let-me-in").build().unwrap();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    assert!(serving.kubeconfig().contains("let-me-in"));
    let close = "host: localhost\r\nconnection: close\r\n";
    let without = exchange(serving.address(), &format!("GET {PODS} HTTP/1.1\r\n{close}\r\n")).await;
    assert!(without.starts_with("HTTP/1.1 401"), "{without}");
    let with = format!("GET {PODS} HTTP/1.1\r\n{close}authorization: Bearer let-me-in\r\n\r\n");
    assert!(exchange(serving.address(), &with).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn probes_need_no_token_and_no_room() {
    let server = ApiServer::builder().token("let-me-in").build().unwrap();
    let serving = server.serve(ServeOptions::default().max_requests_inflight(0)).await.unwrap();
    for path in ["/healthz", "/livez", "/readyz", "/readyz?verbose"] {
        assert_eq!(
            status_line(serving.address(), path, "host: localhost\r\n").await,
            "HTTP/1.1 200 OK",
            "{path}"
        );
    }
    for path in ["/readyz/etcd", "/livez/ping"] {
        let line = status_line(serving.address(), path, "host: localhost\r\n").await;
        assert_eq!(line, "HTTP/1.1 401 Unauthorized", "{path}");
    }
    let asked = "host: localhost\r\nauthorization: Bearer let-me-in\r\n";
    for (headers, line) in
        [("host: localhost\r\n", "HTTP/1.1 401 Unauthorized"), (asked, "HTTP/1.1 429 Too Many Requests")]
    {
        assert_eq!(status_line(serving.address(), "/metrics", headers).await, line);
    }
}

/// The status line of the answer to a GET with these headers.
async fn status_line(address: std::net::SocketAddr, path: &str, headers: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nconnection: close\r\n{headers}\r\n");
    exchange(address, &request).await.lines().next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn pages_of_other_sites_get_no_answer() {
    let server = server();
    let serving = server.serve(ServeOptions::default().allowed_host("preview.example")).await.unwrap();
    let ask = |headers: &'static str| status_line(serving.address(), "/version", headers);
    assert_eq!(ask("host: evil.example\r\n").await, "HTTP/1.1 403 Forbidden");
    assert_eq!(ask("host: localhost\r\norigin: http://evil.example\r\n").await, "HTTP/1.1 403 Forbidden");
    assert_eq!(ask("host: preview.example:80\r\n").await, "HTTP/1.1 200 OK");
}

#[tokio::test]
async fn a_request_has_one_host() {
    let server = server();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    for (headers, problem) in
        [("", "missing required Host header"), ("host: localhost\r\nhost: b\r\n", "too many Host headers")]
    {
        let answer = exchange(serving.address(), &format!("GET /version HTTP/1.1\r\n{headers}\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n") && answer.ends_with(problem), "{answer}");
    }
}

#[tokio::test]
async fn answers_are_not_kept_and_not_guessed_at() {
    let server = server();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    for path in ["/version", "/healthz", "/missing", PODS] {
        let answer = get_through(&serving, path).await;
        for header in ["cache-control: no-cache, private", "x-content-type-options: nosniff"] {
            assert!(answer.contains(header), "{path}: {answer}");
        }
    }
}

#[tokio::test]
async fn an_address_for_everybody_must_be_asked_for() {
    let everywhere = ServeOptions::default().address(([0, 0, 0, 0], 0).into());
    let error = server().serve(everywhere.clone()).await.err().expect("refused");
    assert!(error.to_string().contains("is not a loopback address"), "{error}");
    assert!(server().serve(everywhere.clone().insecure()).await.is_ok());
    let with_token = ApiServer::builder().token("secret").build().unwrap();
    assert!(with_token.serve(everywhere).await.is_ok());
}

#[tokio::test]
async fn more_watches_than_allowed_are_sent_away() {
    let server = server();
    let serving = server.serve(ServeOptions::default().max_watches(1)).await.unwrap();
    let request = format!("GET {CONFIG_MAPS}?watch=true HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let mut first = TcpStream::connect(serving.address()).await.unwrap();
    first.write_all(request.as_bytes()).await.unwrap();
    first.read_exact(&mut [0; 16]).await.unwrap();
    let close =
        format!("GET {CONFIG_MAPS}?watch=true HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    let answer = exchange(serving.address(), &close).await;
    assert!(answer.starts_with("HTTP/1.1 429") && answer.contains("retry-after: 1"), "{answer}");
    // Other requests have room of their own, and the room of a watch that ended is free again.
    assert_eq!(status_line(serving.address(), "/version", "host: localhost\r\n").await, "HTTP/1.1 200 OK");
    drop(first);
    let path = format!("{CONFIG_MAPS}?watch=true&timeoutSeconds=1");
    let mut line = String::new();
    // The server sees that the connection is closed a moment later.
    for _ in 0..3000 {
        line = status_line(serving.address(), &path, "host: localhost\r\n").await;
        if line == "HTTP/1.1 200 OK" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(line, "HTTP/1.1 200 OK");
}

#[tokio::test]
async fn more_requests_than_allowed_are_sent_away() {
    let server = server();
    let serving = server.serve(ServeOptions::default().max_requests_inflight(0)).await.unwrap();
    let answer = get_through(&serving, "/version").await;
    assert!(answer.starts_with("HTTP/1.1 429") && answer.contains("retry-after: 1"), "{answer}");
}

#[tokio::test]
async fn the_access_log_has_no_query_no_header_and_no_body() {
    let (lines, seen) = std::sync::mpsc::channel();
    let log = move |entry: &kubemerge_server::AccessLogEntry<'_>| lines.send(entry.to_string()).unwrap();
    let server = server();
    let serving = server.serve(ServeOptions::default().access_log(log)).await.unwrap();
    let headers = "host: localhost\r\nauthorization: Bearer secret\r\ncookie: secret\r\n";
    status_line(serving.address(), "/api/v1/pods?token=secret", headers).await;
    let line = seen.recv().unwrap();
    assert!(line.starts_with("GET /api/v1/pods 200 ") && line.ends_with("ms"), "{line}");
    let request = format!(
        "POST {CONFIG_MAPS} HTTP/1.1\r\n{headers}connection: close\r\ncontent-length: 6\r\n\r\nsecret"
    );
    exchange(serving.address(), &request).await;
    let refused = seen.recv().unwrap();
    assert!(refused.starts_with(&format!("POST {CONFIG_MAPS} 4")), "{refused}");
    assert!(!line.contains("secret") && !refused.contains("secret"), "{line}\n{refused}");
}

async fn get_through(serving: &kubemerge_server::Serving, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    exchange(serving.address(), &request).await
}

#[tokio::test]
async fn requests_and_the_store_are_counted() {
    let server = server();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    get_through(&serving, CONFIG_MAPS).await;
    get_through(&serving, &format!("{CONFIG_MAPS}/missing")).await;
    get_through(&serving, "/apis/evil.example/v1/made-up-by-the-client").await;
    let mut watch = TcpStream::connect(serving.address()).await.unwrap();
    let request = format!("GET {CONFIG_MAPS}?watch=true HTTP/1.1\r\nhost: localhost\r\n\r\n");
    watch.write_all(request.as_bytes()).await.unwrap();
    tokio::io::AsyncReadExt::read_u8(&mut watch).await.unwrap();
    let text = get_through(&serving, "/metrics").await;
    let of = |verb: &str| format!("verb=\"{verb}\",group=\"\",resource=\"configmaps\"");
    for line in [
        format!("apiserver_request_total{{{},code=\"200\"}} 1", of("LIST")),
        format!("apiserver_request_total{{{},code=\"404\"}} 1", of("GET")),
        format!("apiserver_request_duration_seconds_count{{{}}} 1", of("GET")),
        format!("apiserver_request_duration_seconds_bucket{{{},le=\"+Inf\"}} 1", of("LIST")),
        "apiserver_longrunning_requests{verb=\"WATCH\"} 1".into(),
        "kubemerge_store_healthy 1".into(),
        format!("kubemerge_store_durable_revision {}", server.revision()),
        format!("kubemerge_store_objects {}", server.dump().len()),
    ] {
        assert!(text.contains(&line), "{line} is not in:\n{text}");
    }
    assert!(!text.contains("evil"), "clients cannot make labels:\n{text}");
}

#[tokio::test]
async fn events_are_removed_when_they_are_old() {
    let server = server();
    let event = |name: &str| {
        serde_json::json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": "default"},
            "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"}})
    };
    server.set(event("old")).unwrap();
    let options = ServeOptions::default().event_ttl(Duration::from_millis(200));
    let serving = server.serve(options).await.unwrap();
    let object = server.object("v1", "Event", "default", "old");
    object.wait_for(|event| event.is_null(), Duration::from_mins(1)).await;
    assert!(server.get("v1", "Namespace", "", "default").is_some(), "only Events are removed");
    serving.stop().await;
    server.set(event("new")).unwrap();
    let serving = server.serve(ServeOptions::default().event_ttl(Duration::ZERO)).await.unwrap();
    get_through(&serving, "/readyz").await;
    assert!(server.get("v1", "Event", "default", "new").is_some());
}

#[tokio::test]
async fn a_clock_that_jumps_makes_nothing_old() {
    let clock = kubemerge_server::Clock::fixed(1_700_000_000);
    let server = ApiServer::builder().clock(clock.clone()).build().unwrap();
    // An age of 20 s is looked at every second.
    let serving = server.serve(ServeOptions::default().event_ttl(Duration::from_secs(20))).await.unwrap();
    let start = server.revision();
    server
        .set(serde_json::json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"},
            "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"}}))
        .unwrap();
    clock.advance(Duration::from_hours(87600));
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert!(server.get("v1", "Event", "default", "e").is_some());
    let path =
        format!("/api/v1/namespaces/default/events?watch=true&timeoutSeconds=1&resourceVersion={start}");
    let events = get_through(&serving, &path).await;
    assert!(events.contains("\"ADDED\"") && !events.contains("ERROR"), "{events}");
}
