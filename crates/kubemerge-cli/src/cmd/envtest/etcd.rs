//! etcd as far as envtest knows it: it is healthy. It holds nothing, because the server keeps objects in memory.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::flags::Flags;
use super::lifetime;
use crate::report::{Notice, Outcome, Result, plain};

/// Flags that envtest asks for before it gives them.
const FLAGS: [&str; 6] = [
    "advertise-client-urls",
    "data-dir",
    "listen-client-urls",
    "listen-peer-urls",
    "unsafe-no-fsync",
    "version",
];
const DEFAULT_URL: &str = "http://127.0.0.1:2379";
const NO_DATABASE: &str = "this etcd holds no data: kubemerge keeps objects in memory";
/// How long a client may take to send its request, and how long that may be.
const READ_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_HEAD_BYTES: usize = 8192;

/// Answers until it is told to stop.
pub(super) fn run(flags: &Flags) -> Result {
    if flags.has("help") || flags.has("h") {
        println!("Usage:\n  etcd [flags]\n\nFlags:");
        FLAGS.iter().for_each(|name| println!("  --{name}"));
        return Ok(Outcome::Done);
    }
    if flags.has("version") {
        println!("etcd Version: 3.6.5");
        return Ok(Outcome::Done);
    }
    let addresses = addresses(flags)?;
    lifetime::runtime()?.block_on(async {
        for address in addresses {
            let listener = TcpListener::bind(address).await.map_err(|error| {
                let text = format!("cannot listen on {address}: {}", plain(&error));
                Notice::error(text).help("give a free port to --listen-client-urls")
            })?;
            tokio::spawn(accept(listener));
        }
        lifetime::told_to_stop().await;
        Ok(Outcome::Done)
    })
}

fn addresses(flags: &Flags) -> Result<Vec<SocketAddr>> {
    let mut urls: Vec<&str> = flags.values("listen-client-urls").collect();
    if urls.is_empty() {
        urls.push(DEFAULT_URL);
    }
    let address = |url: &&str| {
        let place = url.strip_prefix("http://").map(|rest| rest.trim_end_matches('/'));
        let place = place.map(|place| place.replace("localhost", "127.0.0.1"));
        place.and_then(|place| place.parse().ok()).ok_or_else(|| {
            Notice::error(format!("--listen-client-urls={url} is not valid"))
                .help("give http://ADDRESS:PORT")
                .into()
        })
    };
    urls.iter().map(address).collect()
}

async fn accept(listener: TcpListener) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(tokio::time::timeout(READ_TIMEOUT, answer(stream)));
            }
            // Out of file descriptors or the like: the next connection may work again.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

/// Answers one request and closes the connection.
async fn answer(mut stream: TcpStream) {
    let mut head = Vec::new();
    while !ends(&head) && head.len() < MAX_HEAD_BYTES {
        match stream.read_buf(&mut head).await {
            Ok(1..) => {}
            _ => break,
        }
    }
    // A client that is gone needs no answer.
    drop(stream.write_all(reply(&head).as_bytes()).await);
    drop(stream.shutdown().await);
}

fn ends(head: &[u8]) -> bool {
    head.windows(4).any(|four| four == b"\r\n\r\n")
}

fn reply(head: &[u8]) -> String {
    let head = String::from_utf8_lossy(head);
    let path = head.split(' ').nth(1).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let (status, body) = match path {
        "/health" | "/livez" | "/readyz" => ("200 OK", r#"{"health":"true","reason":""}"#.to_owned()),
        "/version" => ("200 OK", r#"{"etcdserver":"3.6.5","etcdcluster":"3.6.0"}"#.to_owned()),
        _ => {
            // A client of the database speaks gRPC and would not show the text of an answer.
            Notice::warning(NO_DATABASE).print();
            ("501 Not Implemented", format!(r#"{{"error":"{NO_DATABASE}","code":12}}"#))
        }
    };
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_healthy_and_holds_nothing() {
        assert!(reply(b"GET /health?serializable=true HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200"));
        for head in [&b"PRI * HTTP/2.0\r\n\r\n"[..], b"POST /v3/kv/put HTTP/1.1\r\n\r\n", b"", b"\xff"] {
            let answer = reply(head);
            assert!(answer.starts_with("HTTP/1.1 501") && answer.contains(NO_DATABASE), "{answer}");
        }
    }

    #[test]
    fn only_addresses_without_tls_are_listened_on() {
        let read = |url: &str| addresses(&Flags::read([format!("--listen-client-urls={url}")]));
        assert_eq!(read("http://localhost:99").unwrap(), [SocketAddr::from(([127, 0, 0, 1], 99))]);
        for url in ["https://127.0.0.1:99", "http://127.0.0.1", "x", "unix://x"] {
            assert!(read(url).is_err(), "{url}");
        }
    }
}
