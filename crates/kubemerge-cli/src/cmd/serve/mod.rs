//! `kubemerge serve`: a test API server on this machine, for kubectl and every other client.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use kubemerge_server::{
    AdmissionPlugin, ApiServer, Builder, ClientAuthentication, Controller, ServeOptions, Serving,
};
use serde_json::Value;

use crate::args::{DialectArg, Recurse, VerbDialect, newest};
use crate::cmd::store::{EtcdArgs, StoreArg};
use crate::input::{Inputs, Source};
use crate::load::{objects, overlays};
use crate::report::{Failure, Notice, Outcome, Result, plain, sanitize};

mod certificate;
mod duration;
mod kubeconfig;

pub(super) use certificate::{CertificateFiles, certificate_of_texts, server_certificate};

#[derive(Debug, Args)]
#[command(after_help = "\
The URL is written to stdout once the server listens. No controllers run, so
Deployments create no Pods. Without --store, nothing is kept when the server stops.

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

  With a folder that the next run goes on with:
    kubemerge serve --store file:cluster --port 8001

  Two servers that are one, over an etcd:
    kubemerge serve --store etcd://127.0.0.1:2379 --port 8001 &
    kubemerge serve --store etcd://127.0.0.1:2379 --port 8002

  The same with TLS, a user of etcd and a prefix for these servers alone:
    kubemerge serve --store etcd://etcd.example:2379/preview --etcd-cafile ca.pem \\
        --etcd-user preview --etcd-password-file password

  For other machines, which need the token and know this one by a name:
    kubemerge serve --address 0.0.0.0 --port 8001 --token-file token --allowed-host build.example

  For all clients in a container network, with limits and a log:
    kubemerge serve --address 0.0.0.0 --insecure --access-log --kubeconfig config --force \\
        --max-requests-inflight 100 --max-watches 500

  Without the objects of a fresh cluster, with all APIs, merging as the design documents specify:
    kubemerge serve --empty --alpha-and-beta --dialect spec --overlay design-documents

  With plugins that hold pods to the limits and quotas of their namespace:
    kubemerge serve --admission-plugins LimitRanger,ResourceQuota -f limits.yaml")]
pub(crate) struct ServeArgs {
    /// Where objects are kept: `memory` until the server stops, `file:FOLDER` beyond that,
    /// `etcd://HOST:PORT[,HOST:PORT…][/PREFIX]` in an etcd that several servers may share
    #[arg(long, default_value_t, value_name = "STORE")]
    store: StoreArg,
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
    /// Serve HTTPS with this certificate, PEM
    #[arg(long, value_name = "FILE", requires = "tls_private_key_file", conflicts_with_all = ["tls", "client_certificates"])]
    tls_cert_file: Option<PathBuf>,
    /// The private key of the certificate, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert_file")]
    tls_private_key_file: Option<PathBuf>,
    /// Require a client certificate of this authority, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert_file")]
    client_ca_file: Option<PathBuf>,
    /// Require this bearer token, which is also written to the kubeconfig; other users of the machine may see
    /// it in the list of processes, unlike that of --token-file
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Require the bearer token in this file
    #[arg(long, value_name = "FILE", conflicts_with = "token")]
    token_file: Option<PathBuf>,
    /// Allow all clients that can reach an address that is not loopback
    #[arg(long)]
    insecure: bool,
    /// Answer requests for this host name too, not only for addresses and localhost; repeatable
    #[arg(long, value_name = "NAME")]
    allowed_host: Vec<String>,
    /// Carry out at most this many requests at once, watches aside; others get 429
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    max_requests_inflight: Option<u32>,
    /// Keep at most this many watches open; others get 429
    #[arg(long, value_name = "COUNT")]
    max_watches: Option<usize>,
    /// Refuse to store objects larger than this, as etcd does with its flag of this name [default: 1572864]
    #[arg(long, value_name = "BYTES")]
    max_request_bytes: Option<usize>,
    /// Write a line to stderr for each request: method, path, code, duration
    #[arg(long)]
    access_log: bool,
    /// Remove Events that were not written for this long, such as 90s, 30m or 1h30m; 0 keeps them
    #[arg(long, default_value = "1h", value_name = "DURATION", value_parser = duration::parse)]
    event_ttl: Duration,
    /// Write a kubeconfig for the server to this file
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Replace the file of --kubeconfig even if it is not a kubeconfig of this command
    #[arg(long, requires = "kubeconfig")]
    force: bool,
    #[arg(long, short = 'k', value_name = "VERSION", help = newest("Kubernetes version to serve"))]
    kubernetes: Option<String>,
    /// Merge rules of strategic merge patches
    #[arg(long, value_parser = VerbDialect, default_value = "upstream", value_name = "DIALECT")]
    dialect: DialectArg,
    /// OpenAPI document with definitions to add to the built-in ones; repeatable
    #[arg(long, value_name = "FILE")]
    schema: Vec<PathBuf>,
    /// File with your own merge rules for some fields, or `design-documents` for those that the design
    /// documents of Kubernetes list (dialect spec only); repeatable
    #[arg(long, value_name = "FILE")]
    overlay: Vec<PathBuf>,
    /// Initial objects, CustomResourceDefinitions included: files or folders; repeatable
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Visit folders inside folders
    #[arg(short = 'R', long)]
    recursive: bool,
    /// Start without the objects that every cluster has, such as the namespace `default`
    #[arg(long)]
    empty: bool,
    /// Serve alpha and beta versions of built-in APIs, too
    #[arg(long)]
    alpha_and_beta: bool,
    /// Admission plugins of kube-apiserver to turn on, separated by commas
    #[arg(long, value_name = "PLUGINS", value_enum, value_delimiter = ',')]
    admission_plugins: Vec<PluginArg>,
    /// Controllers to run, separated by commas: `builtin` are all, `none` leaves objects as kube-apiserver alone does
    #[arg(long, value_name = "CONTROLLERS", value_enum, value_delimiter = ',', default_value = "builtin")]
    controllers: Vec<ControllerArg>,
    /// Create a namespace when an object is first created in it
    #[arg(long)]
    create_namespaces: bool,
    /// Remove pods as soon as they are deleted, since no kubelet does
    #[arg(long)]
    pods_end_at_once: bool,
    #[command(flatten)]
    etcd: EtcdArgs,
    /// Compact the history of the whole etcd this often, in turn with other servers; 0 leaves it to others
    #[arg(long, default_value = "5m", value_name = "DURATION", value_parser = duration::parse)]
    #[arg(help_heading = "Store in etcd")]
    etcd_compaction_interval: Duration,
}

/// An admission plugin, by the name that kube-apiserver gives it.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PluginArg {
    /// Defaults and bounds of LimitRanges
    #[value(name = "LimitRanger")]
    LimitRanger,
    /// Limits of ResourceQuotas, and their status
    #[value(name = "ResourceQuota")]
    ResourceQuota,
    /// Service accounts of pods, which must exist
    #[value(name = "ServiceAccount")]
    ServiceAccount,
}

impl From<PluginArg> for AdmissionPlugin {
    fn from(plugin: PluginArg) -> AdmissionPlugin {
        match plugin {
            PluginArg::LimitRanger => AdmissionPlugin::LimitRanger,
            PluginArg::ResourceQuota => AdmissionPlugin::ResourceQuota,
            PluginArg::ServiceAccount => AdmissionPlugin::ServiceAccount,
        }
    }
}

/// A controller, by the name that kube-controller-manager gives it, or a set of them.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ControllerArg {
    /// All that follow
    Builtin,
    /// No controller
    None,
    /// Dependents go with their owners
    GarbageCollector,
    /// Deleted namespaces are emptied and removed
    Namespace,
    /// The status of ResourceQuotas
    #[value(name = "resourcequota")]
    ResourceQuota,
    /// Deleted volumes and claims go when nothing uses them
    StorageProtection,
}

impl ControllerArg {
    fn controllers(self) -> &'static [Controller] {
        match self {
            ControllerArg::Builtin => &Controller::ALL,
            ControllerArg::None => &[],
            ControllerArg::GarbageCollector => &[Controller::GarbageCollector],
            ControllerArg::Namespace => &[Controller::Namespace],
            ControllerArg::ResourceQuota => &[Controller::ResourceQuota],
            ControllerArg::StorageProtection => &[Controller::StorageProtection],
        }
    }
}

/// Serves until a signal arrives.
pub(crate) fn run(args: &ServeArgs, inputs: &mut Inputs) -> Result {
    if let Some(path) = &args.kubeconfig {
        // Before the server starts: a file that may not be replaced ends the run early.
        kubeconfig::check_replaceable(path, args.force)?;
    }
    let options = options(args)?;
    let server = build(args, inputs)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Notice::error(format!("cannot start: {}", plain(&error))))?;
    runtime.block_on(async {
        let serving = server.serve(options).await.map_err(|error| {
            let place = SocketAddr::new(args.address, args.port);
            let notice = Notice::error(format!("cannot listen on {place}: {}", plain(&error)));
            match error.kind() {
                // The server refuses addresses that are not loopback and let everybody in.
                io::ErrorKind::InvalidInput => {
                    notice.help("give --token-file FILE or --client-certificates, or --insecure")
                }
                _ => notice,
            }
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
    if let Some(token) = token(args)? {
        builder = builder.token(&token);
    }
    if args.empty {
        builder = builder.empty();
    }
    if args.alpha_and_beta {
        builder = builder.alpha_and_beta();
    }
    for plugin in &args.admission_plugins {
        builder = builder.admission_plugin((*plugin).into());
    }
    let running: Vec<Controller> =
        args.controllers.iter().flat_map(|one| one.controllers()).copied().collect();
    builder = builder.controllers(&running);
    if let Some(bytes) = args.max_request_bytes {
        builder = builder.max_request_bytes(bytes);
    }
    if args.create_namespaces {
        builder = builder.create_namespaces();
    }
    if args.pods_end_at_once {
        builder = builder.pods_end_at_once();
    }
    // Documents before objects: kinds must be known when their objects are added.
    let schemas = inputs.read(&args.schema, recurse)?;
    builder = with_documents(builder, &schemas, |builder, _, document| builder.openapi(document))?;
    if !args.overlay.is_empty() && args.dialect == DialectArg::Upstream {
        Notice::warning("overlays act in the dialect spec only; upstream is what Kubernetes does").print();
    }
    builder = overlays(&args.overlay, inputs)?.into_iter().fold(builder, Builder::overlay);
    let objects = inputs.read(&args.files, recurse)?;
    builder =
        with_documents(builder, &objects, |builder, name, object| builder.objects_from(name, [object]))?;
    // Last, because it locks the folder: all that is given is known to be readable then.
    builder = args.store.give_to(builder, &args.etcd, args.etcd_compaction_interval)?;
    let server = builder.build().map_err(|error| Notice::error(error.to_string()))?;
    server.notes().into_iter().for_each(|note| Notice::note(note).print());
    Ok(server)
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

/// The token of either option. A file may end with a newline, which editors add.
fn token(args: &ServeArgs) -> Result<Option<String>> {
    let (token, place) = match (&args.token, &args.token_file) {
        (_, Some(path)) => {
            let text = std::fs::read_to_string(path).map_err(|error| {
                Notice::error(format!("cannot read {}: {}", path.display(), plain(&error)))
            })?;
            (text.trim().to_owned(), path.display().to_string())
        }
        (Some(token), None) => (token.clone(), "--token".to_owned()),
        (None, None) => return Ok(None),
    };
    // The token itself is never part of a message.
    if token.is_empty() {
        return Err(Notice::error(format!("{place} contains no token")).into());
    }
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        let notice = Notice::error(format!("{place} contains a token that no client can send"));
        return Err(notice.help("a token is one line of ASCII characters without spaces").into());
    }
    Ok(Some(token))
}

fn options(args: &ServeArgs) -> Result<ServeOptions> {
    let mut options = ServeOptions::default().address(SocketAddr::new(args.address, args.port));
    options = options.event_ttl(args.event_ttl);
    for name in &args.allowed_host {
        options = options.allowed_host(name);
    }
    if let Some(count) = args.max_requests_inflight {
        options = options.max_requests_inflight(count as usize);
    }
    if let Some(count) = args.max_watches {
        options = options.max_watches(count);
    }
    options = options.error_log(|line| eprintln!("{}", sanitize(line)));
    if args.access_log {
        options = options.access_log(|entry| eprintln!("{entry}"));
    }
    if args.insecure {
        options = options.insecure();
    }
    if let (Some(certificate), Some(key)) = (&args.tls_cert_file, &args.tls_private_key_file) {
        let files = CertificateFiles { certificate, key, client_authority: args.client_ca_file.as_deref() };
        return Ok(options.certificate(server_certificate(files, ClientAuthentication::Required)?));
    }
    // Client certificates need TLS, so they come first.
    Ok(if args.client_certificates {
        options.client_certificates()
    } else if args.tls {
        options.tls()
    } else {
        options
    })
}

/// Prints the URL, and how to use the server.
fn announce(args: &ServeArgs, serving: &Serving) -> Result<()> {
    let kubectl = match &args.kubeconfig {
        Some(path) => {
            kubeconfig::write(path, serving.kubeconfig())?;
            format!("kubectl --kubeconfig {}", path.display())
        }
        None => format!("kubectl --server {}", serving.url()),
    };
    let mut out = std::io::stdout().lock();
    // Alone on stdout, for scripts that read one line; the rest is for people.
    writeln!(out, "{}", serving.url())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::of_output(&error))?;
    eprintln!("Try it:        {kubectl} get namespaces\nStop it with:  Ctrl-C");
    Ok(())
}

/// Resolves when a signal to stop arrives. The signals are caught as soon as this is called.
#[cfg(unix)]
pub(super) fn stopped() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut caught = [SignalKind::terminate(), SignalKind::interrupt()].map(|kind| signal(kind).ok());
    async move {
        let [terminate, interrupt] = &mut caught;
        tokio::select! {
            () = received(terminate) => {}
            () = received(interrupt) => {}
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
pub(super) async fn stopped() {
    drop(tokio::signal::ctrl_c().await);
}
