//! `kubemerge convert` and `kubemerge invert`: patches with the same effect on objects, or the opposite one.

use clap::Args;
use kubemerge::{Patch, RuleSource, Schema, Target, convert, invert};

use super::named::{BY_NAME, check_type, named, renamed};
use super::patch_output::{PatchOutputArgs, TestsOption};
use crate::args::{FileOptions, PatchOptions, PatchTypeArg, TargetOptions};
use crate::input::Inputs;
use crate::load::{LoadedPatch, Manifest, Objects, Pair, Selection, pairs, type_of};
use crate::report::{Notice, Outcome, Result};

/// What convert and invert have in common.
#[derive(Debug, Args)]
struct Common {
    #[command(flatten)]
    files: FileOptions,
    #[command(flatten)]
    patch: PatchOptions,
    /// Type of the patch
    #[arg(long = "type", value_enum, default_value_t, value_name = "TYPE")]
    patch_type: PatchTypeArg,
    #[command(flatten)]
    target: TargetOptions,
    #[command(flatten)]
    tests: TestsOption,
    #[command(flatten)]
    output_options: PatchOutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kubemerge convert -f service.yaml --patch-file patch.yaml --to json -o json
  kubemerge convert -R -f manifests --patch-file patches.yaml --to merge
  kubemerge convert -f service.yaml --type json --to strategic \\
      -p '[{\"op\": \"remove\", \"path\": \"/spec/ports/0\"}]'")]
pub(crate) struct ConvertArgs {
    /// Type of patch to generate
    #[arg(long, value_enum, value_name = "TYPE")]
    to: PatchTypeArg,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kubemerge invert -f deployment.yaml -p '{\"spec\": {\"replicas\": 3}}'
  kubemerge invert -f deployment.yaml --patch-file patch.yaml --to json")]
pub(crate) struct InvertArgs {
    /// Type of patch to generate [default: that of the patch]
    #[arg(long, value_enum, value_name = "TYPE")]
    to: Option<PatchTypeArg>,
    #[command(flatten)]
    common: Common,
}

/// What the new patch does to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Same,
    Opposite,
}

/// Generates patches from others.
struct Maker<'s> {
    effect: Effect,
    target: Target,
    /// Needed if either patch is a strategic one.
    schema: Option<&'s Schema>,
}

pub(crate) fn run(args: &ConvertArgs, inputs: &mut Inputs) -> Result {
    make(&args.common, args.to, Effect::Same, inputs)
}

pub(crate) fn run_invert(args: &InvertArgs, inputs: &mut Inputs) -> Result {
    make(&args.common, args.to.unwrap_or(args.common.patch_type), Effect::Opposite, inputs)
}

/// Makes a patch for each object that a patch is for.
fn make(args: &Common, to: PatchTypeArg, effect: Effect, inputs: &mut Inputs) -> Result {
    let target = args.tests.target(to)?;
    let patch_sources = inputs.patches(&args.patch)?;
    let sources = inputs.manifests(&args.files, &patch_sources)?;
    let patches = LoadedPatch::all(&patch_sources, args.patch_type.into())?;
    let read = Objects::load_some(&sources)?;
    read.report();
    let objects = &read.manifests;
    // The other types need no schema, so none has to be given.
    let is_strategic = [args.patch_type, to].contains(&PatchTypeArg::Strategic);
    let schema =
        args.output_options.schema_beside(inputs, if is_strategic { objects.as_slice() } else { &[] })?;
    let pairs = pairs(objects, &patches, &Selection::new(&args.target, &schema)?)?;
    check_one_each(&pairs, objects)?;
    let maker = Maker { effect, target, schema: is_strategic.then_some(&schema) };
    let pairs: Vec<_> = pairs.iter().map(|pair| (&objects[pair.manifest], &patches[pair.patch])).collect();
    // The patch of one object needs no name and stays as it was generated.
    let made = match pairs.as_slice() {
        [(object, patch)] => vec![maker.patch(object, patch)?.to_bytes()],
        many => maker.named_patches(many)?,
    };
    args.output_options.write(&made)?;
    Ok(read.outcome(Outcome::Done))
}

impl Maker<'_> {
    fn patch(&self, object: &Manifest<'_>, patch: &LoadedPatch<'_>) -> Result<Patch<'static>> {
        let rules = match self.schema {
            Some(schema) => RuleSource::Type(type_of(schema, object)?),
            None => RuleSource::None,
        };
        let given = patch.patch()?;
        let made = match self.effect {
            Effect::Same => convert(rules, &object.json, &given, self.target),
            Effect::Opposite => invert(rules, &object.json, &given, self.target),
        };
        made.map_err(|error| patch.fault(&error, error.path(), &object.title()).into())
    }

    /// The patches that do anything, each with the name of its object.
    fn named_patches(&self, pairs: &[(&Manifest<'_>, &LoadedPatch<'_>)]) -> Result<Vec<Vec<u8>>> {
        check_type(self.target)?;
        let mut patches = Vec::new();
        for (object, patch) in pairs {
            let made = self.patch(object, patch)?;
            // Of several patches each names its object, so it cannot also rename it.
            check_same_name(&made, object)?;
            patches.extend(named(&made, &object.identity));
        }
        Ok(patches)
    }
}

/// No object has two patches: the second is for the result of the first.
fn check_one_each(pairs: &[Pair], objects: &[Manifest<'_>]) -> Result<()> {
    let mut patched = vec![false; objects.len()];
    // A converted patch is about the object as given, not as another patch left it.
    match pairs.iter().find(|pair| std::mem::replace(&mut patched[pair.manifest], true)) {
        None => Ok(()),
        Some(pair) => {
            let title = format!("there is more than one patch for {}", objects[pair.manifest].title());
            Err(Notice::error(title).help("combine them with `kubemerge compose`").into())
        }
    }
}

/// One patch of several finds its object by name, so it cannot change that.
fn check_same_name(patch: &Patch<'_>, object: &Manifest<'_>) -> Result<()> {
    match renamed(patch).as_slice() {
        [] => Ok(()),
        names => {
            let title = format!("the patch would change {} of {}", names.join(" and "), object.title());
            Err(Notice::error(title)
                .reason(BY_NAME)
                .help("generate the patch of one object at a time")
                .into())
        }
    }
}
