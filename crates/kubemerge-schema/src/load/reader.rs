//! Reads one schema object (OpenAPI v2, v3 or CRD: the syntax is shared) into nodes.
//!
//! The loaders call [`SchemaReader::definition`] for each definition and [`SchemaReader::finish`] at the end, which
//! resolves the references. Wrong values of extensions are not errors here: they are ignored, and
//! [`crate::check`] names them.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::document::{DocumentPath, MAX_REFERENCE_CHAIN, MAX_SCHEMA_DEPTH, is_true, object};
use crate::error::{LoadError, LoadErrorKind};
use crate::model::{
    Column, DefinitionId, Flags, ListType, MapType, Model, Name, Node, NodeId, Required, Shape, Span,
    UNTYPED, UnionEntry, UnionMemberEntry,
};

/// Both spellings of unions: documents of Kubernetes have the second one.
const UNIONS: [&str; 2] = ["x-kubernetes-union", "x-kubernetes-unions"];

/// What differs between the three kinds of document.
#[derive(Clone, Copy)]
pub(crate) struct Syntax {
    /// The look-up behaviour of what is read.
    pub(crate) column: Column,
    /// What a reference starts with, e.g. `#/definitions/`.
    pub(crate) prefix: &'static str,
    /// What `allOf` is for.
    pub(crate) all_of: AllOf,
}

/// What `allOf` is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AllOf {
    /// Its first entry describes the value.
    Describes,
    /// It only restricts the value.
    Restricts,
}

impl Syntax {
    fn first_of_all_of(self, map: &Map<String, Value>) -> Option<&Value> {
        let entries = map.get("allOf").filter(|_| self.all_of == AllOf::Describes);
        entries.and_then(Value::as_array).and_then(|entries| entries.first())
    }
}

/// Reads the schemas of one document.
pub(crate) struct SchemaReader<'m> {
    pub(crate) model: &'m mut Model,
    pub(super) syntax: Syntax,
    /// Nodes that refer to a definition by name.
    pending: Vec<(NodeId, Name)>,
    owner: DefinitionId,
    depth: usize,
}

impl<'m> SchemaReader<'m> {
    pub(crate) fn new(model: &'m mut Model, syntax: Syntax) -> SchemaReader<'m> {
        SchemaReader { model, syntax, pending: Vec::new(), owner: UNTYPED, depth: 0 }
    }

    /// Reads the schema of a definition.
    pub(crate) fn definition(
        &mut self,
        owner: DefinitionId,
        schema: &Value,
        place: DocumentPath<'_>,
    ) -> Result<NodeId, LoadError> {
        // Error texts and Kubernetes' own messages name the definition that a node is in.
        self.owner = owner;
        self.schema(schema, place)
    }

    pub(super) fn schema(&mut self, schema: &Value, place: DocumentPath<'_>) -> Result<NodeId, LoadError> {
        // The reader recurses; deeper schemas than this exist in no API.
        if self.depth == MAX_SCHEMA_DEPTH {
            let message = format!("schemas are nested more than {MAX_SCHEMA_DEPTH} deep");
            return Err(LoadError::new(LoadErrorKind::TooLarge, place.to_string(), message));
        }
        self.depth += 1;
        let id = self.node(object(schema, &place)?, place)?;
        self.depth -= 1;
        Ok(id)
    }

    fn node(&mut self, map: &Map<String, Value>, place: DocumentPath<'_>) -> Result<NodeId, LoadError> {
        let mut node = Node { owner: self.owner, ..Node::new(self.syntax.column) };
        self.read_type(map, &mut node);
        self.read_metadata(map, &mut node);
        // The type of a wrapped reference is that of the first entry; metadata stays with the property.
        let reference = if let Some(first) = self.syntax.first_of_all_of(map) {
            self.read_wrapped(first, &mut node, place)?
        } else {
            self.read_children(map, &mut node, place)?;
            map.get("$ref")
        };
        node.values = self.value_facts(map, place)?;
        let id = self.model.add_node(node);
        if let Some(reference) = reference {
            self.remember_reference(id, reference, &place)?;
        }
        Ok(id)
    }

    /// Takes the type from the first entry of `allOf`: its `$ref`, or what it says itself.
    fn read_wrapped<'v>(
        &mut self,
        first: &'v Value,
        node: &mut Node,
        place: DocumentPath<'_>,
    ) -> Result<Option<&'v Value>, LoadError> {
        let all_of = place.keyword("allOf[0]");
        let map = object(first, &all_of)?;
        self.read_type(map, node);
        self.read_children(map, node, all_of)?;
        Ok(map.get("$ref"))
    }

    fn read_type(&mut self, map: &Map<String, Value>, node: &mut Node) {
        // A list of types is how JSON Schema writes "or null".
        let words: Vec<&str> = match map.get("type") {
            Some(Value::String(word)) => vec![word],
            Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if let Some(shape) = words.iter().find_map(|word| shape_of(word)) {
            node.shape = shape;
        }
        if words.contains(&"null") || is_true(map, "nullable") {
            node.flags.set(Flags::NULLABLE);
        }
        if let Some(format) = map.get("format").and_then(Value::as_str) {
            node.format = self.model.intern(format);
        }
    }

    /// Reads what belongs to the property itself, whatever describes its value.
    fn read_metadata(&mut self, map: &Map<String, Value>, node: &mut Node) {
        let flags = [
            ("x-kubernetes-int-or-string", Flags::INT_OR_STRING),
            ("x-kubernetes-preserve-unknown-fields", Flags::PRESERVE_UNKNOWN),
            ("x-kubernetes-embedded-resource", Flags::EMBEDDED_RESOURCE),
        ];
        for (word, flag) in flags {
            if is_true(map, word) {
                node.flags.set(flag);
            }
        }
        if let Some(default) = map.get("default") {
            // Kept as text: most defaults are never asked for, and many are equal.
            node.default = self.model.intern(&default.to_string());
        }
        if UNIONS.iter().any(|keyword| map.contains_key(*keyword)) {
            node.flags.set(Flags::UNIONS);
            node.unions = self.unions(map);
        }
        node.strategy = self.text(map, "x-kubernetes-patch-strategy");
        node.merge_key = self.text(map, "x-kubernetes-patch-merge-key");
        node.list_type = list_type(map.get("x-kubernetes-list-type"));
        node.map_type = map_type(map.get("x-kubernetes-map-type"));
        node.list_map_keys = self.keys(map.get("x-kubernetes-list-map-keys"));
    }

    fn text(&mut self, map: &Map<String, Value>, keyword: &str) -> Name {
        map.get(keyword).and_then(Value::as_str).map_or(Name::NONE, |text| self.model.intern(text))
    }

    fn keys(&mut self, keys: Option<&Value>) -> Span {
        let Some(Value::Array(keys)) = keys else { return Span::default() };
        let names = keys.iter().filter_map(Value::as_str).map(|key| self.model.intern(key)).collect();
        self.model.add_keys(names)
    }

    fn unions(&mut self, map: &Map<String, Value>) -> Span {
        let given = UNIONS.iter().filter_map(|keyword| Some((*keyword, map.get(*keyword)?)));
        let unions = given.flat_map(|(keyword, value)| match value {
            Value::Array(unions) => &unions[..],
            // A single union needs no list around it.
            one if keyword == UNIONS[0] => std::slice::from_ref(one),
            _ => &[],
        });
        let read = unions.filter_map(Value::as_object).map(|union| self.union(union)).collect();
        self.model.add_unions(read)
    }

    fn union(&mut self, union: &Map<String, Value>) -> UnionEntry {
        let fields = union.get("fields-to-discriminateBy").and_then(Value::as_object);
        let mut pairs: Vec<(&str, &str)> = fields
            .into_iter()
            .flatten()
            .filter_map(|(field, value)| Some((field.as_str(), value.as_str()?)))
            .collect();
        // The order of members in a document means nothing; sorting makes tables reproducible.
        pairs.sort_unstable();
        let mut member = |(field, value)| UnionMemberEntry {
            field: self.model.intern(field),
            value: self.model.intern(value),
        };
        let members = pairs.into_iter().map(&mut member).collect();
        UnionEntry { discriminator: self.text(union, "discriminator"), members }
    }

    fn read_children(
        &mut self,
        map: &Map<String, Value>,
        node: &mut Node,
        place: DocumentPath<'_>,
    ) -> Result<(), LoadError> {
        if let Some(properties) = map.get("properties") {
            node.flags.set(Flags::HAS_PROPERTIES);
            node.fields = self.properties(properties, map.get("required"), place.keyword("properties"))?;
        }
        match map.get("additionalProperties") {
            // A boolean schema allows or forbids everything; it has no node.
            Some(Value::Bool(true)) => node.flags.set(Flags::ADDITIONAL_ANY),
            Some(Value::Bool(false)) => node.flags.set(Flags::ADDITIONAL_NONE),
            Some(schema) => node.additional = self.schema(schema, place.keyword("additionalProperties"))?,
            None => {}
        }
        match map.get("items") {
            Some(Value::Array(_)) => node.flags.set(Flags::TUPLE),
            Some(schema) => node.items = self.schema(schema, place.keyword("items"))?,
            None => {}
        }
        Ok(())
    }

    fn properties(
        &mut self,
        properties: &Value,
        required: Option<&Value>,
        place: DocumentPath<'_>,
    ) -> Result<Span, LoadError> {
        let required = required_names(required);
        let mut entries = Vec::new();
        for (name, schema) in object(properties, &place)? {
            let node = self.schema(schema, place.key(name))?;
            let required = if required.contains(name.as_str()) { Required::Yes } else { Required::No };
            let name = self.model.intern(name);
            entries.push(self.model.field_entry(name, node, required));
        }
        Ok(self.model.add_fields(entries))
    }

    fn remember_reference(
        &mut self,
        id: NodeId,
        reference: &Value,
        place: &DocumentPath<'_>,
    ) -> Result<(), LoadError> {
        let target = reference.as_str().and_then(|text| text.strip_prefix(self.syntax.prefix));
        let Some(target) = target else {
            let message = format!("the reference {reference} does not start with {}", self.syntax.prefix);
            return Err(LoadError::new(LoadErrorKind::UnresolvedReference, place.to_string(), message));
        };
        let target = self.model.intern(target);
        // Resolved in `finish`, when all definitions of the document are known.
        self.pending.push((id, target));
        Ok(())
    }

    /// Resolves every reference among the definitions of the document.
    pub(crate) fn finish(self, at: &str, definitions: &HashMap<Name, DefinitionId>) -> Result<(), LoadError> {
        for (id, target) in &self.pending {
            let Some(definition) = definitions.get(target) else {
                let message = format!("nothing is defined under the name {:?}", self.model.text(*target));
                return Err(self.error(LoadErrorKind::UnresolvedReference, at, *id, message));
            };
            self.model.node_mut(*id).refers_to = *definition;
        }
        // Only now, when every reference leads somewhere.
        for (id, _) in &self.pending {
            if let Err((kind, message)) = refuse_circle(self.model, *id) {
                return Err(self.error(kind, at, *id, message));
            }
        }
        Ok(())
    }

    fn error(&self, kind: LoadErrorKind, at: &str, id: NodeId, message: String) -> LoadError {
        let owner = self.model.owner_name(self.model.node(id));
        let steps: Vec<String> = self.model.steps_to(id).iter().map(ToString::to_string).collect();
        LoadError::new(kind, format!("{at}[{owner}]{}", steps.concat()), message)
    }
}

/// Follows bare references and fails unless they end at a schema.
fn refuse_circle(model: &Model, start: NodeId) -> Result<(), (LoadErrorKind, String)> {
    let mut seen = vec![start];
    let mut id = start;
    while let Some(definition) = model.definitions.get(model.node(id).refers_to as usize) {
        id = definition.node;
        // A reference to itself would make `resolve` loop.
        if seen.contains(&id) {
            return Err((LoadErrorKind::CircularReference, "the reference leads only to itself".to_owned()));
        }
        if seen.len() > MAX_REFERENCE_CHAIN {
            let message = format!("more than {MAX_REFERENCE_CHAIN} references follow each other");
            return Err((LoadErrorKind::TooLarge, message));
        }
        seen.push(id);
    }
    Ok(())
}

pub(super) fn shape_of(word: &str) -> Option<Shape> {
    let shapes = [Shape::Object, Shape::List, Shape::String, Shape::Integer, Shape::Number, Shape::Boolean];
    shapes.into_iter().find(|shape| shape.word() == word)
}

fn list_type(value: Option<&Value>) -> ListType {
    match value.and_then(Value::as_str) {
        Some("atomic") => ListType::Atomic,
        Some("set") => ListType::Set,
        Some("map") => ListType::Map,
        // Unknown words have no effect, as in the API server.
        _ => ListType::Unset,
    }
}

fn map_type(value: Option<&Value>) -> MapType {
    match value.and_then(Value::as_str) {
        Some("atomic") => MapType::Atomic,
        Some("granular") => MapType::Granular,
        _ => MapType::Unset,
    }
}

fn required_names(required: Option<&Value>) -> HashSet<&str> {
    let names = required.and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}
