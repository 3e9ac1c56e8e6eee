//! `kubemerge dump` and `kubemerge restore`: the state of a store as YAML, to move it to another store.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use kubemerge_server::ApiServer;
use kubemerge_yaml as yaml;
use serde_json::Value;

use super::store::{EtcdArgs, StoreArg};
use crate::args::{Recurse, newest};
use crate::input::Inputs;
use crate::load::objects;
use crate::output::{Stdout, write_private};
use crate::report::{Notice, Outcome, Result, plain};

#[derive(Debug, Args)]
#[command(after_help = "\
The dump has every object with its status, uid, resourceVersion and managedFields. A server that
uses a folder must be stopped.

Examples:
  kubemerge dump --store file:cluster -o cluster.yaml
  kubemerge restore --store file:copy -f cluster.yaml")]
pub(crate) struct DumpArgs {
    /// The store to read: `file:FOLDER` or `etcd://HOST:PORT[,HOST:PORT…][/PREFIX]`
    #[arg(long, value_name = "STORE")]
    store: StoreArg,
    #[command(flatten)]
    etcd: EtcdArgs,
    /// Write to this new file, which only its owner may read, instead of stdout
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
    #[arg(long, short = 'k', value_name = "VERSION", help = newest("Kubernetes version of the server that wrote the store"))]
    kubernetes: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Objects get the uids, resourceVersions and managedFields of the dump again; resourceVersions in
etcd are new.

Examples:
  kubemerge restore --store file:cluster -f cluster.yaml
  kubemerge restore --store file:cluster -f cluster.yaml --force   # drops what is in the store")]
pub(crate) struct RestoreArgs {
    /// The store to fill: `file:FOLDER` or `etcd://HOST:PORT[,HOST:PORT…][/PREFIX]`
    #[arg(long, value_name = "STORE")]
    store: StoreArg,
    #[command(flatten)]
    etcd: EtcdArgs,
    /// The dump; `-` reads stdin
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    file: PathBuf,
    /// Replace what is in the store
    #[arg(long)]
    force: bool,
    #[arg(long, short = 'k', value_name = "VERSION", help = newest("Kubernetes version of the server that will use the store"))]
    kubernetes: Option<String>,
}

/// Writes every object of a store.
pub(crate) fn run_dump(args: &DumpArgs) -> Result {
    let server = open(&args.store, &args.etcd, args.kubernetes.as_deref())?;
    let mut text = String::new();
    for object in server.dump() {
        let written = yaml::write_json(object.to_string().as_bytes(), &yaml::WriteOptions::default());
        let written =
            written.map_err(|error| Notice::error(format!("an object cannot be written: {error}")))?;
        text.push_str("---\n");
        text.push_str(&written);
    }
    if let Some(path) = &args.output {
        write(path, &text)?;
    } else {
        let mut out = Stdout::new();
        out.text(text)?;
        out.finish()?;
    }
    Ok(Outcome::Done)
}

/// Fills a store with the objects of a dump.
pub(crate) fn run_restore(args: &RestoreArgs, inputs: &mut Inputs) -> Result {
    let mut dumped: Vec<Value> = Vec::new();
    for source in inputs.read(std::slice::from_ref(&args.file), Recurse::No)? {
        for document in source.documents()? {
            for object in objects(&source, &document)? {
                let value = serde_json::from_slice(&object.json)
                    .map_err(|error| Notice::error(format!("cannot read {}: {error}", source.name)))?;
                dumped.push(value);
            }
        }
    }
    // After the dump was read: a mistake in it leaves the store untouched.
    let server = open(&args.store, &args.etcd, args.kubernetes.as_deref())?;
    if !args.force && !server.counts().is_empty() {
        return Err(Notice::error(format!("{} has objects already", args.store))
            .help("give an empty store, or replace the objects with --force")
            .into());
    }
    server.restore_dump(dumped).map_err(|error| Notice::error(error.to_string()))?;
    Ok(Outcome::Done)
}

/// A server over a store, to know the kinds of its objects.
fn open(store: &StoreArg, access: &EtcdArgs, version: Option<&str>) -> Result<ApiServer> {
    if *store == StoreArg::Memory {
        return Err(
            Notice::error("the store `memory` is empty: give `file:FOLDER` or `etcd://HOST:PORT`").into()
        );
    }
    let mut builder = ApiServer::builder().empty().alpha_and_beta().request_log(0);
    if let Some(version) = version {
        builder = builder.kubernetes(version);
    }
    // Compaction is left to servers.
    let builder = store.give_to(builder, access, Duration::ZERO)?;
    builder.build().map_err(|error| Notice::error(error.to_string()).into())
}

/// A dump has Secrets. It never replaces a file.
fn write(path: &Path, text: &str) -> Result<()> {
    write_private(path, text).map_err(|error| {
        let notice = Notice::error(format!("cannot write {}: {}", path.display(), plain(&error)));
        match error.kind() {
            io::ErrorKind::AlreadyExists => notice.help("give the name of a new file to --output").into(),
            _ => notice.into(),
        }
    })
}
