//! `kubemerge patch`: applies patches to objects in files.
//!
//! `apply` patches the objects, `warn` finds unknown fields in patches, and `write` writes the results to stdout
//! or into the files.

mod apply;
mod warn;
mod write;

use std::sync::Arc;

use clap::{Args, ValueEnum};
use kubemerge::{Dialect, Schema};
use rayon::prelude::*;

use super::refusal::{RefusalOptions, RefusedResult, Verdict, mask};
use super::repeated;
use crate::args::{FileOptions, PatchDialectArg, PatchOptions, PatchTypeArg, SchemaOptions, TargetOptions};
use crate::input::{Inputs, Source};
use crate::load::{self, LoadedPatch, Objects, Selection, pairs};
use crate::report::{Notice, Outcome, Result};
use apply::{PatchedObject, Patcher};

#[derive(Debug, Args)]
#[command(after_help = "\
A patch with kind and metadata.name is for the object of that kind and name.
Any other patch is for the only document there is, or for each item if that is a List. --target, -l,
--annotation-selector and --all select objects, whatever the patch names.
Documents without apiVersion and kind, and patch files of kustomizations, are never patched.

Examples:
  kubemerge patch -f deployment.yaml -p '{\"spec\": {\"replicas\": 3}}'
  kubemerge patch -R -f manifests --patch-file patch.yaml --in-place --strict
  kubemerge patch -f all.yaml --target Service/dns -n kube-system --type json \\
      -p '[{\"op\": \"remove\", \"path\": \"/spec/ports/0\"}]'
  kubemerge patch -R -f manifests --target 'apps/*/web-*' -l tier=front --type merge \\
      -p '{\"metadata\": {\"labels\": {\"team\": \"shop\"}}}' -o diff
  helm template . | kubemerge patch -f - --patch-file patch.yaml | kubectl apply -f -")]
pub(crate) struct PatchArgs {
    #[command(flatten)]
    files: FileOptions,
    #[command(flatten)]
    patch: PatchOptions,
    /// Type of the patch
    #[arg(long = "type", value_enum, default_value_t, value_name = "TYPE")]
    patch_type: PatchTypeArg,
    #[command(flatten)]
    target: TargetOptions,
    /// Output format [default: yaml]
    #[arg(long, short, value_enum, conflicts_with = "in_place")]
    output: Option<PatchOutput>,
    /// Rewrite the files; comments, order and layout of everything else stay
    #[arg(long, short)]
    in_place: bool,
    /// Write all documents, not only patched ones: others stay byte for byte, and patched ones keep
    /// comments and layout; the default for -f - and YAML output
    #[arg(long, conflicts_with_all = ["in_place", "check"])]
    pass_through: bool,
    /// Write only patched objects
    #[arg(long, conflicts_with_all = ["in_place", "check", "pass_through"])]
    only_patched: bool,
    /// Write nothing; name the objects that would change, and exit 1 if there are any
    #[arg(long, conflicts_with_all = ["in_place", "output"])]
    check: bool,
    /// Merge rules: as Kubernetes merges, as its design documents specify, or as kustomize merges
    #[arg(long, value_enum, default_value_t)]
    dialect: PatchDialectArg,
    #[command(flatten)]
    refusal: RefusalOptions,
    #[command(flatten)]
    schema: SchemaOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PatchOutput {
    /// The patched objects as YAML
    Yaml,
    /// The patched objects as JSON
    Json,
    /// Unified diff of the files
    Diff,
    /// The patch from each object to its result, as JSON
    Patch,
}

/// Where the results go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Destination {
    Yaml,
    Json,
    Diff,
    Patch,
    /// All documents of the input, patched or not.
    PassThrough,
    /// The files themselves.
    InPlace,
    /// Only the names of what would change.
    Check,
}

impl PatchArgs {
    fn destination(&self, sources: &[Arc<Source>]) -> Result<Destination> {
        let is_piped = sources.iter().any(|source| source.is_stdin());
        match self.output {
            _ if self.in_place => Ok(Destination::InPlace),
            _ if self.check => Ok(Destination::Check),
            Some(PatchOutput::Yaml) | None if self.pass_through => Ok(Destination::PassThrough),
            Some(_) if self.pass_through => {
                let notice = Notice::error("only YAML output can pass documents through");
                Err(notice.help("leave --output or --pass-through out").into())
            }
            // In a pipeline a document that is dropped would be missing in the cluster.
            Some(PatchOutput::Yaml) | None if is_piped && !self.only_patched => Ok(Destination::PassThrough),
            Some(PatchOutput::Yaml) | None => Ok(Destination::Yaml),
            Some(PatchOutput::Json) => Ok(Destination::Json),
            Some(PatchOutput::Diff) => Ok(Destination::Diff),
            Some(PatchOutput::Patch) => Ok(Destination::Patch),
        }
    }
}

pub(crate) fn run(args: &PatchArgs, inputs: &mut Inputs) -> Result {
    let patch_sources = inputs.patches(&args.patch)?;
    let sources = inputs.manifests(&args.files, &patch_sources)?;
    let destination = args.destination(&sources)?;
    let patches = LoadedPatch::all(&patch_sources, args.patch_type.into())?;
    let objects = Objects::load_some(&sources)?;
    // Before results, which may be long.
    objects.report();
    if destination == Destination::InPlace {
        check_readable(&objects)?;
    }
    let rules = (args.dialect == PatchDialectArg::Kustomize)
        .then(|| load::kustomize_schema(&args.schema, inputs))
        .transpose()?;
    // kustomize's schema is too old to judge by: what a cluster has comes from that of the API server.
    let dialect = if rules.is_some() { Dialect::Upstream } else { args.dialect.into() };
    let schema = load::schemas_beside(&args.schema, inputs, &objects.manifests)?.compile(dialect)?;
    let pairs = pairs(&objects.manifests, &patches, &Selection::new(&args.target, &schema)?)?;
    let rules = rules.as_ref().unwrap_or(&schema);
    let patched = Patcher::new(rules, &patches)?.all(&objects.manifests, &pairs)?;
    let merged = pairs.iter().map(|pair| (&objects.manifests[pair.manifest], &patches[pair.patch]));
    // After the merge: a patch that cannot be applied has an error, and warnings would hide it.
    warn::unknown_fields(&schema, &patches, &patched)?;
    let refused = refused_results(&schema, &patched, inputs);
    let verdicts =
        [args.refusal.report_findings(repeated::items(rules, merged)?), args.refusal.report(&refused)];
    if verdicts.contains(&Verdict::Stop) {
        return Ok(Outcome::Found);
    }
    Ok(objects.outcome(write::results(destination, &sources, &patched)?))
}

/// The results that the API server would refuse.
fn refused_results(
    schema: &Schema,
    patched: &[PatchedObject<'_, '_>],
    inputs: &Inputs,
) -> Vec<RefusedResult> {
    // Validation takes longer than the merge.
    let causes = patched.par_iter().map(|object| object.refusal(schema)).collect::<Vec<_>>();
    let refused = patched.iter().zip(causes).filter(|(_, causes)| !causes.is_empty());
    refused
        .map(|(object, causes)| RefusedResult {
            title: object.manifest.title(),
            causes: mask(causes, inputs, &object.manifest.identity),
        })
        .collect()
}

/// No file is rewritten while another one cannot be read: its objects might need the patch as well.
fn check_readable(objects: &Objects<'_>) -> Result<()> {
    match objects.unreadable.len() {
        0 => Ok(()),
        1 => Err(Notice::error("no file has changed, because one cannot be read")
            .help("skip it with --exclude GLOB")
            .into()),
        count => Err(Notice::error(format!("no file has changed, because {count} cannot be read"))
            .help("skip them with --exclude GLOB")
            .into()),
    }
}
