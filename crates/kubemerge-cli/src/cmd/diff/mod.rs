//! `kubemerge diff`: the patch from one object to another, two-way or three-way.
//!
//! `text` shows the differences for reading, `many` generates the patches of many objects, each with the name of its object.

mod many;
mod text;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kubemerge::{
    Error, OnConflict, Patch, RuleSource, Schema, Target, Versions, convert, diff, json_three_way, three_way,
};
use kubemerge_inspect::node_at;
use kubemerge_schema::Type;
use kubemerge_value::Arena;

use super::patch_output::{TestsOption, write_patches};
use crate::args::{DialectArg, ObjectFormat, PatchTypeArg, SchemaOptions, VerbDialect};
use crate::input::Inputs;
use crate::load::{self, Manifest, type_of};
use crate::report::{Notice, Outcome, Result};

#[derive(Debug, Args)]
#[command(after_help = "\
Exits 1 if there is a difference.
Of many objects, those of the same kind and name are compared; each patch names its object.

Examples:
  kubemerge diff old.yaml new.yaml
  kubemerge diff old.yaml new.yaml -o text
  kubemerge diff -R old new -o text
  kubemerge diff old.yaml new.yaml --type json --tests -o json
  kubemerge diff last-applied.yaml new.yaml --current live.yaml
  helm template . | kubemerge diff rendered.yaml - --duplicate-keys last")]
pub(crate) struct DiffArgs {
    /// Old object, or many of them: a file, a folder or - for stdin
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// New object, or many
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Live object: generate the three-way patch to NEW, which keeps what other clients set
    #[arg(long, value_name = "LIVE")]
    current: Option<PathBuf>,
    /// Visit folders inside folders
    #[arg(long, short = 'R')]
    recursive: bool,
    /// Type of patch to generate
    #[arg(long = "type", value_enum, default_value_t, value_name = "TYPE")]
    patch_type: PatchTypeArg,
    #[command(flatten)]
    tests: TestsOption,
    /// Output format
    #[arg(long, short, value_enum, default_value_t)]
    output: DiffFormat,
    /// Hide the status in -o text
    #[arg(long)]
    no_status: bool,
    /// Merge rules: as Kubernetes merges, or as its design documents specify
    #[arg(long, value_parser = VerbDialect, default_value = "upstream")]
    dialect: DialectArg,
    #[command(flatten)]
    schema: SchemaOptions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// The patch as YAML
    #[default]
    Yaml,
    /// The patch as JSON
    Json,
    /// The differences for reading: paths and values, items of lists paired by their keys
    Text,
}

/// Generates patches.
struct Maker {
    target: Target,
    schema: Schema,
}

pub(crate) fn run(args: &DiffArgs, inputs: &mut Inputs) -> Result {
    let target = args.tests.target(args.patch_type)?;
    let mut read = |word: &Path| inputs.read_one(word, args.recursive.into());
    let (old, new) = (read(&args.old)?, read(&args.new)?);
    let current = args.current.as_deref().map_or(Ok(Vec::new()), read)?;
    let (old, new) = (Manifest::some(&args.old, &old)?, Manifest::some(&args.new, &new)?);
    let current = args.current.as_deref().map(|word| Manifest::some(word, &current)).transpose()?;
    if args.output == DiffFormat::Text {
        return text::differences(args, inputs, &old, &new);
    }
    // Only strategic patches need the custom resource definitions among the objects.
    let definitions = if target == Target::Strategic { new.as_slice() } else { &[] };
    let maker = Maker {
        target,
        schema: load::schemas_beside(&args.schema, inputs, definitions)?.compile(args.dialect.into())?,
    };
    // Two single objects are compared whatever their names are.
    let (patches, outcome) = match (old.as_slice(), new.as_slice(), current.as_deref()) {
        ([old], [new], None) => maker.only_patch(old, new, None)?,
        ([old], [new], Some([current])) => maker.only_patch(old, new, Some(current))?,
        (old, new, current) => many::patches(&maker, old, new, current)?,
    };
    let format = if args.output == DiffFormat::Json { ObjectFormat::Json } else { ObjectFormat::Yaml };
    write_patches(format, &patches)?;
    Ok(outcome)
}

impl Maker {
    /// The patch of the only object, and whether it changes anything.
    fn only_patch(
        &self,
        old: &Manifest<'_>,
        new: &Manifest<'_>,
        current: Option<&Manifest<'_>>,
    ) -> Result<(Vec<Vec<u8>>, Outcome)> {
        warn_of_kinds(old, new);
        let patch = self.patch(old, new, current)?;
        let outcome = if patch.node().is_empty() { Outcome::Done } else { Outcome::Found };
        Ok((vec![patch.to_bytes()], outcome))
    }

    /// The patch to the new state from the old one, or from the current one.
    fn patch(
        &self,
        old: &Manifest<'_>,
        new: &Manifest<'_>,
        current: Option<&Manifest<'_>>,
    ) -> Result<Patch<'static>> {
        let ty = match self.target {
            Target::Strategic => match type_of(&self.schema, new) {
                // What is the same needs no patch, whatever its kind.
                Err(_) if new.is_same(old) && current.is_none_or(|current| new.is_same(current)) => {
                    return Patch::strategic("{}").map_err(|error| new.fault(&error).into());
                }
                ty => Some(ty?),
            },
            Target::Merge => None,
            // A schema makes better three-way patches, but is not needed.
            _ => type_of(&self.schema, new).ok(),
        };
        let made = match current {
            None => diff(ty.map_or(RuleSource::None, RuleSource::Type), &old.json, &new.json, self.target),
            Some(current) => {
                let (original, modified, current) = (&old.json, &new.json, &current.json);
                three_way_patch(self.target, ty, &Versions { original, modified, current })
            }
        };
        made.map_err(|error| at_fault(&error, old, new, current).fault(&error).into())
    }
}

/// The object that the error is about. A missing merge key is looked for in all of them, because the generator
/// names only the path.
fn at_fault<'m, 's>(
    error: &Error,
    old: &'m Manifest<'s>,
    new: &'m Manifest<'s>,
    current: Option<&'m Manifest<'s>>,
) -> &'m Manifest<'s> {
    let lacks_key = |object: &&Manifest<'_>| {
        let arena = Arena::new();
        let Ok(value) = object.value() else { return false };
        let item = node_at(value.node(), error.path(), &arena);
        item.is_some_and(|item| error.merge_keys().iter().any(|key| item.get(key).is_none()))
    };
    // The error has a path but does not say in which of the files it is.
    [Some(new), Some(old), current].into_iter().flatten().find(lacks_key).unwrap_or(new)
}

/// No request changes the kind of an object.
fn warn_of_kinds(old: &Manifest<'_>, new: &Manifest<'_>) {
    if let Some("kind" | "apiVersion") = old.identity.difference(&new.identity) {
        let (from, to) = (old.identity.in_full(), new.identity.in_full());
        Notice::warning(format!("the objects are of different kinds: {from} and {to}")).print();
    }
}

/// The three-way patch that kubectl would use for the kind; as a JSON patch its effect on the live object.
fn three_way_patch(
    target: Target,
    ty: Option<Type<'_>>,
    versions: &Versions<'_, Vec<u8>>,
) -> std::result::Result<Patch<'static>, Error> {
    let (rules, patch) = match ty {
        Some(ty) => (RuleSource::Type(ty), three_way(ty, versions, OnConflict::Overwrite)?),
        None => (RuleSource::None, json_three_way(versions, &[])?),
    };
    match target {
        Target::Json(_) => convert(rules, versions.current, &patch, target),
        _ => Ok(patch),
    }
}
