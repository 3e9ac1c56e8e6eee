//! `kubemerge apply`: what `kubectl apply` would send, and the resulting objects.
//!
//! `conflict` finds changes by other clients, and `write` writes the results to stdout; `server_side` does the same for
//! server-side apply.

mod conflict;
mod namespace;
mod server_side;
mod write;

use std::path::PathBuf;

use clap::Args;
use kubemerge::{KubectlApplied, LAST_APPLIED, OnConflict, Patch, RuleSource, Schema, apply, kubectl_apply};
use kubemerge_inspect::{RefusalCause, refusal_of_change, refusal_of_new};
use serde_json::json;

use self::write::{ApplyOutput, ConfigResult};
use super::refusal::{RefusalOptions, RefusedResult, Verdict, mask};
use super::repeated;
use crate::args::{DialectArg, FileOptions, Recurse, SchemaOptions, VerbDialect};
use crate::input::Inputs;
use crate::load::{self, Manifest, match_objects};
use crate::output::Stdout;
use crate::report::{Notice, Outcome, Result};
use conflict::Conflicts;

#[derive(Debug, Args)]
#[command(after_help = "\
The last applied configuration is taken from --last-applied, else from the annotation of the live
object. A configuration without a namespace gets that of --namespace, as kubectl adds it, else that
of its live object. A configuration without a live object is created.

With --server-side, `-o patch` is the configuration as JSON, and without -o the object alone is
written. Exits 1 if other managers own fields that would change.

Examples:
  kubectl get deployment shop -o yaml > live.yaml
  kubemerge apply -f deployment.yaml --live live.yaml
  kubemerge apply -f deployment.yaml --live live.yaml -o diff
  kubemerge apply -f deployment.yaml --live live.yaml --no-overwrite

  kubectl get -f manifests -o yaml > live.yaml
  kubemerge apply -f manifests --live live.yaml -o diff --strict
  kubectl get deployment shop -o yaml --show-managed-fields > live.yaml
  kubemerge apply --server-side --explain -f deployment.yaml --live live.yaml
  kubemerge apply --server-side --field-manager ci --force-conflicts -f deployment.yaml --live live.yaml -o diff
  helm template . | kubemerge apply -f - --live live.yaml --duplicate-keys last -o diff")]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    files: FileOptions,
    /// Live objects; repeatable [default: there are none]
    #[arg(long, value_name = "LIVE")]
    live: Vec<PathBuf>,
    /// Last applied configurations; repeatable [default: the annotations of the live objects]
    #[arg(long, value_name = "FILE", requires = "live")]
    last_applied: Vec<PathBuf>,
    /// Namespace of configurations that have none [default: that of the live object]
    #[arg(long, short, value_name = "NAMESPACE")]
    namespace: Option<String>,
    /// Write nothing; name the objects that would change, and exit 1 if there are any
    #[arg(long, conflicts_with = "output")]
    check: bool,
    /// Do not overwrite changes by other clients: show them and exit 1
    #[arg(long)]
    no_overwrite: bool,
    /// Apply on the server: compute the object and its owners from the managedFields of the live object
    #[arg(long, conflicts_with_all = ["last_applied", "no_overwrite", "check"])]
    server_side: bool,
    /// The field manager of a server-side apply [default: kubectl]
    #[arg(long, value_name = "NAME", requires = "server_side")]
    field_manager: Option<String>,
    /// Take fields that other managers own
    #[arg(long, requires = "server_side")]
    force_conflicts: bool,
    /// Show what a server-side apply does to each field and why, instead of the result
    #[arg(long, requires = "server_side")]
    explain: bool,
    /// Output format
    #[arg(long, short, value_enum, default_value_t)]
    output: ApplyOutput,
    /// Merge rules: as Kubernetes merges, or as its design documents specify
    #[arg(long, value_parser = VerbDialect, default_value = "upstream")]
    dialect: DialectArg,
    #[command(flatten)]
    refusal: RefusalOptions,
    #[command(flatten)]
    schema: SchemaOptions,
}

pub(crate) fn run(args: &ApplyArgs, inputs: &mut Inputs) -> Result {
    let sources = inputs.manifests(&args.files, &[])?;
    let live_sources = inputs.read(&args.live, Recurse::No)?;
    let last_sources = inputs.read(&args.last_applied, Recurse::No)?;
    let mut configs = Manifest::all_of(&sources)?;
    let (live, last) = (Manifest::all_of(&live_sources)?, Manifest::all_of(&last_sources)?);
    // An error for kubectl as well.
    if configs.is_empty() {
        return Err(Notice::error("there is no configuration to apply").into());
    }
    // Upstream, custom resources get merge patches, whatever their definitions say.
    let definitions = if args.dialect == DialectArg::Spec { configs.as_slice() } else { &[] };
    let schema = load::schemas_beside(&args.schema, inputs, definitions)?.compile(args.dialect.into())?;
    for config in &mut configs {
        namespace::from_option(config, args.namespace.as_deref(), &schema)?;
    }
    if args.server_side {
        // The definitions of custom resources decide how their lists are owned.
        let schema = load::schemas_beside(&args.schema, inputs, &configs)?.compile(args.dialect.into())?;
        return server_side::run(args, &schema, &configs, &live, inputs);
    }
    let live_of = objects_of(&configs, &live)?;
    for (config, at) in configs.iter_mut().zip(&live_of) {
        namespace::from_live(config, at.map(|at| &live[at]))?;
    }
    let mut conflicts = Conflicts::default();
    let mut steps = Vec::new();
    let remembered = objects_of(&configs, &last)?;
    for ((config, at), remembered) in configs.iter().zip(live_of).zip(remembered) {
        let remembered = remembered.map(|at| &last[at]);
        let current = at.map(|at| current(&live[at], remembered)).transpose()?;
        if let (true, Some(current)) = (args.no_overwrite, &current) {
            conflicts.find(&schema, config, current)?;
        }
        steps.push(ConfigResult { config, live: at, applied: applied(&schema, config, current.as_ref())? });
    }
    let mut out = Stdout::new();
    if !conflicts.is_empty() {
        out.text(conflicts.table(configs.len()))?;
        out.finish()?;
        return Ok(Outcome::Found);
    }
    let refused = refused_results(&schema, &steps, &live, inputs);
    let merged: Vec<&Manifest<'_>> =
        steps.iter().flat_map(|step| [Some(step.config), step.live.map(|at| &live[at])]).flatten().collect();
    let repeated = repeated::items_of_objects(&schema, &merged)?;
    let verdicts = [args.refusal.report_findings(repeated), args.refusal.report(&refused)];
    if verdicts.contains(&Verdict::Stop) {
        return Ok(Outcome::Found);
    }
    if args.check {
        let changed: String =
            steps.iter().filter(|step| step.changes()).map(|step| step.config.title() + "\n").collect();
        out.text(&changed)?;
        out.finish()?;
        return Ok(if changed.is_empty() { Outcome::Done } else { Outcome::Found });
    }
    out.text(write::text(args.output, &steps, &live)?)?;
    out.finish()?;
    Ok(Outcome::Done)
}

/// The results that the API server would refuse.
fn refused_results(
    schema: &Schema,
    steps: &[ConfigResult<'_, '_>],
    live: &[Manifest<'_>],
    inputs: &Inputs,
) -> Vec<RefusedResult> {
    let causes = steps.iter().map(|step| (step, step.refusal(schema, live)));
    causes
        .filter(|(_, causes)| !causes.is_empty())
        .map(|(step, causes)| RefusedResult {
            title: step.config.title(),
            causes: mask(causes, inputs, &step.config.identity),
        })
        .collect()
}

impl ConfigResult<'_, '_> {
    /// Why the API server would refuse the result.
    fn refusal(&self, schema: &Schema, live: &[Manifest<'_>]) -> Vec<RefusalCause> {
        match (&self.applied, self.live) {
            (KubectlApplied::Created(object), _) => refusal_of_new(schema, object),
            (KubectlApplied::Configured { result, .. }, Some(at)) => {
                refusal_of_change(schema, &live[at].json, result)
            }
            // Nothing is sent, or there is nothing to change.
            (KubectlApplied::Unchanged | KubectlApplied::Configured { .. }, _) => Vec::new(),
        }
    }

    /// Whether anything is sent.
    fn changes(&self) -> bool {
        !matches!(self.applied, KubectlApplied::Unchanged)
    }
}

/// The numbers of the objects of configurations. A single object must be that of the only configuration.
fn objects_of(configs: &[Manifest<'_>], objects: &[Manifest<'_>]) -> Result<Vec<Option<usize>>> {
    // A single pair that does not match is a mistake; among several, an object without a counterpart is created.
    let ([config], [object]) = (configs, objects) else { return match_objects(configs, objects) };
    match config.identity.difference(&object.identity) {
        None => Ok(vec![Some(0)]),
        Some(path) => Err(other_object(config, object, path).into()),
    }
}

fn other_object(config: &Manifest<'_>, object: &Manifest<'_>, path: &str) -> Notice {
    let (wanted, found) = (config.identity.in_full(), object.identity.in_full());
    Notice::error(format!("the configuration is for {wanted}, {} contains {found}", object.source.name))
        .at(config.excerpt(path, ""))
        .at(object.excerpt(path, ""))
        .help("give the object that the configuration is for")
}

fn applied(
    schema: &Schema,
    config: &Manifest<'_>,
    current: Option<&Vec<u8>>,
) -> Result<KubectlApplied<Vec<u8>>> {
    kubectl_apply(schema, &config.json, current, OnConflict::Overwrite)
        .map_err(|error| config.fault(&error).into())
}

/// The live object; a given configuration replaces the one in its annotation.
fn current(live: &Manifest<'_>, given: Option<&Manifest<'_>>) -> Result<Vec<u8>> {
    let Some(given) = given else { return Ok(live.json.clone()) };
    let text = String::from_utf8_lossy(&given.json).into_owned();
    let body = json!({"metadata": {"annotations": {LAST_APPLIED: text}}}).to_string();
    let patch = Patch::merge(&body).map_err(|error| live.fault(&error))?;
    apply(RuleSource::None, &live.json, &patch).map_err(|error| live.fault(&error).into())
}
