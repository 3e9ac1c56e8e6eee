//! Writes the tables; for `cargo xtask schemas` only.
//!
//! Documents are read by the ordinary loaders, then everything is renumbered for all versions together
//! ([`super::numbering`]): equal nodes are stored once.

use std::collections::HashMap;

use serde_json::Value;

use super::format::{LIST_TYPES, MAP_TYPES, SHAPES, present};
use super::go_fields::mark_go_fields;
pub use super::go_fields::{GoFieldFacts, GoFields};
use super::numbering::Numbering;
use crate::error::LoadError;
use crate::load::{openapi_v2, openapi_v3};
use crate::model::{
    DefinitionId, FieldEntry, Model, Name, Node, NodeId, Required, Span, UNTYPED, UnionEntry,
};

/// The documents of one release.
pub struct ReleaseDocuments {
    /// Minor version, e.g. `1.37`.
    pub version: String,
    /// Patch release, e.g. `1.37.1`.
    pub patch: String,
    /// The OpenAPI v2 document.
    pub openapi_v2: Value,
    /// The OpenAPI v3 documents.
    pub openapi_v3: Vec<Value>,
    /// The discovery document of every group and version: objects of kind APIResourceList.
    pub resource_lists: Vec<Value>,
    /// What the Go types say about their fields.
    pub go_fields: GoFields,
}

/// The contents of the two files.
pub struct Files {
    /// `strings.txt`.
    pub strings: String,
    /// `tables.bin`.
    pub tables: Vec<u8>,
}

/// Collects releases and writes the files.
#[derive(Default)]
pub struct TableWriter {
    strings: Strings,
    nodes: Vec<Record>,
    known_nodes: HashMap<Record, u32>,
    resources: Vec<Record>,
    known_resources: HashMap<Record, u32>,
    versions: Vec<VersionBlock>,
}

/// What one release has.
struct VersionBlock {
    version: Name,
    patch: Name,
    /// By name.
    definitions: Vec<(Name, u32)>,
    /// Kinds and resources.
    rest: Record,
}

/// A number of the file: a string or a node, whose number is not final yet, or just a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Symbol {
    Text(Name),
    Number(u32),
    Node(u32),
    FieldNode(u32, Required),
}

pub(super) type Record = Vec<Symbol>;

#[derive(Default)]
struct Strings {
    texts: Vec<String>,
    known: HashMap<String, Name>,
}

impl Strings {
    fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.known.get(text) {
            return *name;
        }
        let name = Name(self.texts.len() as u32);
        self.texts.push(text.to_owned());
        self.known.insert(text.to_owned(), name);
        name
    }
}

impl TableWriter {
    /// Starts with nothing.
    pub fn new() -> TableWriter {
        TableWriter::default()
    }

    /// Adds a release, newest first. Types that only the v2 document has are taken from there.
    pub fn add(&mut self, release: &ReleaseDocuments) -> Result<(), LoadError> {
        let mut newer = Model::default();
        // v3 first: its documents say more, such as defaults.
        for document in release.openapi_v3.iter().filter(|document| openapi_v3::has_schemas(document)) {
            openapi_v3::load(&mut newer, document)?;
        }
        let mut older = Model::default();
        openapi_v2::load(&mut older, &release.openapi_v2)?;
        for model in [&mut newer, &mut older] {
            mark_go_fields(model, &release.go_fields);
        }
        let mut given = definitions_of(&newer, &older);
        // By name, so that the same documents always give the same bytes.
        given.sort_by_key(|definition| definition.name());
        let mut definitions = Vec::new();
        for definition in &given {
            let node = self.node(definition.model, definition.model.definitions[definition.id as usize].node);
            definitions.push((self.strings.intern(definition.name()), node));
        }
        let mut rest = Vec::new();
        self.kinds(&given, &mut rest);
        self.resource_numbers(&release.resource_lists, &mut rest);
        let [version, patch] = [&release.version, &release.patch].map(|text| self.strings.intern(text));
        self.versions.push(VersionBlock { version, patch, definitions, rest });
        Ok(())
    }

    fn kinds(&mut self, definitions: &[Definition<'_>], block: &mut Record) {
        let mut kinds: Vec<[&str; 3]> = Vec::new();
        let mut places = HashMap::new();
        for (place, definition) in definitions.iter().enumerate() {
            for kind in definition.kinds() {
                // If two definitions claim a kind, the later one counts, as when loading.
                if places.insert(kind, place).is_none() {
                    kinds.push(kind);
                }
            }
        }
        // Kind first: lookups know the kind, and sometimes nothing else.
        kinds.sort_by_key(|[group, version, kind]| [*kind, *group, *version]);
        block.push(Symbol::Number(kinds.len() as u32));
        for kind in kinds {
            block.extend(kind.map(|part| self.text(part)));
            // By name and not by number: the numbers differ from version to version, and equal bytes compress well.
            let definition = self.text(definitions[places[&kind]].name());
            block.push(definition);
        }
    }

    fn text(&mut self, text: &str) -> Symbol {
        Symbol::Text(self.strings.intern(text))
    }

    /// Stores a node after its children, once.
    fn node(&mut self, model: &Model, id: NodeId) -> u32 {
        // Children are written by this call, so they get smaller numbers than the node.
        let record = self.record(model, model.node(id));
        // Most nodes did not change between versions; each is stored once.
        if let Some(known) = self.known_nodes.get(&record) {
            return *known;
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(record.clone());
        self.known_nodes.insert(record, number);
        number
    }

    fn record(&mut self, model: &Model, node: &Node) -> Record {
        let kinds = place(&SHAPES, node.shape) | place(&LIST_TYPES, node.list_type) << 3;
        let kinds = kinds | place(&MAP_TYPES, node.map_type) << 5;
        let mut bits = u32::from(node.flags.0) << present::FLAGS_SHIFT;
        let mut rest = Vec::new();
        self.optional_text(model, node.format, present::FORMAT, &mut bits, &mut rest);
        if let Some(definition) = model.definitions.get(node.refers_to as usize) {
            self.optional_text(model, definition.name, present::DEFINITION, &mut bits, &mut rest);
        }
        if node.fields.len > 0 {
            bits |= present::FIELDS;
            self.fields(model, model.fields(node), &mut rest);
        }
        for (child, bit) in [(node.additional, present::ADDITIONAL), (node.items, present::ITEMS)] {
            if child != UNTYPED {
                bits |= bit;
                rest.push(Symbol::Node(self.node(model, child)));
            }
        }
        self.optional_text(model, node.strategy, present::STRATEGY, &mut bits, &mut rest);
        self.optional_text(model, node.merge_key, present::MERGE_KEY, &mut bits, &mut rest);
        if node.list_map_keys != Span::default() {
            bits |= present::LIST_MAP_KEYS;
            let keys: Vec<&str> = model.list_map_keys(node).iter().map(|key| model.text(*key)).collect();
            self.texts(&keys, &mut rest);
        }
        self.optional_text(model, node.default, present::DEFAULT, &mut bits, &mut rest);
        self.optional_text(model, node.go_type, present::GO_TYPE, &mut bits, &mut rest);
        if node.unions.len > 0 {
            bits |= present::UNIONS;
            self.unions(model, model.unions(node), &mut rest);
        }
        let mut record = vec![Symbol::Number(kinds), Symbol::Number(bits)];
        record.append(&mut rest);
        record
    }

    fn optional_text(&mut self, model: &Model, name: Name, bit: u32, bits: &mut u32, record: &mut Record) {
        if let Some(text) = model.given(name) {
            *bits |= bit;
            record.push(self.text(text));
        }
    }

    fn texts(&mut self, texts: &[&str], record: &mut Record) {
        record.push(Symbol::Number(texts.len() as u32));
        record.extend(texts.iter().map(|text| Symbol::Text(self.strings.intern(text))));
    }

    fn fields(&mut self, model: &Model, fields: &[FieldEntry], record: &mut Record) {
        record.push(Symbol::Number(fields.len() as u32));
        for field in fields {
            let node = self.node(model, field.node);
            record.extend([self.text(model.text(field.name)), Symbol::FieldNode(node, field.required)]);
        }
    }

    fn unions(&mut self, model: &Model, unions: &[UnionEntry], record: &mut Record) {
        record.push(Symbol::Number(unions.len() as u32));
        for union in unions {
            let discriminator = model.given(union.discriminator).map(|text| self.text(text));
            record.push(Symbol::Number(u32::from(discriminator.is_some())));
            record.extend(discriminator);
            record.push(Symbol::Number(union.members.len() as u32));
            for member in &union.members {
                record.extend([member.field, member.value].map(|name| self.text(model.text(name))));
            }
        }
    }

    fn resource_numbers(&mut self, lists: &[Value], block: &mut Record) {
        let mut numbers = Vec::new();
        for list in lists {
            let api_version = list["groupVersion"].as_str().unwrap_or_default();
            let (group, version) = crate::model::split_api_version(api_version);
            let all = list["resources"].as_array().map(Vec::as_slice).unwrap_or_default();
            for resource in all.iter().filter(|resource| !is_subresource(resource)) {
                let record = self.resource(resource, all, [group, version]);
                let next = self.resources.len() as u32;
                // Resources rarely change between versions, too.
                let number = *self.known_resources.entry(record.clone()).or_insert(next);
                if number == next {
                    self.resources.push(record);
                }
                numbers.push(Symbol::Number(number));
            }
        }
        block.push(Symbol::Number(numbers.len() as u32));
        block.append(&mut numbers);
    }

    fn resource(&mut self, resource: &Value, all: &[Value], home: [&str; 2]) -> Record {
        let mut record = Vec::new();
        self.spoken(resource, home, &mut record);
        let plural = word(resource, "name");
        record.push(self.text(plural));
        record.push(self.text(word(resource, "singularName")));
        record.push(Symbol::Number(u32::from(resource["namespaced"] == true)));
        for list in ["verbs", "shortNames", "categories"] {
            self.texts(&words(resource, list), &mut record);
        }
        let prefix = format!("{plural}/");
        let parts: Vec<(&str, &Value)> =
            all.iter().filter_map(|part| Some((word(part, "name").strip_prefix(&prefix)?, part))).collect();
        record.push(Symbol::Number(parts.len() as u32));
        for (name, part) in parts {
            record.push(self.text(name));
            self.spoken(part, home, &mut record);
            self.texts(&words(part, "verbs"), &mut record);
        }
        record
    }

    /// Group, version and kind of what a resource takes and gives; its own group and version by default.
    fn spoken(&mut self, resource: &Value, home: [&str; 2], record: &mut Record) {
        // Scale has the group and version of autoscaling; other resources leave them out.
        let of_its_own = !word(resource, "version").is_empty();
        let [group, version] =
            if of_its_own { [word(resource, "group"), word(resource, "version")] } else { home };
        record.extend([group, version, word(resource, "kind")].map(|part| self.text(part)));
    }

    /// Writes the files, with the oldest release first.
    pub fn finish(&self) -> Files {
        let blocks = self.versions.iter().map(|version| &version.rest);
        let (numbers, strings, nodes) =
            Numbering::new(&self.strings.texts, &self.nodes, self.resources.iter().chain(blocks));
        let mut tables = Vec::new();
        put_area(&mut tables, nodes.iter().map(|node| &self.nodes[*node as usize]), &numbers);
        put_area(&mut tables, self.resources.iter(), &numbers);
        put(&mut tables, self.versions.len() as u32);
        // Newest first, which is what users ask for most.
        for version in self.versions.iter().rev() {
            put(&mut tables, numbers.of(Symbol::Text(version.version)));
            put(&mut tables, numbers.of(Symbol::Text(version.patch)));
            let block = version.bytes(&numbers);
            put(&mut tables, block.len() as u32);
            tables.extend(block);
        }
        // No document has a string of several lines.
        let lines = strings.iter().map(|name| format!("{}\n", self.strings.texts[name.0 as usize]));
        Files { strings: lines.collect(), tables }
    }
}

impl VersionBlock {
    fn bytes(&self, numbers: &Numbering) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(&mut bytes, self.definitions.len() as u32);
        let mut before = 0;
        for (name, node) in &self.definitions {
            // Names are sorted, as most strings are: what is between two of them is a small number.
            let number = i64::from(numbers.of(Symbol::Text(*name)));
            put(&mut bytes, zigzag(number - before));
            before = number;
            put(&mut bytes, numbers.of(Symbol::Node(*node)));
        }
        bytes.extend(bytes_of(&self.rest, numbers));
        bytes
    }
}

/// A signed number, so that small ones are short.
fn zigzag(number: i64) -> u32 {
    (number << 1 ^ number >> 63) as u32
}

/// A definition of one of a release's two models.
struct Definition<'m> {
    model: &'m Model,
    id: DefinitionId,
}

impl<'m> Definition<'m> {
    fn name(&self) -> &'m str {
        self.model.text(self.model.definitions[self.id as usize].name)
    }

    fn kinds(&self) -> impl Iterator<Item = [&'m str; 3]> {
        let model = self.model;
        let own = model.kinds.iter().filter(|entry| entry.definition == self.id);
        own.map(move |entry| [entry.group, entry.version, entry.kind].map(|part| model.text(part)))
    }
}

fn definitions_of<'m>(newer: &'m Model, older: &'m Model) -> Vec<Definition<'m>> {
    let of = |model: &'m Model| model.visible_definitions().map(move |(id, _)| Definition { model, id });
    let mut all: Vec<Definition<'m>> = of(newer).collect();
    // v2 adds only definitions that v3 does not have.
    all.extend(of(older).filter(|definition| newer.find_definition(definition.name()).is_none()));
    all
}

fn place<T: PartialEq>(all: &[T], one: T) -> u32 {
    all.iter().position(|known| *known == one).unwrap_or_default() as u32
}

fn word<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

fn words<'v>(value: &'v Value, name: &str) -> Vec<&'v str> {
    value[name].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn is_subresource(resource: &Value) -> bool {
    word(resource, "name").contains('/')
}

fn put(bytes: &mut Vec<u8>, number: u32) {
    let mut rest = number;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

fn bytes_of(record: &Record, numbers: &Numbering) -> Vec<u8> {
    let mut bytes = Vec::new();
    record.iter().for_each(|symbol| put(&mut bytes, numbers.of(*symbol)));
    bytes
}

fn put_area<'r>(tables: &mut Vec<u8>, records: impl Iterator<Item = &'r Record>, numbers: &Numbering) {
    let records: Vec<Vec<u8>> = records.map(|record| bytes_of(record, numbers)).collect();
    put(tables, records.len() as u32);
    put(tables, records.iter().map(Vec::len).sum::<usize>() as u32);
    // Lengths and not offsets: they take one byte each, and compress well.
    records.iter().for_each(|record| put(tables, record.len() as u32));
    tables.extend(records.concat());
}
