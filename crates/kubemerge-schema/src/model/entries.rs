//! The entries of the tables, which refer to each other by number.

use std::ops::Range;

use super::terms::{Column, ListType, MapType, Origin, Required, Shape, StrategicPatch};

/// A string of the model, by number; [`Name::NONE`] means "not given".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name(pub(crate) u32);

impl Name {
    // Not an Option: nodes have six names, and an Option would double each.
    pub(crate) const NONE: Name = Name(u32::MAX);

    pub(crate) fn is_given(self) -> bool {
        self != Name::NONE
    }
}

/// A node of the model, by number.
pub(crate) type NodeId = u32;
/// A definition of the model, by number.
pub(crate) type DefinitionId = u32;
/// Means "no node" and "no definition".
pub(crate) const UNTYPED: u32 = u32::MAX;

/// Yes-or-no facts about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Flags(pub(crate) u16);

impl Flags {
    pub(crate) const INT_OR_STRING: Flags = Flags(1);
    pub(crate) const PRESERVE_UNKNOWN: Flags = Flags(1 << 1);
    pub(crate) const EMBEDDED_RESOURCE: Flags = Flags(1 << 2);
    pub(crate) const NULLABLE: Flags = Flags(1 << 3);
    /// `properties` is present, even if empty.
    pub(crate) const HAS_PROPERTIES: Flags = Flags(1 << 4);
    /// `additionalProperties: true`.
    pub(crate) const ADDITIONAL_ANY: Flags = Flags(1 << 5);
    /// `additionalProperties: false`.
    pub(crate) const ADDITIONAL_NONE: Flags = Flags(1 << 6);
    /// `x-kubernetes-unions` is present, even if malformed.
    pub(crate) const UNIONS: Flags = Flags(1 << 7);
    /// The Go field is a pointer (known for built-in types only).
    pub(crate) const POINTER: Flags = Flags(1 << 8);
    /// `items` holds a list of schemas, which Kubernetes cannot walk.
    pub(crate) const TUPLE: Flags = Flags(1 << 9);
    /// The root of a custom resource.
    pub(crate) const CUSTOM_RESOURCE: Flags = Flags(1 << 10);
    /// Keys and strategy come from an overlay and are used as they are.
    pub(crate) const OVERLAID: Flags = Flags(1 << 11);
    /// The Go field has no `omitempty` (known for built-in types only).
    pub(crate) const KEEP_EMPTY: Flags = Flags(1 << 12);
    /// The Go field has `omitzero` (known for built-in types only).
    pub(crate) const OMIT_ZERO: Flags = Flags(1 << 13);
    /// The root of a kind whose document leaves strategic merge patches out of PATCH.
    pub(crate) const NO_STRATEGIC_PATCH: Flags = Flags(1 << 14);

    pub(crate) fn has(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn set(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

/// A stretch of one of the model's vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl Span {
    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// One schema: of a definition, a field, a list item or an additional property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    pub(crate) shape: Shape,
    pub(crate) column: Column,
    pub(crate) list_type: ListType,
    pub(crate) map_type: MapType,
    pub(crate) flags: Flags,
    pub(crate) format: Name,
    /// The definition that describes the value in place of this node.
    pub(crate) refers_to: DefinitionId,
    /// The definition this node belongs to; known for roots and in loaded documents.
    pub(crate) owner: DefinitionId,
    pub(crate) fields: Span,
    pub(crate) additional: NodeId,
    pub(crate) items: NodeId,
    pub(crate) strategy: Name,
    pub(crate) merge_key: Name,
    pub(crate) list_map_keys: Span,
    /// The default, as JSON text.
    pub(crate) default: Name,
    /// `x-kubernetes-unions`: a stretch of [`Model::unions`](super::Model).
    pub(crate) unions: Span,
    /// What is said about values: a place in [`Model::values`](super::Model); [`UNTYPED`] if that is nothing.
    pub(crate) values: u32,
    /// The name of the Go type where the shape does not tell it, e.g. `v1.Protocol`.
    pub(crate) go_type: Name,
}

impl Node {
    pub(crate) fn new(column: Column) -> Node {
        Node {
            shape: Shape::Any,
            column,
            list_type: ListType::Unset,
            map_type: MapType::Unset,
            flags: Flags::default(),
            format: Name::NONE,
            refers_to: UNTYPED,
            owner: UNTYPED,
            fields: Span::default(),
            additional: UNTYPED,
            items: UNTYPED,
            strategy: Name::NONE,
            merge_key: Name::NONE,
            list_map_keys: Span::default(),
            default: Name::NONE,
            unions: Span::default(),
            values: UNTYPED,
            go_type: Name::NONE,
        }
    }
}

/// A declared field of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FieldEntry {
    /// The first bytes of the name: they decide most comparisons without reading the text.
    pub(crate) start: u64,
    pub(crate) name: Name,
    pub(crate) node: NodeId,
    pub(crate) required: Required,
}

/// The first eight bytes of a text as a number that sorts as the text does.
#[inline]
pub(crate) fn start_of(text: &str) -> u64 {
    let bytes = text.as_bytes();
    // Big-endian, so that numbers sort as the texts do.
    if let Some(start) = bytes.first_chunk() {
        return u64::from_be_bytes(*start);
    }
    match (bytes.first_chunk(), bytes.last_chunk()) {
        // Two halves that may overlap; where they do, they agree.
        (Some(first), Some(last)) => {
            let (first, last) = (u32::from_be_bytes(*first), u32::from_be_bytes(*last));
            u64::from(first) << 32 | u64::from(last) << (8 * (8 - bytes.len()))
        }
        _ => bytes.iter().zip([56, 48, 40]).fold(0, |start, (byte, place)| start | u64::from(*byte) << place),
    }
}

/// Fields of which at most one is set, and the field that says which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnionEntry {
    /// [`Name::NONE`] for a union without a discriminator.
    pub(crate) discriminator: Name,
    /// Sorted by field.
    pub(crate) members: Vec<UnionMemberEntry>,
}

/// A field of a union, and the value of the discriminator that selects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnionMemberEntry {
    pub(crate) field: Name,
    pub(crate) value: Name,
}

/// A named type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DefinitionEntry {
    pub(crate) name: Name,
    pub(crate) node: NodeId,
    pub(crate) origin: Origin,
}

/// A group, version and kind, and the definition that describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KindEntry {
    pub(crate) group: Name,
    pub(crate) version: Name,
    pub(crate) kind: Name,
    pub(crate) definition: DefinitionId,
}

/// A resource of the REST interface.
#[derive(Clone, Debug)]
pub(crate) struct ResourceEntry {
    pub(crate) group: Name,
    pub(crate) version: Name,
    pub(crate) kind: Name,
    /// The kind of a list of its objects, where it is not the usual one.
    pub(crate) list_kind: Name,
    pub(crate) plural: Name,
    pub(crate) singular: Name,
    pub(crate) namespaced: bool,
    pub(crate) verbs: Vec<Name>,
    pub(crate) short_names: Vec<Name>,
    pub(crate) categories: Vec<Name>,
    pub(crate) subresources: Vec<SubresourceEntry>,
    pub(crate) strategic_patch: StrategicPatch,
}

/// A part of a resource that has its own address, and the kind it speaks.
#[derive(Clone, Debug)]
pub(crate) struct SubresourceEntry {
    pub(crate) name: Name,
    pub(crate) group: Name,
    pub(crate) version: Name,
    pub(crate) kind: Name,
    pub(crate) verbs: Vec<Name>,
}

/// A step from a node to one below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'m> {
    Field(&'m str),
    Items,
    Additional,
}

impl std::fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Step::Field(name) => write!(f, ".properties[{name}]"),
            Step::Items => f.write_str(".items"),
            Step::Additional => f.write_str(".additionalProperties"),
        }
    }
}
