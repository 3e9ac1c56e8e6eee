//! The format of the tables.
//!
//! Strings are the lines of the text file; their numbers are those of the lines. All numbers are varints (seven bits to a
//! byte, lowest first). The other file holds, in this order:
//!
//! ```text
//! nodes      count, area length, length of each node, then the area
//! resources  the same for resources
//! versions   count; each: minor, patch (strings), block length, block
//!
//! node       shape | list type << 3 | map type << 5, presence and flags,
//!            then what is present: format, definition, fields (count; name, node << 1 | required),
//!            additional, items, strategy, merge key, list-map-keys (count, names), default, Go type,
//!            unions (count; has a discriminator, discriminator if so, members (count; field, value))
//! resource   group, version, kind, plural, singular, namespaced, verbs, short names, categories,
//!            subresources (count; name, group, version, kind, verbs)
//! block      definitions (count; name as zigzag difference to the one before, node), kinds (count; group, version, kind, name of the definition),
//!            resources (count; number)
//! ```
//!
//! A node's children have lower numbers than the node itself.

use crate::model::{ListType, MapType, Shape};

/// A release of Kubernetes with built-in tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// Minor version, e.g. `1.37`: what users name.
    pub version: &'static str,
    /// The patch release whose documents were read, e.g. `1.37.1`.
    pub patch: &'static str,
}

/// Bits of the second number of a node; the flags of the model are above them.
pub(super) mod present {
    pub(in crate::builtin) const FORMAT: u32 = 1;
    pub(in crate::builtin) const DEFINITION: u32 = 1 << 1;
    pub(in crate::builtin) const FIELDS: u32 = 1 << 2;
    pub(in crate::builtin) const ADDITIONAL: u32 = 1 << 3;
    pub(in crate::builtin) const ITEMS: u32 = 1 << 4;
    pub(in crate::builtin) const STRATEGY: u32 = 1 << 5;
    pub(in crate::builtin) const MERGE_KEY: u32 = 1 << 6;
    pub(in crate::builtin) const LIST_MAP_KEYS: u32 = 1 << 7;
    pub(in crate::builtin) const DEFAULT: u32 = 1 << 8;
    pub(in crate::builtin) const GO_TYPE: u32 = 1 << 9;
    pub(in crate::builtin) const UNIONS: u32 = 1 << 10;
    pub(in crate::builtin) const FLAGS_SHIFT: u32 = 11;
}

/// Shapes, list types and map types by their number in the file.
pub(super) const SHAPES: [Shape; 7] =
    [Shape::Any, Shape::Object, Shape::List, Shape::String, Shape::Integer, Shape::Number, Shape::Boolean];
pub(super) const LIST_TYPES: [ListType; 4] =
    [ListType::Unset, ListType::Atomic, ListType::Set, ListType::Map];
pub(super) const MAP_TYPES: [MapType; 3] = [MapType::Unset, MapType::Atomic, MapType::Granular];
