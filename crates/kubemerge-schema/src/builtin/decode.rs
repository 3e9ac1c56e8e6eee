//! Reads the tables in place.
//!
//! [`super::format`] describes the files.

use std::borrow::Cow;
use std::collections::HashMap;

use kubemerge_value::part::item_at_mut;

use super::format::{LIST_TYPES, MAP_TYPES, Release, SHAPES, present};
use crate::model::{
    Column, DefinitionEntry, Flags, KindEntry, Model, Name, Node, NodeId, Origin, Required, ResourceEntry,
    Span, StrategicPatch, SubresourceEntry, UNTYPED, UnionEntry, UnionMemberEntry,
};

/// A reader that answers zero past the end: the tables are ours, and a test reads all of them.
#[derive(Clone, Copy)]
struct Bytes {
    bytes: &'static [u8],
}

impl Bytes {
    fn number(&mut self) -> u32 {
        let mut number = 0;
        // LEB128: 7 bits a byte, low bits first. At most five bytes, so that bad tables cannot loop.
        for shift in (0..32).step_by(7) {
            let Some((byte, rest)) = self.bytes.split_first() else { return 0 };
            self.bytes = rest;
            number |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        number
    }

    /// A signed number, by which another one grows when it is added with wrapping.
    fn difference(&mut self) -> u32 {
        let number = self.number();
        number >> 1 ^ (number & 1).wrapping_neg()
    }

    fn name(&mut self) -> Name {
        Name(self.number())
    }

    fn name_if(&mut self, is_present: bool) -> Name {
        if is_present { self.name() } else { Name::NONE }
    }

    fn names(&mut self) -> Vec<Name> {
        (0..self.number()).map(|_| self.name()).collect()
    }

    fn take(&mut self, len: u32) -> Bytes {
        let (taken, rest) = self.bytes.split_at(self.bytes.len().min(len as usize));
        self.bytes = rest;
        Bytes { bytes: taken }
    }
}

/// Records that can be read in any order.
struct Area {
    /// Where each record starts.
    starts: Vec<usize>,
    records: Bytes,
}

impl Area {
    fn read(bytes: &mut Bytes) -> Area {
        let (count, len) = (bytes.number(), bytes.number());
        let mut end = 0;
        let starts = (0..count).map(|_| {
            let start = end;
            end += bytes.number() as usize;
            start
        });
        Area { starts: starts.collect(), records: bytes.take(len) }
    }

    fn len(&self) -> usize {
        self.starts.len()
    }

    fn record(&self, index: u32) -> Bytes {
        let start = self.starts.get(index as usize).copied().unwrap_or_default();
        Bytes { bytes: self.records.bytes.get(start..).unwrap_or_default() }
    }
}

/// The opened tables.
pub(super) struct Tables {
    strings: Vec<Cow<'static, str>>,
    nodes: Area,
    resources: Area,
    versions: Vec<(Release, Bytes)>,
}

impl Tables {
    pub(super) fn open(text: &'static str, tables: &'static [u8]) -> Tables {
        let mut bytes = Bytes { bytes: tables };
        let strings: Vec<Cow<'static, str>> = text.lines().map(Cow::Borrowed).collect();
        let nodes = Area::read(&mut bytes);
        let resources = Area::read(&mut bytes);
        let versions = (0..bytes.number()).map(|_| read_version(text_of(&strings), &mut bytes)).collect();
        Tables { strings, nodes, resources, versions }
    }

    pub(super) fn releases(&self) -> impl Iterator<Item = Release> {
        self.versions.iter().map(|(release, _)| *release)
    }

    /// The facts of one version.
    pub(super) fn load(self, version: usize) -> Model {
        let Some((_, block)) = self.versions.get(version) else { return Model::default() };
        let (mut block, nodes, resources) = (*block, self.nodes, self.resources);
        let mut model = Model::with_strings(self.strings);
        // All definitions get their numbers first, since nodes refer to definitions that come later.
        let roots = declare(&mut model, &mut block);
        let mut decoder = Decoder { known: vec![UNTYPED; nodes.len()], area: nodes, model: &mut model };
        for (definition, root) in roots.into_iter().enumerate() {
            decoder.definition(definition, root);
        }
        let places: HashMap<Name, u32> =
            (0..).zip(&model.definitions).map(|(place, definition)| (definition.name, place)).collect();
        for _ in 0..block.number() {
            let (group, version, kind) = (block.name(), block.name(), block.name());
            // Every kind names a definition of its own version.
            let definition = places.get(&block.name()).copied().unwrap_or_default();
            model.kinds.push(KindEntry { group, version, kind, definition });
        }
        model.resources =
            (0..block.number()).map(|_| read_resource(resources.record(block.number()))).collect();
        model
    }
}

fn text_of(strings: &[Cow<'static, str>]) -> impl Fn(Name) -> &'static str {
    move |name| match strings.get(name.0 as usize) {
        Some(Cow::Borrowed(text)) => text,
        _ => "",
    }
}

fn read_version(text: impl Fn(Name) -> &'static str, bytes: &mut Bytes) -> (Release, Bytes) {
    let release = Release { version: text(bytes.name()), patch: text(bytes.name()) };
    let len = bytes.number();
    (release, bytes.take(len))
}

/// Gives every definition its number and returns where its node is stored.
fn declare(model: &mut Model, block: &mut Bytes) -> Vec<u32> {
    let count = block.number();
    let mut roots = Vec::with_capacity(count as usize);
    let mut name = Name(0);
    for _ in 0..count {
        name = Name(name.0.wrapping_add(block.difference()));
        model.add_definition(DefinitionEntry { name, node: UNTYPED, origin: Origin::BuiltIn });
        roots.push(block.number());
    }
    roots
}

fn read_resource(mut record: Bytes) -> ResourceEntry {
    ResourceEntry {
        group: record.name(),
        version: record.name(),
        kind: record.name(),
        list_kind: Name::NONE,
        plural: record.name(),
        singular: record.name(),
        namespaced: record.number() != 0,
        verbs: record.names(),
        short_names: record.names(),
        categories: record.names(),
        subresources: (0..record.number()).map(|_| read_subresource(&mut record)).collect(),
        strategic_patch: StrategicPatch::Accepted,
    }
}

fn read_subresource(record: &mut Bytes) -> SubresourceEntry {
    SubresourceEntry {
        name: record.name(),
        group: record.name(),
        version: record.name(),
        kind: record.name(),
        verbs: record.names(),
    }
}

fn read_union(record: &mut Bytes) -> UnionEntry {
    let has_discriminator = record.number() != 0;
    let discriminator = record.name_if(has_discriminator);
    let member = |record: &mut Bytes| UnionMemberEntry { field: record.name(), value: record.name() };
    UnionEntry { discriminator, members: (0..record.number()).map(|_| member(record)).collect() }
}

/// Copies the nodes that one version needs into its model.
struct Decoder<'m> {
    area: Area,
    /// The number in the model of every node that was copied.
    known: Vec<NodeId>,
    model: &'m mut Model,
}

impl Decoder<'_> {
    /// The root of a definition is never shared with another one: it knows its owner.
    fn definition(&mut self, definition: usize, stored: u32) {
        let node = self.decode(stored);
        // Roots are copied even if an equal node is known: sharing one would give it two owners.
        let id = self.model.add_node(Node { owner: definition as u32, ..node });
        self.model.definition_mut(definition as u32).node = id;
    }

    fn node(&mut self, stored: u32) -> NodeId {
        match self.known.get(stored as usize) {
            // Not copied yet. Equal nodes are stored once for all versions, so most are met several times.
            Some(&UNTYPED) => {
                let node = self.decode(stored);
                let id = self.model.add_node(node);
                *item_at_mut(&mut self.known, stored as usize) = id;
                id
            }
            Some(id) => *id,
            // Damaged tables only; an absent node means "any value".
            None => UNTYPED,
        }
    }

    fn child(&mut self, record: &mut Bytes, parent: u32) -> NodeId {
        let stored = record.number();
        // Children are written before their parents: a later number would be a cycle, and recursion would not
        // end.
        if stored < parent { self.node(stored) } else { UNTYPED }
    }

    fn decode(&mut self, stored: u32) -> Node {
        let mut record = self.area.record(stored);
        // Three small enums share one number; `bits` says which optional parts follow.
        let (kinds, bits) = (record.number() as usize, record.number());
        let has = |bit: u32| bits & bit != 0;
        let mut node = Node::new(Column::Go);
        node.shape = SHAPES.get(kinds & 7).copied().unwrap_or_default();
        node.list_type = LIST_TYPES.get(kinds >> 3 & 3).copied().unwrap_or_default();
        node.map_type = MAP_TYPES.get(kinds >> 5).copied().unwrap_or_default();
        node.flags = Flags((bits >> present::FLAGS_SHIFT) as u16);
        node.format = record.name_if(has(present::FORMAT));
        if has(present::DEFINITION) {
            node.refers_to = self.model.definition_named(record.name()).unwrap_or(UNTYPED);
        }
        if has(present::FIELDS) {
            node.fields = self.fields(&mut record, stored);
        }
        if has(present::ADDITIONAL) {
            node.additional = self.child(&mut record, stored);
        }
        if has(present::ITEMS) {
            node.items = self.child(&mut record, stored);
        }
        node.strategy = record.name_if(has(present::STRATEGY));
        node.merge_key = record.name_if(has(present::MERGE_KEY));
        if has(present::LIST_MAP_KEYS) {
            node.list_map_keys = self.model.add_keys(record.names());
        }
        node.default = record.name_if(has(present::DEFAULT));
        node.go_type = record.name_if(has(present::GO_TYPE));
        if has(present::UNIONS) {
            let unions = (0..record.number()).map(|_| read_union(&mut record)).collect();
            node.unions = self.model.add_unions(unions);
        }
        node
    }

    /// Fields are stored in the order in which the model wants them.
    fn fields(&mut self, record: &mut Bytes, parent: u32) -> Span {
        let count = record.number();
        let mut entries = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let name = record.name();
            // The lowest bit is `required`, the rest the number of the node: one byte less a field.
            let packed = record.number();
            let required = if packed & 1 == 1 { Required::Yes } else { Required::No };
            let stored = packed >> 1;
            // The same order as in `child`.
            let node = if stored < parent { self.node(stored) } else { UNTYPED };
            entries.push(self.model.field_entry(name, node, required));
        }
        // Appended at the end, because nodes below have added their own fields in between.
        let span = Span { start: self.model.fields.len() as u32, len: count };
        self.model.fields.append(&mut entries);
        span
    }
}
