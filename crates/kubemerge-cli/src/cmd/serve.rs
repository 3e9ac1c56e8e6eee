//! `kubemerge serve`: a test API server on this machine, for kubectl and every other client.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use kubemerge_server::{ApiServer, Builder, ServeOptions, Serving};
use serde_json::Value;

use crate::args::{DialectArg, Recurse};
use crate::input::{Inputs, Source};
use crate::job::objects;
use crate::report::{Failure, Notice, Outcome, Result, plain};

#[derive(Debug, Args)]
#[command(after_help = "\
The URL is written to stdout once the server listens. Nothing is kept when it stops. No controllers
run, so Deployments create no Pods. Server-side apply is not supported yet.

Examples:
  Without objects:
    kubemerge serve --port 8001 &
    kubectl --server http://127.0.0.1:8001 get namespaces

  With definitions and objects, over HTTPS, on any free port:
    kubemerge serve --tls --kubeconfig config -f crds -f manifests -R
    KUBECONFIG=config kubectl get all --all-namespaces

  In a script, which waits for the URL and stops the server when it ends:
    coproc kubemerge serve --kubeconfig config
    trap 'kill $COPROC_PID' EXIT
    read -r url <&\"${COPROC[0]}\"
    kubectl --kubeconfig config apply -f deployment.yaml

  For other machines, which need the token:
    kubemerge serve --address 0.0.0.0 --port 8001 --token secret")]
pub(crate) struct ServeArgs {
    /// Port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 0, value_name = "PORT")]
    port: u16,
    /// Address to listen on
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "ADDRESS")]
    address: IpAddr,
    /// Serve HTTPS, with a certificate that the kubeconfig trusts
    #[arg(long, requires = "kubeconfig")]
    tls: bool,
    /// Serve HTTPS and require the client certificate of the kubeconfig
    #[arg(long, requires = "kubeconfig")]
    client_certificates: bool,
    /// Require this bearer token, which is also written to the kubeconfig
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Write a kubeconfig for the server to this file
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Kubernetes version to serve [default: 1.37]
    #[arg(long, short = 'k', value_name = "VERSION")]
    kubernetes: Option<String>,
    /// Merge rules of strategic merge patches
    #[arg(long, value_enum, default_value_t = DialectArg::Upstream, value_name = "DIALECT")]
    dialect: DialectArg,
    /// OpenAPI document with definitions to add to the built-in ones; repeatable
    #[arg(long, value_name = "FILE")]
    schema: Vec<PathBuf>,
    /// Initial objects, CustomResourceDefinitions included: files or folders; repeatable
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Visit folders inside folders
    #[arg(short = 'R', long)]
    recursive: bool,
    /// Create a namespace when an object is first created in it
    #[arg(long)]
    create_namespaces: bool,
    /// Remove pods as soon as they are deleted, since no kubelet does
    #[arg(long)]
    pods_end_at_once: bool,
}

/// Serves until a signal arrives.
pub(crate) fn run(args: &ServeArgs, inputs: &mut Inputs) -> Result {
    let server = build(args, inputs)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Notice::error(format!("cannot start: {}", plain(&error))))?;
    runtime.block_on(async {
        let serving = server.serve(options(args)).await.map_err(|error| {
            let place = SocketAddr::new(args.address, args.port);
            Notice::error(format!("cannot listen on {place}: {}", plain(&error)))
        })?;
        // Signals are caught from now on: a client may send one as soon as it has read the URL.
        let stopped = stopped();
        announce(args, &serving)?;
        stopped.await;
        serving.stop().await;
        Ok(Outcome::Done)
    })
}

fn build(args: &ServeArgs, inputs: &mut Inputs) -> Result<ApiServer> {
    let recurse = Recurse::from(args.recursive);
    // No test reads the log of this server, and it would grow for ever.
    let mut builder = ApiServer::builder().request_log(0).dialect(args.dialect.into());
    if let Some(version) = &args.kubernetes {
        builder = builder.kubernetes(version);
    }
    if let Some(token) = &args.token {
        builder = builder.token(token);
    }
    if args.create_namespaces {
        builder = builder.create_namespaces();
    }
    if args.pods_end_at_once {
        builder = builder.pods_end_at_once();
    }
    let schemas = inputs.read(&args.schema, recurse)?;
    builder = with_documents(builder, &schemas, |builder, _, document| builder.openapi(document))?;
    let objects = inputs.read(&args.files, recurse)?;
    builder =
        with_documents(builder, &objects, |builder, name, object| builder.objects_from(name, [object]))?;
    builder.build().map_err(|error| Notice::error(error.to_string()).into())
}

fn with_documents(
    mut builder: Builder,
    sources: &[Arc<Source>],
    add: impl Fn(Builder, &str, Value) -> Builder,
) -> Result<Builder> {
    for source in sources {
        for document in source.documents()? {
            for object in objects(source, &document)? {
                let value = serde_json::from_slice(&object.json)
                    .map_err(|error| Notice::error(format!("cannot read {}: {error}", source.name)))?;
                builder = add(builder, &source.name, value);
            }
        }
    }
    Ok(builder)
}

fn options(args: &ServeArgs) -> ServeOptions {
    let options = ServeOptions::default().address(SocketAddr::new(args.address, args.port));
    if args.client_certificates {
        options.client_certificates()
    } else if args.tls {
        options.tls()
    } else {
        options
    }
}

/// Prints the URL, and how to use the server.
fn announce(args: &ServeArgs, serving: &Serving) -> Result<()> {
    let kubectl = match &args.kubeconfig {
        Some(path) => {
            write_kubeconfig(path, serving.kubeconfig())?;
            format!("kubectl --kubeconfig {}", path.display())
        }
        None => format!("kubectl --server {}", serving.url()),
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", serving.url())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::of_output(&error))?;
    eprintln!("Try it:        {kubectl} get namespaces\nStop it with:  Ctrl-C");
    Ok(())
}

/// Only the owner may read it, because it may contain a key.
fn write_kubeconfig(path: &Path, text: &str) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written
        .map_err(|error| Notice::error(format!("cannot write {}: {}", path.display(), plain(&error))).into())
}

/// Resolves when a signal to stop arrives. The signals are caught as soon as this is called.
#[cfg(unix)]
fn stopped() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut caught = [SignalKind::terminate(), SignalKind::interrupt()].map(|kind| signal(kind).ok());
    async move {
        let [terminate, interrupt] = &mut caught;
        tokio::select! {
            _ = received(terminate) => {}
            _ = received(interrupt) => {}
        }
    }
}

/// A signal that cannot be caught is never received.
#[cfg(unix)]
async fn received(signal: &mut Option<tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => _ = signal.recv().await,
        None => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn stopped() {
    drop(tokio::signal::ctrl_c().await);
}
