//! The schema model: what documents say, in flat tables and without a dialect.

pub(crate) mod field_path;
mod patch_strategy;
mod tables;
mod terms;
mod topology;

pub(crate) use patch_strategy::parse_strategy;
pub(crate) use tables::{
    DefinitionEntry, DefinitionId, FieldEntry, Flags, KindEntry, Model, NOWHERE, Name, Node, NodeId,
    ResourceEntry, Span, Step, SubresourceEntry, last_part, split_api_version, start_of,
};
pub use terms::{Column, ListType, MapType, Origin, Required, Shape};
pub(crate) use topology::{is_atomic, item_of, target};
