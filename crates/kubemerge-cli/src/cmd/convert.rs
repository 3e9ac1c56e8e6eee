//! `kubemerge convert` and `kubemerge invert`: patches that do the same, or the opposite, to an object.

use std::path::PathBuf;

use clap::Args;
use kubemerge::{Error, Guide, Patch, PatchType, Schema, convert, invert};

use super::{diff::target, making::Making};
use crate::args::{PatchOptions, TypeWord};
use crate::failure::{Outcome, Result};
use crate::input::{Source, read_one};
use crate::job::{LoadedPatch, Manifest, patch_sources, type_of};
use crate::notice::Notice;

/// What convert and invert have in common.
#[derive(Debug, Args)]
struct Common {
    /// The object that the patch is for
    #[arg(long = "filename", short = 'f', value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    patch: PatchOptions,
    /// The type of the patch
    #[arg(long = "type", value_enum, default_value_t, value_name = "TYPE")]
    patch_type: TypeWord,
    /// Put a test before every operation of a JSON patch
    #[arg(long)]
    tests: bool,
    #[command(flatten)]
    making: Making,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kubemerge convert -f service.yaml --patch-file patch.yaml --to json -o json
  kubemerge convert -f service.yaml --type json --to strategic \\
      -p '[{\"op\": \"remove\", \"path\": \"/spec/ports/0\"}]'")]
pub(crate) struct ConvertArgs {
    /// The type of patch to make
    #[arg(long, value_enum, value_name = "TYPE")]
    to: TypeWord,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kubemerge invert -f deployment.yaml -p '{\"spec\": {\"replicas\": 3}}'
  kubemerge invert -f deployment.yaml --patch-file patch.yaml --to json")]
pub(crate) struct InvertArgs {
    /// The type of patch to make [default: that of the patch]
    #[arg(long, value_enum, value_name = "TYPE")]
    to: Option<TypeWord>,
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &ConvertArgs) -> Result {
    let target = target(args.to, args.common.tests)?;
    run_verb(&args.common, args.to, |guide, original, patch| convert(guide, original, patch, target))
}

pub(crate) fn run_invert(args: &InvertArgs) -> Result {
    let to = args.to.unwrap_or(args.common.patch_type);
    let target = target(to, args.common.tests)?;
    run_verb(&args.common, to, |guide, original, patch| invert(guide, original, patch, target))
}

fn run_verb(
    args: &Common,
    to: TypeWord,
    verb: impl Fn(Guide<'_>, &Vec<u8>, &Patch<'_>) -> std::result::Result<Patch<'static>, Error>,
) -> Result {
    let source = read_one(&args.file)?;
    let object = Manifest::only(&source)?;
    let sources = patch_sources(args.patch.patch.as_deref(), &args.patch.find()?)?;
    let loaded = only_patch(&sources, args.patch_type.into())?;
    let schema = args.making.schema()?;
    let guide = guide(args, to, &schema, &object)?;
    let made = verb(guide, &object.json, &loaded.patch()?)
        .map_err(|error| loaded.fault(&error, error.path(), &object.title()))?;
    args.making.write(&[made.to_bytes()])?;
    Ok(Outcome::Done)
}

fn only_patch(sources: &[Source], patch_type: PatchType) -> Result<LoadedPatch<'_>> {
    let mut patches = LoadedPatch::all(sources, patch_type)?;
    match (patches.pop(), patches.is_empty()) {
        (Some(one), true) => Ok(one),
        _ => Err(Notice::error("there is more than one patch")
            .cure("put them together with `kubemerge compose`")
            .into()),
    }
}

/// A schema is needed if either patch is a strategic one.
fn guide<'s>(args: &Common, to: TypeWord, schema: &'s Schema, object: &Manifest<'_>) -> Result<Guide<'s>> {
    match [args.patch_type, to].contains(&TypeWord::Strategic) {
        true => Ok(Guide::Type(type_of(schema, object)?)),
        false => Ok(Guide::None),
    }
}
