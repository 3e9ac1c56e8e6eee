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
    let (old, new) = (read_one(&args.old)?, read_one(&args.new)?);
    let (old, new) = (Manifest::only(&old)?, Manifest::only(&new)?);
    let schema = args.making.schema()?;
    let patch = match &args.current {
        None => two_way(args, &schema, &old, &new)?,
        Some(current) => {
            let current = read_one(current)?;
            three_way_patch(args, &schema, [&old, &new, &Manifest::only(&current)?])?
        }
    };
    args.making.write(&patch)?;
    Ok(if patch.node().is_empty() { Outcome::Done } else { Outcome::Found })
}

fn two_way(
    args: &DiffArgs,
    schema: &Schema,
    old: &Manifest<'_>,
    new: &Manifest<'_>,
) -> Result<Patch<'static>> {
    let guide = guide(args.patch_type, schema, new)?;
    diff(guide, &old.json, &new.json, target(args.patch_type, args.tests))
        .map_err(|error| new.fault(&error).into())
}

fn three_way_patch(args: &DiffArgs, schema: &Schema, objects: [&Manifest<'_>; 3]) -> Result<Patch<'static>> {
    let [original, modified, current] = objects;
    let versions = Versions { original: &original.json, modified: &modified.json, current: &current.json };
    let made = match args.patch_type {
        TypeWord::Strategic => three_way(type_of(schema, modified)?, &versions, OnConflict::Overwrite),
        TypeWord::Merge => json_three_way(&versions, &[]),
        TypeWord::Json => three_way_operations(args, type_of(schema, modified).ok(), &versions),
    };
    made.map_err(|error| modified.fault(&error).into())
}

/// What the three-way patch that suits the kind does to the live object, step by step.
fn three_way_operations(
    args: &DiffArgs,
    ty: Option<Type<'_>>,
    versions: &Versions<'_, Vec<u8>>,
) -> std::result::Result<Patch<'static>, Error> {
    let (guide, patch) = match ty {
        Some(ty) => (Guide::Type(ty), three_way(ty, versions, OnConflict::Overwrite)?),
        None => (Guide::None, json_three_way(versions, &[])?),
    };
    convert(guide, versions.current, &patch, target(TypeWord::Json, args.tests))
}

/// What a patch of this type needs to know about an object.
pub(super) fn guide<'s>(
    patch_type: TypeWord,
    schema: &'s Schema,
    object: &Manifest<'_>,
) -> Result<Guide<'s>> {
    match patch_type {
        TypeWord::Strategic => Ok(Guide::Type(type_of(schema, object)?)),
        TypeWord::Merge | TypeWord::Json => Ok(Guide::None),
    }
}

/// The type of patch that is wanted.
pub(super) fn target(patch_type: TypeWord, tests: bool) -> Target {
    match patch_type {
        TypeWord::Strategic => Target::Strategic,
        TypeWord::Merge => Target::Merge,
        TypeWord::Json => Target::Json(if tests { Tests::With } else { Tests::Without }),
    }
}
