//! The schema model: what documents say, in flat tables and without a dialect.

mod declared;
mod entries;
pub(crate) mod field_path;
mod notes;
mod patch_strategy;
mod tables;
mod terms;
mod topology;
mod values;

pub(crate) use entries::{
    DefinitionEntry, DefinitionId, FieldEntry, Flags, KindEntry, Name, Node, NodeId, ResourceEntry, Span,
    Step, SubresourceEntry, UNTYPED, UnionEntry, UnionMemberEntry, start_of,
};
pub(crate) use patch_strategy::{merge_key_names, parse_strategy, with_commas};
pub(crate) use tables::{Model, last_part, split_api_version};
pub use terms::{Column, ListType, MapType, Origin, Required, Shape, StrategicPatch};
pub(crate) use topology::{is_atomic, item_of, target};
pub(crate) use values::ValueFacts;
pub(crate) use values::too_large;
pub use values::{Pattern, ValueChecks};
