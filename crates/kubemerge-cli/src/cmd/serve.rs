//! `kubemerge serve`: an API server on this machine, for kubectl and every other client.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::Args;
use kubemerge_server::{ApiServer, Builder, ServeOptions, Serving};
use serde_json::Value;

use crate::args::DialectWord;
use crate::failure::{Failure, Outcome, Result};
use crate::input::{Recurse, find, plain, read};
use crate::job::objects;
use crate::notice::Notice;

#[derive(Debug, Args)]
#[command(after_help = "\
The URL is written to standard output once the server listens. Nothing is kept when it stops; no
controllers run, so Deployments make no Pods. Server-side apply is not there yet.

Examples:
  A server for the shell, without objects:
    kubemerge serve --port 8001 &
    kubectl --server http://127.0.0.1:8001 get namespaces

  With definitions and objects to begin with, over HTTPS, on any free port:
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
    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 0, value_name = "PORT")]
    port: u16,
    /// The address to listen on
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "ADDRESS")]
    address: IpAddr,
    /// Speak HTTPS, with a certificate that the kubeconfig trusts
    #[arg(long, requires = "kubeconfig")]
    tls: bool,
    /// Speak HTTPS and let in only who has the client certificate of the kubeconfig
    #[arg(long, requires = "kubeconfig")]
    client_certificates: bool,
    /// Let in only who has this bearer token, which is also in the kubeconfig
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Write a kubeconfig for the server here
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// The Kubernetes version to serve [default: 1.37]
    #[arg(long, short = 'k', value_name = "VERSION")]
    kubernetes: Option<String>,
    /// How strategic merge patches merge
    #[arg(long, value_enum, default_value_t = DialectWord::Upstream, value_name = "DIALECT")]
    dialect: DialectWord,
    /// OpenAPI document whose definitions are used beside the built-in ones; repeatable
    #[arg(long, value_name = "FILE")]
    schema: Vec<PathBuf>,
    /// File or folder with objects that are there from the start, definitions of custom resources too; repeatable
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Look into folders inside of folders
    #[arg(short = 'R', long)]
    recursive: bool,
    /// Create namespaces when something is first created in them
    #[arg(long)]
    create_namespaces: bool,
    /// End pods as soon as they are deleted, since no kubelet does
    #[arg(long)]
    pods_end_at_once: bool,
}

/// Serves until it is told to stop.
pub(crate) fn run(args: &ServeArgs) -> Result {
    let server = build(args)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Notice::error(format!("cannot start: {}", plain(&error))))?;
    runtime.block_on(async {
        let serving = server.serve(options(args)).await.map_err(|error| {
            let place = SocketAddr::new(args.address, args.port);
            Notice::error(format!("cannot listen on {place}: {}", plain(&error)))
        })?;
        // Signals are caught from now on: whoever reads the URL may send one at once.
        let stopped = stopped();
        announce(args, &serving)?;
        stopped.await;
        serving.stop().await;
        Ok(Outcome::Done)
    })
}

fn build(args: &ServeArgs) -> Result<ApiServer> {
    let recurse = if args.recursive { Recurse::Yes } else { Recurse::No };
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
    builder =
        with_documents(builder, &args.schema, recurse, |builder, _, document| builder.openapi(document))?;
    builder = with_documents(builder, &args.files, recurse, |builder, name, object| {
        builder.objects_from(name, [object])
    })?;
    builder.build().map_err(|error| Notice::error(error.to_string()).into())
}

fn with_documents(
    mut builder: Builder,
    words: &[PathBuf],
    recurse: Recurse,
    add: impl Fn(Builder, &str, Value) -> Builder,
) -> Result<Builder> {
    for origin in find(words, recurse)? {
        let source = read(&origin)?;
        for document in source.documents()? {
            for object in objects(&source, &document)? {
                let value = serde_json::from_slice(&object.json)
                    .map_err(|error| Notice::error(format!("cannot read {}: {error}", origin.name())))?;
                builder = add(builder, &origin.name(), value);
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

/// Says where the server is and how to use it.
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

/// Only the owner may read it, because it may hold a key.
fn write_kubeconfig(path: &Path, text: &str) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written
        .map_err(|error| Notice::error(format!("cannot write {}: {}", path.display(), plain(&error))).into())
}

/// Resolves when the user wants the server to stop. The signals are caught as soon as this is called.
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
