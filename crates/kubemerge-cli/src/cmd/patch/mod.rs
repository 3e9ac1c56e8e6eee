//! `kubemerge patch`: applies patches to objects in files.
//!
//! `apply` patches the objects, `warn` finds unknown fields in patches, and `write` writes the results to stdout
//! or into the files.

mod apply;
mod warn;
mod write;

use clap::{Args, ValueEnum};

use crate::args::{DialectArg, FileOptions, PatchOptions, PatchTypeArg, SchemaOptions, TargetOptions};
use crate::input::Inputs;
use crate::job::{self, LoadedPatch, Manifest, Selection, pairs};
use crate::report::Result;
use apply::Patcher;

#[derive(Debug, Args)]
#[command(after_help = "\
A patch with kind and metadata.name is for the object of that kind and name.
Any other patch is for the only document there is, unless --target or --all is given; if that is a
List, for each of its items.

Examples:
  kubemerge patch -f deployment.yaml -p '{\"spec\": {\"replicas\": 3}}'
  kubemerge patch -R -f manifests --patch-file patch.yaml --in-place
  kubemerge patch -f all.yaml --target Service/dns -n kube-system --type json \\
      -p '[{\"op\": \"remove\", \"path\": \"/spec/ports/0\"}]'
  helm template . | kubemerge patch -f - --patch-file patch.yaml --duplicate-keys last -o diff")]
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
    /// Write nothing; name the objects that would change, and exit 1 if there are any
    #[arg(long, conflicts_with_all = ["in_place", "output"])]
    check: bool,
    /// Merge rules: as Kubernetes merges, or as its design documents specify
    #[arg(long, value_enum, default_value_t)]
    dialect: DialectArg,
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
    /// The files themselves.
    InPlace,
    /// Only the names of what would change.
    Check,
}

impl PatchArgs {
    fn destination(&self) -> Destination {
        match self.output {
            _ if self.in_place => Destination::InPlace,
            _ if self.check => Destination::Check,
            Some(PatchOutput::Json) => Destination::Json,
            Some(PatchOutput::Diff) => Destination::Diff,
            Some(PatchOutput::Patch) => Destination::Patch,
            Some(PatchOutput::Yaml) | None => Destination::Yaml,
        }
    }
}

pub(crate) fn run(args: &PatchArgs, inputs: &mut Inputs) -> Result {
    let patch_sources = inputs.patches(&args.patch)?;
    let sources = inputs.manifests(&args.files, &patch_sources)?;
    let patches = LoadedPatch::all(&patch_sources, args.patch_type.into())?;
    let manifests = Manifest::all_of(&sources)?;
    // Only strategic patches need the custom resource definitions among the objects.
    let definitions = if args.patch_type == PatchTypeArg::Strategic { manifests.as_slice() } else { &[] };
    let schema = job::load_beside(&args.schema, inputs, definitions)?.compile(args.dialect.into())?;
    let pairs = pairs(&manifests, &patches, &Selection::new(&args.target, &schema)?)?;
    let objects = Patcher::new(&schema, &patches)?.all(&manifests, &pairs)?;
    warn::unknown_fields(&schema, &patches, &objects)?;
    write::results(args.destination(), &objects)
}
