//! `kubemerge convert` and `kubemerge invert`: patches that do the same, or the opposite, to objects.

use clap::Args;
use kubemerge::{Guide, Patch, Schema, Target, convert, invert};

use super::making::{Making, TestsOption};
use super::named::{BY_NAME, check_type, named, renamed};
use crate::args::{FileOptions, PatchOptions, TargetOptions, TypeWord};
use crate::failure::{Outcome, Result};
use crate::input::{read_all, without};
use crate::job::{LoadedPatch, Manifest, Pair, pairs, patch_sources, type_of};
use crate::notice::Notice;

/// What convert and invert have in common.
#[derive(Debug, Args)]
struct Common {
    #[command(flatten)]
    files: FileOptions,
    #[command(flatten)]
    patch: PatchOptions,
    /// The type of the patch
    #[arg(long = "type", value_enum, default_value_t, value_name = "TYPE")]
    patch_type: TypeWord,
    #[command(flatten)]
    target: TargetOptions,
    #[command(flatten)]
    tests: TestsOption,
    #[command(flatten)]
    making: Making,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kubemerge convert -f service.yaml --patch-file patch.yaml --to json -o json
  kubemerge convert -R -f manifests --patch-file patches.yaml --to merge
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

/// What the new patch does to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Same,
    Opposite,
}

/// How patches are made of others.
struct Maker<'s> {
    effect: Effect,
    target: Target,
    /// Needed if either patch is a strategic one.
    schema: Option<&'s Schema>,
}

pub(crate) fn run(args: &ConvertArgs) -> Result {
    make(&args.common, args.to, Effect::Same)
}

pub(crate) fn run_invert(args: &InvertArgs) -> Result {
    make(&args.common, args.to.unwrap_or(args.common.patch_type), Effect::Opposite)
}

/// Makes a patch for each object that a patch is for.
fn make(args: &Common, to: TypeWord, effect: Effect) -> Result {
    let target = args.tests.target(to)?;
    let patch_files = args.patch.find()?;
    let origins = without(args.files.find()?, &patch_files);
    let sources = patch_sources(args.patch.patch.as_deref(), &patch_files)?;
    let patches = LoadedPatch::all(&sources, args.patch_type.into())?;
    let is_strategic = [args.patch_type, to].contains(&TypeWord::Strategic);
    let schema = args.making.schema_beside(if is_strategic { &origins } else { &[] })?;
    let texts = read_all(&origins)?;
    let objects = Manifest::all_of(&texts)?;
    let pairs = pairs(&objects, &patches, &args.target.asked(&schema)?)?;
    check_one_each(&pairs, &objects)?;
    let maker = Maker { effect, target, schema: is_strategic.then_some(&schema) };
    let pairs: Vec<_> = pairs.iter().map(|pair| (&objects[pair.manifest], &patches[pair.patch])).collect();
    let made = match pairs.as_slice() {
        [(object, patch)] => vec![maker.patch(object, patch)?.to_bytes()],
        many => maker.named_patches(many)?,
    };
    args.making.write(&made)?;
    Ok(Outcome::Done)
}

impl Maker<'_> {
    fn patch(&self, object: &Manifest<'_>, patch: &LoadedPatch<'_>) -> Result<Patch<'static>> {
        let guide = match self.schema {
            Some(schema) => Guide::Type(type_of(schema, object)?),
            None => Guide::None,
        };
        let given = patch.patch()?;
        let made = match self.effect {
            Effect::Same => convert(guide, &object.json, &given, self.target),
            Effect::Opposite => invert(guide, &object.json, &given, self.target),
        };
        made.map_err(|error| patch.fault(&error, error.path(), &object.title()).into())
    }

    /// The patches that do anything, each with the name of its object.
    fn named_patches(&self, pairs: &[(&Manifest<'_>, &LoadedPatch<'_>)]) -> Result<Vec<Vec<u8>>> {
        check_type(self.target)?;
        let mut patches = Vec::new();
        for (object, patch) in pairs {
            let made = self.patch(object, patch)?;
            check_same_name(&made, object)?;
            patches.extend(named(&made, &object.identity));
        }
        Ok(patches)
    }
}

/// No object has two patches: the second is for what the first makes of it.
fn check_one_each(pairs: &[Pair], objects: &[Manifest<'_>]) -> Result<()> {
    let mut patched = vec![false; objects.len()];
    match pairs.iter().find(|pair| std::mem::replace(&mut patched[pair.manifest], true)) {
        None => Ok(()),
        Some(pair) => {
            let title = format!("there is more than one patch for {}", objects[pair.manifest].title());
            Err(Notice::error(title).cure("put them together with `kubemerge compose`").into())
        }
    }
}

/// One patch of several finds its object by name, so it cannot change that.
fn check_same_name(patch: &Patch<'_>, object: &Manifest<'_>) -> Result<()> {
    match renamed(patch).as_slice() {
        [] => Ok(()),
        names => {
            let title = format!("the patch would change {} of {}", names.join(" and "), object.title());
            Err(Notice::error(title).reason(BY_NAME).cure("make the patch of one object at a time").into())
        }
    }
}
