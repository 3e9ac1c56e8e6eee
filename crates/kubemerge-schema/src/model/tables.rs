//! The schema model: a flat table of nodes that refer to each other by number.
//!
//! Loaders fill it through [`Model`]'s few methods, the compiler turns its metadata into rules, the
//! cursor walks it. It holds facts only, in no dialect, and knows nothing of OpenAPI syntax.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use kubemerge_value::part::{item_at, item_at_mut, part_of};
use serde_json::Value;

use super::entries::{
    DefinitionEntry, DefinitionId, FieldEntry, KindEntry, Name, Node, NodeId, ResourceEntry, Span, Step,
    UNTYPED, UnionEntry, start_of,
};
use super::terms::{Origin, Required};
use super::values::{Patterns, ValueFacts};

/// Everything that was loaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) strings: Vec<Cow<'static, str>>,
    interned: HashMap<Cow<'static, str>, Name>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) fields: Vec<FieldEntry>,
    pub(crate) keys: Vec<Name>,
    pub(crate) unions: Vec<UnionEntry>,
    pub(crate) values: Vec<ValueFacts>,
    pub(crate) patterns: Patterns,
    /// In the order of loading; of two with one name the later one counts.
    pub(crate) definitions: Vec<DefinitionEntry>,
    /// The definition that counts for each name; [`UNTYPED`] for names of other things.
    by_name: Vec<DefinitionId>,
    /// In the order of loading; of two with one group, version and kind the one with the higher rank counts, of equal
    /// ranks the later one.
    pub(crate) kinds: Vec<KindEntry>,
    pub(crate) resources: Vec<ResourceEntry>,
    /// The minor version of Kubernetes whose built-in tables were loaded.
    pub(crate) minor: Option<u32>,
    /// What the loaded documents said about each definition, so that repetitions can be shared.
    pub(crate) fingerprints: HashMap<Name, u64>,
    /// Definitions of custom resources, in the order of loading.
    pub(crate) declared: Vec<Arc<Value>>,
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
        item_at(&self.nodes, id as usize)
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        item_at_mut(&mut self.nodes, id as usize)
    }

    pub(crate) fn definition(&self, id: DefinitionId) -> &DefinitionEntry {
        item_at(&self.definitions, id as usize)
    }

    pub(crate) fn definition_mut(&mut self, id: DefinitionId) -> &mut DefinitionEntry {
        item_at_mut(&mut self.definitions, id as usize)
    }

    /// The field at a place that [`Model::find_field`] has found.
    pub(crate) fn field(&self, place: usize) -> &FieldEntry {
        item_at(&self.fields, place)
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
        part_of(&self.fields, node.fields.range())
    }

    pub(crate) fn list_map_keys(&self, node: &Node) -> &[Name] {
        part_of(&self.keys, node.list_map_keys.range())
    }

    pub(crate) fn add_keys(&mut self, keys: Vec<Name>) -> Span {
        let span = Span { start: self.keys.len() as u32, len: keys.len() as u32 };
        self.keys.extend(keys);
        span
    }

    /// The unions of an object.
    pub(crate) fn unions(&self, node: &Node) -> &[UnionEntry] {
        part_of(&self.unions, node.unions.range())
    }

    pub(crate) fn add_unions(&mut self, unions: Vec<UnionEntry>) -> Span {
        let span = Span { start: self.unions.len() as u32, len: unions.len() as u32 };
        self.unions.extend(unions);
        span
    }

    /// The place of a declared field in [`Model::fields`].
    pub(crate) fn find_field(&self, node: &Node, name: &str) -> Option<usize> {
        self.find_field_in(node.fields, name)
    }

    /// The same among the fields of a stretch.
    pub(crate) fn find_field_in(&self, fields: Span, name: &str) -> Option<usize> {
        let range = fields.range();
        let start = start_of(name);
        // Numbers alone are compared without a branch that could be guessed wrong.
        let smaller = part_of(&self.fields, range.clone()).partition_point(|entry| entry.start < start);
        let first = range.start + smaller;
        let alike = part_of(&self.fields, first..range.end);
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
            self.by_name.resize(self.strings.len().max(place + 1), UNTYPED);
        }
        *item_at_mut(&mut self.by_name, place) = id;
        id
    }

    /// The definition that counts for a name.
    pub(crate) fn definition_named(&self, name: Name) -> Option<DefinitionId> {
        self.by_name.get(name.0 as usize).copied().filter(|id| *id != UNTYPED)
    }

    /// Of two descriptions of one kind the higher rank counts, whatever the order of loading: a definition of a custom
    /// resource says more than the document that an API server publishes of it.
    pub(crate) fn rank(&self, kind: &KindEntry) -> u8 {
        match self.definition(kind.definition).origin {
            Origin::BuiltIn => 0,
            Origin::OpenApi => 1,
            Origin::CustomResource => 2,
        }
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
        for (step, child) in fields.chain(below).filter(|(_, child)| *child != UNTYPED) {
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
