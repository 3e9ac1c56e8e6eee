//! `kubemerge apply`: what `kubectl apply` would send, and what the objects would become.
//!
//! `conflict` finds what others changed, and `write` brings the results to standard output.

mod conflict;
mod write;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kubemerge::{Applied, Guide, LAST_APPLIED, OnConflict, Patch, Schema, apply, kubectl_apply};
use serde_json::json;

use crate::args::{DialectWord, FileOptions, SchemaOptions};
use crate::failure::{Outcome, Result};
use crate::input::{Origin, Recurse, Source, find, read_all};
use crate::job::{self, Manifest, twins};
use crate::notice::Notice;
use crate::output::Output;
use conflict::Conflicts;

#[derive(Debug, Args)]
#[command(after_help = "\
The configuration that was applied last is taken from --last-applied, else from the annotation of
the live object. kubectl fills in the namespace of its context; here a configuration says its own.
A configuration whose object is not among several live ones is created.

Examples:
  kubectl get deployment shop -o yaml > live.yaml
  kubemerge apply -f deployment.yaml --live live.yaml
  kubemerge apply -f deployment.yaml --live live.yaml -o diff
  kubemerge apply -f deployment.yaml --live live.yaml --no-overwrite

  kubectl get -f manifests -o yaml > live.yaml
  kubemerge apply -f manifests --live live.yaml -o diff
  helm template . | kubemerge apply -f - --live live.yaml --duplicate-keys last -o diff")]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    files: FileOptions,
    /// The objects on the server; repeatable [default: there are none]
    #[arg(long, value_name = "LIVE")]
    live: Vec<PathBuf>,
    /// The configurations that were applied last; repeatable [default: the annotations of the live objects]
    #[arg(long, value_name = "FILE", requires = "live")]
    last_applied: Vec<PathBuf>,
    /// Show what others changed, and exit with 1, instead of overwriting it
    #[arg(long)]
    no_overwrite: bool,
    /// What to write
    #[arg(long, short, value_enum, default_value_t)]
    output: ApplyOutput,
    /// Which promise to keep
    #[arg(long, value_enum, default_value_t)]
    dialect: DialectWord,
    #[command(flatten)]
    schema: SchemaOptions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ApplyOutput {
    /// The patch and the object, as two YAML documents
    #[default]
    Both,
    /// The patch as JSON, as it is sent
    Patch,
    /// The object as YAML
    Yaml,
    /// The object as JSON
    Json,
    /// What changes in the live object
    Diff,
}

/// What becomes of a configuration.
struct Step<'m, 's> {
    config: &'m Manifest<'s>,
    /// The number of its live object.
    live: Option<usize>,
    applied: Applied<Vec<u8>>,
}

pub(crate) fn run(args: &ApplyArgs) -> Result {
    let origins = args.files.find()?;
    let texts = read_all(&origins)?;
    let (live_texts, last_texts) = (texts_of(&args.live)?, texts_of(&args.last_applied)?);
    let configs = Manifest::all_of(&texts)?;
    let (live, last) = (Manifest::all_of(&live_texts)?, Manifest::all_of(&last_texts)?);
    if configs.is_empty() {
        return Err(Notice::error("there is no configuration to apply").into());
    }
    // Upstream, custom resources get merge patches, whatever their definitions say.
    let definitions: &[Origin] = if args.dialect == DialectWord::Spec { &origins } else { &[] };
    let schema = job::load_beside(&args.schema, definitions)?.compile(args.dialect.into())?;
    let mut conflicts = Conflicts::default();
    let mut steps = Vec::new();
    let remembered = objects_of(&configs, &last)?;
    for ((config, at), remembered) in configs.iter().zip(objects_of(&configs, &live)?).zip(remembered) {
        let remembered = remembered.map(|at| &last[at]);
        let current = at.map(|at| current(&live[at], remembered)).transpose()?;
        if let (true, Some(current)) = (args.no_overwrite, &current) {
            conflicts.find(&schema, config, current)?;
        }
        steps.push(Step { config, live: at, applied: applied(&schema, config, current.as_ref())? });
    }
    let mut out = Output::new();
    if !conflicts.is_empty() {
        out.text(conflicts.table(configs.len()))?;
        out.finish()?;
        return Ok(Outcome::Found);
    }
    out.text(write::text(args.output, &steps, &live)?)?;
    out.finish()?;
    Ok(Outcome::Done)
}

fn texts_of(words: &[PathBuf]) -> Result<Vec<Source>> {
    read_all(&find(words, Recurse::No)?)
}

/// The numbers of the objects of configurations. One object alone must be that of the only configuration.
fn objects_of(configs: &[Manifest<'_>], objects: &[Manifest<'_>]) -> Result<Vec<Option<usize>>> {
    let ([config], [object]) = (configs, objects) else { return twins(configs, objects) };
    match config.identity.difference(&object.identity) {
        None => Ok(vec![Some(0)]),
        Some(path) => Err(other_object(config, object, path).into()),
    }
}

fn other_object(config: &Manifest<'_>, object: &Manifest<'_>, path: &str) -> Notice {
    let (wanted, found) = (config.identity.in_full(), object.identity.in_full());
    Notice::error(format!("the configuration is for {wanted}, {} holds {found}", object.source.name))
        .at(config.excerpt(path, ""))
        .at(object.excerpt(path, ""))
        .cure("give the object that the configuration is for")
}

fn applied(schema: &Schema, config: &Manifest<'_>, current: Option<&Vec<u8>>) -> Result<Applied<Vec<u8>>> {
    kubectl_apply(schema, &config.json, current, OnConflict::Overwrite)
        .map_err(|error| config.fault(&error).into())
}

/// The live object; a given configuration takes the place of the one it remembers.
fn current(live: &Manifest<'_>, given: Option<&Manifest<'_>>) -> Result<Vec<u8>> {
    let Some(given) = given else { return Ok(live.json.clone()) };
    let text = String::from_utf8_lossy(&given.json).into_owned();
    let body = json!({"metadata": {"annotations": {LAST_APPLIED: text}}}).to_string();
    let patch = Patch::merge(&body).map_err(|error| live.fault(&error))?;
    apply(Guide::None, &live.json, &patch).map_err(|error| live.fault(&error).into())
}
