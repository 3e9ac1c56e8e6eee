//! The schema model: a flat table of nodes that refer to each other by number.
//!
//! Loaders fill it through [`Model`]'s few methods, the compiler turns its metadata into rules, the
//! cursor walks it. It holds facts only, in no dialect, and knows nothing of OpenAPI syntax.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::terms::{Column, ListType, MapType, Origin, Required, Shape};

/// A string of the model, by number; [`Name::NONE`] stands for "not given".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name(pub(crate) u32);

impl Name {
    pub(crate) const NONE: Name = Name(u32::MAX);

    pub(crate) fn is_given(self) -> bool {
        self != Name::NONE
    }
}

/// A node of the model, by number.
pub(crate) type NodeId = u32;
/// A definition of the model, by number.
pub(crate) type DefinitionId = u32;
/// Stands for "no node" and "no definition".
pub(crate) const NOWHERE: u32 = u32::MAX;

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
            refers_to: NOWHERE,
            owner: NOWHERE,
            fields: Span::default(),
            additional: NOWHERE,
            items: NOWHERE,
            strategy: Name::NONE,
            merge_key: Name::NONE,
            list_map_keys: Span::default(),
            default: Name::NONE,
            go_type: Name::NONE,
        }
    }
}

/// A declared field of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FieldEntry {
    /// The first bytes of the name: they settle most comparisons without a look at the text.
    start: u64,
    pub(crate) name: Name,
    pub(crate) node: NodeId,
    pub(crate) required: Required,
}

/// The first eight bytes of a text as a number that sorts as the text does.
pub(crate) fn start_of(text: &str) -> u64 {
    let with_byte = |start, (at, byte)| start | u64::from(byte) << (56 - 8 * at);
    match text.as_bytes().first_chunk() {
        Some(start) => u64::from_be_bytes(*start),
        None => text.bytes().enumerate().fold(0, with_byte),
    }
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

/// Everything that was loaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) strings: Vec<Cow<'static, str>>,
    interned: HashMap<Cow<'static, str>, Name>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) fields: Vec<FieldEntry>,
    pub(crate) keys: Vec<Name>,
    /// In the order of loading; of two with one name the later one counts.
    pub(crate) definitions: Vec<DefinitionEntry>,
    /// The definition that counts for each name; [`NOWHERE`] for names of other things.
    by_name: Vec<DefinitionId>,
    /// In the order of loading; of two with one group, version and kind the later one counts.
    pub(crate) kinds: Vec<KindEntry>,
    pub(crate) resources: Vec<ResourceEntry>,
    /// The minor version of Kubernetes whose built-in tables were loaded.
    pub(crate) minor: Option<u32>,
    /// What the loaded documents said about each definition, so that repetitions can be shared.
    pub(crate) fingerprints: HashMap<Name, u64>,
}

impl Model {
    /// An empty model that knows some strings already.
    pub(crate) fn with_strings(strings: Vec<Cow<'static, str>>) -> Model {
        Model { strings, ..Model::default() }
    }

    /// The text of a name; empty where none is given.
    pub(crate) fn text(&self, name: Name) -> &str {
        self.strings.get(name.0 as usize).map_or("", |text| text)
    }

    /// The text of a name, where one is given.
    pub(crate) fn given(&self, name: Name) -> Option<&str> {
        self.strings.get(name.0 as usize).map(|text| &**text)
    }

    /// The number of a string, new or known.
    pub(crate) fn intern(&mut self, text: &str) -> Name {
        if self.interned.is_empty() {
            self.interned = self.strings.iter().cloned().zip((0..).map(Name)).collect();
        }
        if let Some(name) = self.interned.get(text) {
            return *name;
        }
        let name = Name(self.strings.len() as u32);
        let owned: Cow<'static, str> = Cow::Owned(text.to_owned());
        self.strings.push(owned.clone());
        self.interned.insert(owned, name);
        name
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub(crate) fn add_node(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() as NodeId - 1
    }

    /// Adds the fields of one object, sorted by name so that look-ups can bisect.
    pub(crate) fn add_fields(&mut self, mut entries: Vec<FieldEntry>) -> Span {
        entries.sort_by(|left, right| self.text(left.name).cmp(self.text(right.name)));
        let span = Span { start: self.fields.len() as u32, len: entries.len() as u32 };
        self.fields.append(&mut entries);
        span
    }

    pub(crate) fn field_entry(&self, name: Name, node: NodeId, required: Required) -> FieldEntry {
        FieldEntry { start: start_of(self.text(name)), name, node, required }
    }

    pub(crate) fn fields(&self, node: &Node) -> &[FieldEntry] {
        &self.fields[node.fields.range()]
    }

    pub(crate) fn list_map_keys(&self, node: &Node) -> &[Name] {
        &self.keys[node.list_map_keys.range()]
    }

    pub(crate) fn add_keys(&mut self, keys: Vec<Name>) -> Span {
        let span = Span { start: self.keys.len() as u32, len: keys.len() as u32 };
        self.keys.extend(keys);
        span
    }

    /// The place of a declared field in [`Model::fields`].
    pub(crate) fn find_field(&self, node: &Node, name: &str) -> Option<usize> {
        let range = node.fields.range();
        let start = start_of(name);
        // Numbers alone are compared without a branch that could be guessed wrong.
        let first = range.start + self.fields[range.clone()].partition_point(|entry| entry.start < start);
        let alike = &self.fields[first..range.end];
        let is_found = |entry: &FieldEntry| entry.start == start && self.text(entry.name) == name;
        if alike.first().is_some_and(is_found) {
            return Some(first);
        }
        let order =
            |entry: &FieldEntry| entry.start.cmp(&start).then_with(|| self.text(entry.name).cmp(name));
        alike.binary_search_by(order).ok().map(|index| first + index)
    }

    /// Adds a definition; one that had the name before is hidden from then on.
    pub(crate) fn add_definition(&mut self, entry: DefinitionEntry) -> DefinitionId {
        let id = self.definitions.len() as DefinitionId;
        self.definitions.push(entry);
        let place = entry.name.0 as usize;
        if self.by_name.len() <= place {
            self.by_name.resize(self.strings.len().max(place + 1), NOWHERE);
        }
        self.by_name[place] = id;
        id
    }

    /// The definition that counts for a name.
    pub(crate) fn definition_named(&self, name: Name) -> Option<DefinitionId> {
        self.by_name.get(name.0 as usize).copied().filter(|id| *id != NOWHERE)
    }

    /// Finds a definition by its full name.
    #[cfg(feature = "generate")]
    pub(crate) fn definition_called(&self, name: &str) -> Option<DefinitionId> {
        self.definition_named(*self.interned.get(name)?)
    }

    /// Finds a definition by its full name, or by the part after the last dot where that is unique.
    pub(crate) fn find_definition(&self, name: &str) -> Option<DefinitionId> {
        let full = self.visible_definitions().find(|(_, entry)| self.text(entry.name) == name);
        full.map(|(id, _)| id).or_else(|| self.find_by_last_part(name))
    }

    fn find_by_last_part(&self, name: &str) -> Option<DefinitionId> {
        let mut found =
            self.visible_definitions().filter(|(_, entry)| last_part(self.text(entry.name)) == name);
        let (id, _) = found.next()?;
        found.next().is_none().then_some(id)
    }

    /// Every definition that no later one hides, in the order of loading.
    pub(crate) fn visible_definitions(&self) -> impl Iterator<Item = (DefinitionId, &DefinitionEntry)> {
        let all = self.definitions.iter().enumerate().map(|(id, entry)| (id as DefinitionId, entry));
        all.filter(|(id, entry)| self.definition_named(entry.name) == Some(*id))
    }

    /// Follows references to the node that describes the value itself.
    ///
    /// Loaders refuse references that lead only to themselves, so this ends.
    pub(crate) fn resolve(&self, id: NodeId) -> NodeId {
        let mut id = id;
        while let Some(definition) = self.definitions.get(self.node(id).refers_to as usize) {
            id = definition.node;
        }
        id
    }

    /// The steps from the definition that owns a node to the node, found by search.
    pub(crate) fn steps_to(&self, id: NodeId) -> Vec<Step<'_>> {
        let mut steps = Vec::new();
        if let Some(definition) = self.definitions.get(self.node(id).owner as usize) {
            self.search(definition.node, id, &mut steps);
        }
        steps
    }

    /// Depth-first search inside one definition. Loaders bound the depth of a definition.
    fn search<'m>(&'m self, from: NodeId, wanted: NodeId, steps: &mut Vec<Step<'m>>) -> bool {
        if from == wanted {
            return true;
        }
        let node = self.node(from);
        let fields = self.fields(node).iter().map(|field| (Step::Field(self.text(field.name)), field.node));
        let below = [(Step::Items, node.items), (Step::Additional, node.additional)];
        for (step, child) in fields.chain(below).filter(|(_, child)| *child != NOWHERE) {
            steps.push(step);
            if self.search(child, wanted, steps) {
                return true;
            }
            steps.pop();
        }
        false
    }

    /// The name of the definition a node belongs to; empty where unknown.
    pub(crate) fn owner_name(&self, node: &Node) -> &str {
        self.definitions.get(node.owner as usize).map_or("", |entry| self.text(entry.name))
    }
}

/// `Pod` of `io.k8s.api.core.v1.Pod`.
pub(crate) fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Splits `apps/v1` into group and version; the group of `v1` is empty.
pub(crate) fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}
