//! `kubemerge patch`: applies patches to objects in files.
//!
//! `select` says which objects each patch is for, `apply` patches the objects of one file, and `write`
//! brings the results to standard output or back into the files.

mod apply;
mod select;
mod write;

use clap::{Args, ValueEnum};

use crate::args::{DialectWord, FileOptions, PatchOptions, SchemaOptions, TargetOptions, TypeWord};
use crate::each_file::each_file;
use crate::failure::Result;
use crate::input::{Origin, without};
use crate::job::{self, LoadedPatch, patch_sources};
use apply::Patcher;
use select::Selection;
use write::Writer;

#[derive(Debug, Args)]
#[command(after_help = "\
A patch that holds kind and metadata.name is for the object of that kind and name.
Another patch is for the only document there is, unless --target or --all is given; if that is a
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
    /// The type of the patch
    #[arg(long = "type", value_enum, default_value_t, value_name = "TYPE")]
    patch_type: TypeWord,
    #[command(flatten)]
    target: TargetOptions,
    /// What to write [default: yaml]
    #[arg(long, short, value_enum, conflicts_with = "in_place")]
    output: Option<PatchOutput>,
    /// Change the files and keep comments, order and layout of everything else
    #[arg(long, short)]
    in_place: bool,
    /// Write nothing; exit code 1 tells that something would change
    #[arg(long, conflicts_with_all = ["in_place", "output"])]
    check: bool,
    /// Which promise to keep
    #[arg(long, value_enum, default_value_t)]
    dialect: DialectWord,
    #[command(flatten)]
    schema: SchemaOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PatchOutput {
    /// The patched objects as YAML
    Yaml,
    /// The patched objects as JSON
    Json,
    /// What changes in the files
    Diff,
    /// The patches that make the results of the objects, as JSON
    Patch,
}

/// What happens to the results.
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

impl Destination {
    /// Whether the texts of the files are edited.
    fn wants_text(self) -> bool {
        matches!(self, Destination::Diff | Destination::InPlace)
    }
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

pub(crate) fn run(args: &PatchArgs) -> Result {
    let patch_files = args.patch.find()?;
    let origins = without(args.files.find()?, &patch_files);
    let sources = patch_sources(args.patch.patch.as_deref(), &patch_files)?;
    let patches = LoadedPatch::all(&sources, args.patch_type.into())?;
    // Only strategic patches ask for custom resource definitions among the files.
    let definitions: &[Origin] = if args.patch_type == TypeWord::Strategic { &origins } else { &[] };
    let schema = job::load_beside(&args.schema, definitions)?.compile(args.dialect.into())?;
    let selection = Selection::new(&patches, &args.target.asked(&schema)?);
    selection.check_before(&origins)?;
    let patcher = Patcher::new(&schema, &patches, &selection)?;
    let destination = args.destination();
    let mut writer = Writer::new(destination, selection.hold());
    let mut fitting = selection.count();
    let work = |origin: &Origin| patcher.file(origin, destination);
    each_file(&origins, work, |file| {
        fitting.add(&file);
        writer.take(file)
    })?;
    fitting.check()?;
    fitting.warn(&schema)?;
    writer.finish()
}
