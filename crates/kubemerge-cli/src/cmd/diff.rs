//! `kubemerge diff`: the patch that leads from one object to another, or a live object to a wanted one.

use std::path::PathBuf;

use clap::Args;
use kubemerge::{
    Error, Guide, OnConflict, Patch, Schema, Target, Tests, Type, Versions, convert, diff, json_three_way,
    three_way,
};

use super::making::Making;
use crate::args::TypeWord;
use crate::failure::{Outcome, Result};
use crate::input::read_one;
use crate::job::{Manifest, type_of};
use crate::notice::Notice;

#[derive(Debug, Args)]
#[command(after_help = "\
Exit code 1 tells that the patch is not empty.

Examples:
  kubemerge diff old.yaml new.yaml
  kubemerge diff old.yaml new.yaml --type json --tests -o json
  kubemerge diff last-applied.yaml new.yaml --current live.yaml")]
pub(crate) struct DiffArgs {
    /// The object before
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The object as it is wanted
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// The object on the server: make the three-way patch that brings it to NEW and keeps what others set
    #[arg(long, value_name = "LIVE")]
    current: Option<PathBuf>,
    /// The type of patch to make
    #[arg(long = "type", value_enum, default_value_t, value_name = "TYPE")]
    patch_type: TypeWord,
    /// Put a test before every operation of a JSON patch
    #[arg(long)]
    tests: bool,
    #[command(flatten)]
    making: Making,
}

pub(crate) fn run(args: &DiffArgs) -> Result {
    let target = target(args.patch_type, args.tests)?;
    let (old, new) = (read_one(&args.old)?, read_one(&args.new)?);
    let (old, new) = (Manifest::only(&old)?, Manifest::only(&new)?);
    warn_of_kinds(&old, &new);
    let schema = args.making.schema()?;
    let patch = match &args.current {
        None => two_way(target, &schema, &old, &new)?,
        Some(current) => {
            let current = read_one(current)?;
            three_way_patch(target, &schema, [&old, &new, &Manifest::only(&current)?])?
        }
    };
    args.making.write(&patch)?;
    Ok(if patch.node().is_empty() { Outcome::Done } else { Outcome::Found })
}

/// No client turns an object into one of another kind.
fn warn_of_kinds(old: &Manifest<'_>, new: &Manifest<'_>) {
    let (from, to) = (&old.identity, &new.identity);
    if from.kind != to.kind && !from.kind.is_empty() && !to.kind.is_empty() {
        Notice::warning(format!("the objects are of different kinds: {from} and {to}")).say();
    }
}

fn two_way(
    target: Target,
    schema: &Schema,
    old: &Manifest<'_>,
    new: &Manifest<'_>,
) -> Result<Patch<'static>> {
    let guide = match target {
        Target::Strategic => Guide::Type(type_of(schema, new)?),
        Target::Merge | Target::Json(_) => Guide::None,
    };
    diff(guide, &old.json, &new.json, target).map_err(|error| new.fault(&error).into())
}

fn three_way_patch(target: Target, schema: &Schema, objects: [&Manifest<'_>; 3]) -> Result<Patch<'static>> {
    let [original, modified, current] = objects;
    let versions = Versions { original: &original.json, modified: &modified.json, current: &current.json };
    let made = match target {
        Target::Strategic => three_way(type_of(schema, modified)?, &versions, OnConflict::Overwrite),
        Target::Merge => json_three_way(&versions, &[]),
        Target::Json(_) => three_way_operations(target, type_of(schema, modified).ok(), &versions),
    };
    made.map_err(|error| modified.fault(&error).into())
}

/// What the three-way patch that suits the kind does to the live object, step by step.
fn three_way_operations(
    target: Target,
    ty: Option<Type<'_>>,
    versions: &Versions<'_, Vec<u8>>,
) -> std::result::Result<Patch<'static>, Error> {
    let (guide, patch) = match ty {
        Some(ty) => (Guide::Type(ty), three_way(ty, versions, OnConflict::Overwrite)?),
        None => (Guide::None, json_three_way(versions, &[])?),
    };
    convert(guide, versions.current, &patch, target)
}

/// The type of patch that is wanted; other types have no tests.
pub(super) fn target(patch_type: TypeWord, tests: bool) -> Result<Target> {
    match (patch_type, tests) {
        (TypeWord::Json, true) => Ok(Target::Json(Tests::With)),
        (TypeWord::Json, false) => Ok(Target::Json(Tests::Without)),
        (TypeWord::Strategic, false) => Ok(Target::Strategic),
        (TypeWord::Merge, false) => Ok(Target::Merge),
        (TypeWord::Strategic | TypeWord::Merge, true) => Err(Notice::error("only JSON patches have tests")
            .cure("make a JSON patch, or leave --tests out")
            .into()),
    }
}
