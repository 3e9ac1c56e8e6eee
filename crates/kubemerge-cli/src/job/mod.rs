//! Loaded things: schemas, documents and patches, made from the words of `args`.

mod kind;
mod list;
mod manifest;
mod pairs;
mod patch;
mod place;
mod schema;
mod target;
mod twins;

pub(crate) use kind::{find_type, name_of, type_in, type_of};
pub(crate) use list::{Part, edits, objects, roots};
pub(crate) use manifest::{Identity, Manifest};
pub(crate) use pairs::{Objects, Pair, pairs};
pub(crate) use patch::{LoadedPatch, patch_sources};
pub(crate) use place::{node_at, path_in_patch};
pub(crate) use schema::{SchemaDocument, load, load_beside};
pub(crate) use target::{Asked, GivenTarget, Target};
pub(crate) use twins::{lonely, only_in, twins};
