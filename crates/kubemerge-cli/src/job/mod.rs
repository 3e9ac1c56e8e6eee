//! Loaded things: schemas, documents and patches, made from the words of `args`.

mod kind;
mod schema;

pub(crate) use kind::{find_type, name_of};
pub(crate) use schema::{SchemaDocument, load};
