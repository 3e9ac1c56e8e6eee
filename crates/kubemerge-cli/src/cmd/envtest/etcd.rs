//! etcd as far as envtest knows it: it is healthy. It holds nothing, because the server keeps objects in memory.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use hyper::{Request, Response, StatusCode, body::Incoming, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;

use super::answer::{self, PlaceFlags};
use super::flags::Flags;
use super::lifetime::{self, Parent};
use crate::report::{Notice, Outcome, Result};

/// Flags that envtest asks for before it gives them.
const FLAGS: [&str; 6] = [
    "advertise-client-urls",
    "data-dir",
    "listen-client-urls",
    "listen-peer-urls",
    "unsafe-no-fsync",
    "version",
];
const URLS: &str = "--listen-client-urls";
const PLACE: PlaceFlags = PlaceFlags { address: URLS, port: URLS };
const DEFAULT_URL: &str = "http://127.0.0.1:2379";
const NO_DATABASE: &str = "this etcd holds no data: kubemerge keeps objects in memory";
/// How long a client may take to send its request.
const READ_TIMEOUT: Duration = Duration::from_secs(10);
/// The code of gRPC for what a server does not do.
const UNIMPLEMENTED: &str = "12";

/// Answers until it is told to stop.
pub(super) fn run(flags: &Flags) -> Result {
    let parent = Parent::now();
    if flags.has("help") || flags.has("h") {
        return answer::usage("etcd", &FLAGS);
    }
    if flags.has("version") {
        return answer::print("etcd Version: 3.6.5\n");
    }
    let addresses = addresses(flags)?;
    lifetime::runtime()?.block_on(async {
        for address in addresses {
            let listener = TcpListener::bind(address).await;
            tokio::spawn(accept(listener.map_err(|error| answer::cannot_listen(address, &error, &PLACE))?));
        }
        lifetime::told_to_stop(parent).await;
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
    let mut server = auto::Builder::new(TokioExecutor::new());
    // Without a timer hyper ignores the timeout.
    server.http1().timer(TokioTimer::new()).header_read_timeout(READ_TIMEOUT);
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let server = server.clone();
                tokio::spawn(async move {
                    let answer = |request: Request<Incoming>| async move {
                        Ok::<_, Infallible>(reply(request.uri().path()))
                    };
                    // A client that is gone needs no answer.
                    drop(server.serve_connection(TokioIo::new(stream), service_fn(answer)).await);
                });
            }
            // Out of file descriptors or the like: the next connection may work again.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

fn reply(path: &str) -> Response<String> {
    let body = match path {
        "/health" | "/livez" | "/readyz" => r#"{"health":"true","reason":""}"#,
        "/version" => r#"{"etcdserver":"3.6.5","etcdcluster":"3.6.0"}"#,
        _ => return refusal(path),
    };
    Response::new(body.to_owned())
}

/// Tells a client of the database that there is none: a caller of gRPC reads headers, whatever the status.
fn refusal(path: &str) -> Response<String> {
    Notice::warning(format!("{NO_DATABASE}: {path}")).print();
    let is_grpc = path.starts_with("/etcdserverpb.");
    let status = if is_grpc { StatusCode::OK } else { StatusCode::NOT_IMPLEMENTED };
    let body = if is_grpc { String::new() } else { format!(r#"{{"error":"{NO_DATABASE}","code":12}}"#) };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    if is_grpc {
        let headers = response.headers_mut();
        for (name, value) in [
            ("content-type", "application/grpc"),
            ("grpc-status", UNIMPLEMENTED),
            ("grpc-message", NO_DATABASE),
        ] {
            headers.insert(name, hyper::header::HeaderValue::from_static(value));
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_healthy_and_holds_nothing() {
        assert_eq!(reply("/health").status(), 200);
        let refused = reply("/v3/kv/put");
        assert!(refused.status() == 501 && refused.body().contains(NO_DATABASE));
        // Clients of gRPC read the message from the headers.
        let refused = reply("/etcdserverpb.KV/Range");
        assert_eq!(
            (refused.status(), &refused.headers()["grpc-message"]),
            (StatusCode::OK, &NO_DATABASE.parse().unwrap())
        );
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
