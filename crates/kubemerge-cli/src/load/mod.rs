//! Loaded things: schemas, objects and patches, made from the texts of `input`.

mod index;
mod kind;
mod kustomization;
mod list;
mod manifest;
mod match_objects;
mod objects;
mod patch;
mod schema;
mod target;

pub(crate) use index::{Index, Pair, pairs};
pub(crate) use kind::{find_type, name_of, type_of};
pub(crate) use kustomization::{Kustomization, Kustomizations, PatchEntry, PatchText, Reference, real};
#[cfg(feature = "serve")]
pub(crate) use list::objects;
pub(crate) use list::{ObjectChange, TextEdits, edits};
pub(crate) use manifest::{Identity, Manifest, checked};
pub(crate) use match_objects::{match_objects, only_in, unmatched_warning};
pub(crate) use objects::Objects;
pub(crate) use patch::LoadedPatch;
#[cfg(feature = "serve")]
pub(crate) use schema::overlays;
pub(crate) use schema::{SchemaDocument, kustomize_schema, schemas, schemas_beside, schemas_of_usable};
pub(crate) use target::{Filter, Selection};
