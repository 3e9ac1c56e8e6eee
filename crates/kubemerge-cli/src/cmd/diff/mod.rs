//! `kubemerge diff`: the patch that leads from one object to another, or a live object to a wanted one.
//!
//! `many` makes the patches of many objects, each with the name of its object.

mod many;

use std::path::PathBuf;

use clap::Args;
use kubemerge::{
    Error, Guide, OnConflict, Patch, Schema, Target, Type, Versions, convert, diff, json_three_way, three_way,
};

use super::making::{Making, TestsOption};
use crate::args::TypeWord;
use crate::failure::{Outcome, Result};
use crate::input::{Origin, Recurse, find, read_all};
use crate::job::{Manifest, type_of};
use crate::notice::Notice;

#[derive(Debug, Args)]
#[command(after_help = "\
Exit code 1 tells that the patch is not empty.
Of many objects those of one kind and name are compared; each patch names its object.

Examples:
  kubemerge diff old.yaml new.yaml
  kubemerge diff old.yaml new.yaml --type json --tests -o json
  kubemerge diff last-applied.yaml new.yaml --current live.yaml
  helm template . | kubemerge diff rendered.yaml - --duplicate-keys last")]
pub(crate) struct DiffArgs {
    /// The object before, or many of them: a file, a folder or - for standard input
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The object as it is wanted, or many
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// The object on the server: make the three-way patch that brings it to NEW and keeps what others set
    #[arg(long, value_name = "LIVE")]
    current: Option<PathBuf>,
    /// The type of patch to make
    #[arg(long = "type", value_enum, default_value_t, value_name = "TYPE")]
    patch_type: TypeWord,
    #[command(flatten)]
    tests: TestsOption,
    #[command(flatten)]
    making: Making,
}

/// What patches are made of.
struct Maker {
    target: Target,
    schema: Schema,
}

pub(crate) fn run(args: &DiffArgs) -> Result {
    let target = args.tests.target(args.patch_type)?;
    let found = |word: &PathBuf| find(std::slice::from_ref(word), Recurse::No);
    let (old, new) = (found(&args.old)?, found(&args.new)?);
    let current = args.current.as_ref().map_or(Ok(Vec::new()), found)?;
    // Only strategic patches ask for custom resource definitions among the files.
    let definitions: &[Origin] = if target == Target::Strategic { &new } else { &[] };
    let maker = Maker { target, schema: args.making.schema_beside(definitions)? };
    let (old, new, current) = (read_all(&old)?, read_all(&new)?, read_all(&current)?);
    let (old, new) = (Manifest::some(&args.old, &old)?, Manifest::some(&args.new, &new)?);
    let current = args.current.as_deref().map(|word| Manifest::some(word, &current)).transpose()?;
    let (patches, outcome) = match (old.as_slice(), new.as_slice(), current.as_deref()) {
        ([old], [new], None) => maker.only_patch(old, new, None)?,
        ([old], [new], Some([current])) => maker.only_patch(old, new, Some(current))?,
        (old, new, current) => many::patches(&maker, old, new, current)?,
    };
    args.making.write(&patches)?;
    Ok(outcome)
}

impl Maker {
    /// The patch of the only object, and whether it says anything.
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

    /// The patch that leads to the new state from the old one, or from the current one.
    fn patch(
        &self,
        old: &Manifest<'_>,
        new: &Manifest<'_>,
        current: Option<&Manifest<'_>>,
    ) -> Result<Patch<'static>> {
        let ty = match self.target {
            Target::Strategic => Some(type_of(&self.schema, new)?),
            Target::Merge => None,
            Target::Json(_) => type_of(&self.schema, new).ok(),
        };
        let made = match current {
            None => diff(ty.map_or(Guide::None, Guide::Type), &old.json, &new.json, self.target),
            Some(current) => {
                let (original, modified, current) = (&old.json, &new.json, &current.json);
                three_way_patch(self.target, ty, &Versions { original, modified, current })
            }
        };
        made.map_err(|error| new.fault(&error).into())
    }
}

/// No client turns an object into one of another kind.
fn warn_of_kinds(old: &Manifest<'_>, new: &Manifest<'_>) {
    if let Some("kind" | "apiVersion") = old.identity.difference(&new.identity) {
        let (from, to) = (old.identity.in_full(), new.identity.in_full());
        Notice::warning(format!("the objects are of different kinds: {from} and {to}")).say();
    }
}

/// The three-way patch that suits the kind; as a JSON patch it is what that does to the live object.
fn three_way_patch(
    target: Target,
    ty: Option<Type<'_>>,
    versions: &Versions<'_, Vec<u8>>,
) -> std::result::Result<Patch<'static>, Error> {
    let (guide, patch) = match ty {
        Some(ty) => (Guide::Type(ty), three_way(ty, versions, OnConflict::Overwrite)?),
        None => (Guide::None, json_three_way(versions, &[])?),
    };
    match target {
        Target::Json(_) => convert(guide, versions.current, &patch, target),
        Target::Strategic | Target::Merge => Ok(patch),
    }
}
