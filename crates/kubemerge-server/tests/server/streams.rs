//! exec, attach and port-forward with handlers of the test, in process and through a listener.

use std::time::Duration;

use futures_util::SinkExt;
use k8s_openapi::api::core::v1::Pod;
use kube::{
    Api, Client, Config,
    api::{AttachParams, TerminalSize},
    config::Kubeconfig,
};
use kubemerge_server::{ApiServer, ExecProcess, ForwardedPort, ServeOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::server::support::{PODS, get, pod};

const LONG: Duration = Duration::from_mins(1);

/// A server whose pod `web` turns its input into capitals.
fn with_handlers() -> ApiServer {
    let server = ApiServer::builder().objects([pod("web")]).build().unwrap();
    server.on_exec("default", "web", |mut process: ExecProcess| async move {
        process.print(&format!("{} in {}:", process.command.join(" "), process.container)).await?;
        let input = process.read_stdin().await?;
        process.print(&input.to_uppercase()).await?;
        process.stderr.write_all(b"done").await?;
        Ok(if input.is_empty() { 3 } else { 0 })
    });
    server
}

fn params() -> AttachParams {
    AttachParams::default().container("nginx").stdin(true)
}

/// Runs `tr a-z A-Z` with an input; answers stdout, stderr and the status as text.
async fn run(pods: &Api<Pod>, input: &str) -> (String, String, String) {
    let mut process = pods.exec("web", ["tr", "a-z"], &params()).await.unwrap();
    let (mut stdin, mut stdout, mut stderr) =
        (process.stdin().unwrap(), process.stdout().unwrap(), process.stderr().unwrap());
    let status = process.take_status().unwrap();
    stdin.write_all(input.as_bytes()).await.unwrap();
    stdin.shutdown().await.unwrap();
    drop(stdin);
    let (mut out, mut err) = (String::new(), String::new());
    let read =
        async { tokio::join!(stdout.read_to_string(&mut out), stderr.read_to_string(&mut err), status).2 };
    let status = tokio::time::timeout(LONG, read).await.expect("the command ends").unwrap();
    process.join().await.unwrap();
    let causes = status.details.and_then(|details| details.causes).unwrap_or_default();
    let code = causes.first().and_then(|cause| cause.message.clone()).unwrap_or_default();
    (out, err, format!("{} {code}", status.status.unwrap()).trim_end().to_string())
}

fn text(parts: [&str; 3]) -> (String, String, String) {
    let [out, err, status] = parts.map(str::to_string);
    (out, err, status)
}

#[tokio::test]
async fn a_closure_is_the_command() {
    let server = with_handlers();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    assert_eq!(run(&pods, "hello").await, text(["tr a-z in nginx:HELLO", "done", "Success"]));
    assert_eq!(run(&pods, "").await, text(["tr a-z in nginx:", "done", "Failure 3"]));
}

#[tokio::test]
async fn clients_of_a_listener_execute_too() {
    let server = with_handlers();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    let config = Kubeconfig::from_yaml(serving.kubeconfig()).unwrap();
    let config = Config::from_custom_kubeconfig(config, &Default::default()).await.unwrap();
    let pods: Api<Pod> = Api::default_namespaced(Client::try_from(config).unwrap());
    assert_eq!(run(&pods, "hello").await, text(["tr a-z in nginx:HELLO", "done", "Success"]));
    serving.stop().await;
}

#[tokio::test]
async fn a_command_without_input_reads_its_end() {
    let server = with_handlers();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let mut process = pods.exec("web", ["true"], &AttachParams::default().container("nginx")).await.unwrap();
    let status = process.take_status().unwrap();
    let status = tokio::time::timeout(LONG, status).await.expect("the command ends").unwrap();
    assert_eq!(status.reason.as_deref(), Some("NonZeroExitCode"));
}

#[tokio::test]
async fn much_output_arrives() {
    const LINES: usize = 20_000;
    let server = ApiServer::builder().objects([pod("web")]).build().unwrap();
    server.on_exec("default", "web", |mut process: ExecProcess| async move {
        process.print(&"0123456789\n".repeat(LINES)).await?;
        Ok(0)
    });
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let mut process = pods.exec("web", ["yes"], &AttachParams::default().container("nginx")).await.unwrap();
    let mut out = String::new();
    let mut stdout = process.stdout().unwrap();
    tokio::time::timeout(LONG, stdout.read_to_string(&mut out)).await.unwrap().unwrap();
    assert_eq!(out.lines().count(), LINES);
}

#[tokio::test]
async fn terminals_have_a_size() {
    let server = ApiServer::builder().objects([pod("web")]).build().unwrap();
    server.on_attach("default", "web", |mut process: ExecProcess| async move {
        assert!(process.tty && process.command.is_empty());
        let size = process.terminal_size.wait_for(Option::is_some).await.map(|size| *size);
        let size = size.ok().flatten().map(|size| format!("{}x{}", size.width, size.height));
        process.print(&size.unwrap_or_default()).await?;
        Ok(0)
    });
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let params = AttachParams::interactive_tty().container("nginx");
    let mut process = pods.attach("web", &params).await.unwrap();
    let mut sizes = process.terminal_size().unwrap();
    sizes.send(TerminalSize { width: 80, height: 24 }).await.unwrap();
    let mut out = String::new();
    let mut stdout = process.stdout().unwrap();
    tokio::time::timeout(LONG, stdout.read_to_string(&mut out)).await.unwrap().unwrap();
    assert_eq!(out, "80x24");
}

#[tokio::test]
async fn a_handler_serves_forwarded_ports() {
    let server = ApiServer::builder().objects([pod("web")]).build().unwrap();
    server.on_port_forward("default", "web", |mut connection: ForwardedPort| async move {
        if connection.port == 81 {
            return Err(std::io::Error::other("nothing listens"));
        }
        let mut request = [0; 4];
        connection.stream.read_exact(&mut request).await?;
        connection.stream.write_all(format!("{}: ", connection.port).as_bytes()).await?;
        connection.stream.write_all(&request).await
    });
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let mut forward = pods.portforward("web", &[80, 81]).await.unwrap();
    let refused = forward.take_error(81).unwrap();
    let mut port = forward.take_stream(80).unwrap();
    port.write_all(b"ping").await.unwrap();
    let mut answer = [0; 8];
    tokio::time::timeout(LONG, port.read_exact(&mut answer)).await.unwrap().unwrap();
    assert_eq!(&answer, b"80: ping");
    assert_eq!(tokio::time::timeout(LONG, refused).await.unwrap().unwrap(), "nothing listens");
}

#[tokio::test]
async fn without_a_handler_it_is_not_implemented() {
    let server = with_handlers();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let error = pods.attach("web", &AttachParams::default()).await.err().unwrap().to_string();
    assert!(error.contains("there is no handler for attach of pod default/web"), "{error}");
    assert_eq!(get(&server, &format!("{PODS}/web/portforward?ports=80")).await.code, 501);
    assert_eq!(get(&server, &format!("{PODS}/none/exec?command=ls")).await.code, 404);
    let plain = get(&server, &format!("{PODS}/web/exec?command=ls&container=nginx")).await;
    assert_eq!((plain.code, plain.message()), (400, "Upgrade request required"));
}

/// Asks for a watch as a WebSocket, with more headers; reads until the answer has a text, or ends.
async fn watch_as_web_socket(headers: &[&str], until: &str) -> String {
    let server = ApiServer::builder().build().unwrap();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    let address = serving.url().trim_start_matches("http://").to_owned();
    let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
    let more: String = headers.iter().map(|line| format!("{line}\r\n").replace("@HOST@", &address)).collect();
    let request = format!(
        "GET /api/v1/namespaces?watch=true HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{more}\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !String::from_utf8_lossy(&answer).contains(until) {
        if stream.read_buf(&mut answer).await.unwrap() == 0 {
            break;
        }
    }
    String::from_utf8_lossy(&answer).into_owned()
}

const OWN_ORIGIN: &str = "Origin: http://@HOST@";

#[tokio::test]
async fn watches_come_as_messages_of_a_web_socket() {
    let answer = watch_as_web_socket(&[OWN_ORIGIN], "\"name\":\"default\"").await;
    assert!(answer.starts_with("HTTP/1.1 101"), "{answer}");
    assert!(answer.contains("sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{answer}");
    assert!(answer.contains("{\"type\":\"ADDED\",\"object\":{"), "{answer}");
    let answer = watch_as_web_socket(&[OWN_ORIGIN, "Sec-WebSocket-Protocol: a"], "ADDED").await;
    assert!(answer.contains("sec-websocket-protocol: a"), "{answer}");
}

#[tokio::test]
async fn handshakes_that_go_refuses_are_refused() {
    assert!(watch_as_web_socket(&[], "\r\n\r\n").await.starts_with("HTTP/1.1 403"));
    let answer = watch_as_web_socket(&[OWN_ORIGIN, "Sec-WebSocket-Protocol: a, b"], "\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}
