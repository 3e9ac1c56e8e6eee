//! Fills the column: how the values of every node of the model are owned.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use kubemerge_value::part::item_at_mut;
use serde_json::Value;

use super::field_index::FieldIndex;
use super::{
    ItemsNode, KeyedList, ListKey, ListNode, MapEntries, MapNode, Ownership, ScalarType, TypeNode,
    UNTYPED_ATOMIC, UNTYPED_DEDUCED,
};
use crate::model::{
    Column, Flags, ListType, MapType, Model, Name, Node, NodeId, Shape, Span, UNTYPED, parse_strategy,
};

/// Nodes of the model follow the two types of objects without schema.
// The two untyped nodes come first, so the number of every other node is known before it is compiled.
const FIRST_OF_MODEL: u32 = 2;

/// The place of a node of the model in the column.
pub(super) fn place(node: NodeId) -> u32 {
    node + FIRST_OF_MODEL
}

/// Compiles the types of everything a model has.
pub(super) fn compile(model: &Arc<Model>) -> Ownership {
    let mut compiler = Compiler::new(model);
    compiler.definitions();
    // After all definitions: a reference is a copy of its target.
    compiler.references();
    compiler.metadata();
    compiler.finish(model)
}

fn untyped_atomic() -> TypeNode {
    TypeNode {
        scalar: Some(ScalarType::Untyped),
        list: Some(ListNode { items: ItemsNode::Atomic, element: UNTYPED_ATOMIC }),
        map: Some(open_map(MapEntries::Atomic, UNTYPED_ATOMIC)),
    }
}

fn untyped_deduced() -> TypeNode {
    TypeNode {
        scalar: Some(ScalarType::Untyped),
        list: Some(ListNode { items: ItemsNode::Atomic, element: UNTYPED_ATOMIC }),
        map: Some(open_map(MapEntries::Granular, UNTYPED_DEDUCED)),
    }
}

fn open_map(entries: MapEntries, element: u32) -> MapNode {
    MapNode { entries, element, fields: Span::default() }
}

/// Whether undeclared fields are kept, here and in everything described in place below.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unknown {
    Refused,
    Preserved,
}

struct Compiler<'m> {
    model: &'m Model,
    nodes: Vec<TypeNode>,
    lists: Vec<KeyedList>,
    /// The node of ObjectMeta.
    object_meta: Option<NodeId>,
    /// The metadata of whole objects, which are ObjectMeta whatever is said about them.
    metadata: Vec<NodeId>,
}

impl<'m> Compiler<'m> {
    fn new(model: &'m Model) -> Self {
        let object_meta = model.find_definition("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
        let object_meta = object_meta.map(|definition| model.definition(definition).node);
        let mut nodes = vec![untyped_atomic(), untyped_deduced()];
        nodes.resize(place(model.nodes.len() as NodeId) as usize, TypeNode::default());
        Compiler { model, nodes, lists: Vec::new(), object_meta, metadata: Vec::new() }
    }

    /// Compiles what each definition describes in place. References stay open until all are compiled.
    fn definitions(&mut self) {
        for definition in &self.model.definitions {
            if definition.node == UNTYPED {
                continue;
            }
            match self.model.text(definition.name) {
                // Published as a string, but clients also send numbers.
                "io.k8s.apimachinery.pkg.api.resource.Quantity" => {
                    *self.at(definition.node) =
                        TypeNode { scalar: Some(ScalarType::Untyped), ..TypeNode::default() };
                }
                "io.k8s.apimachinery.pkg.runtime.RawExtension" => {
                    *self.at(definition.node) = untyped_atomic();
                }
                _ => self.schema(definition.node, Unknown::Refused),
            }
        }
    }

    /// Gives references the type they refer to; a map type beside the reference overrides its own.
    fn references(&mut self) {
        for (id, node) in self.model.nodes.iter().enumerate() {
            if node.refers_to == UNTYPED {
                continue;
            }
            let target = self.model.resolve(id as NodeId);
            let mut resolved = *self.at(target);
            // The property decides how its map is owned; the type is shared.
            override_entries(&mut resolved, node.map_type);
            *self.at(id as NodeId) = resolved;
        }
    }

    /// Gives the metadata of whole objects its type: definitions may not describe it, but managers own its fields one by
    /// one.
    fn metadata(&mut self) {
        let Some(object_meta) = self.object_meta else { return };
        let ty = *self.at(object_meta);
        for id in std::mem::take(&mut self.metadata) {
            *self.at(id) = ty;
        }
    }

    fn finish(self, model: &Arc<Model>) -> Ownership {
        let mut hasher = DefaultHasher::new();
        (&self.nodes, &self.lists).hash(&mut hasher);
        for field in &model.fields {
            (model.text(field.name), field.node).hash(&mut hasher);
        }
        let maps = self.nodes.iter().filter_map(|node| node.map).map(|map| map.fields);
        let index = FieldIndex::new(model, maps.filter(|fields| fields.len > 0).collect());
        let (model, fingerprint) = (Arc::clone(model), hasher.finish());
        Ownership { model, nodes: self.nodes, index, lists: self.lists, fingerprint }
    }

    fn at(&mut self, id: NodeId) -> &mut TypeNode {
        item_at_mut(&mut self.nodes, place(id) as usize)
    }

    /// Compiles a schema and everything described in place below it. Loaders bound the depth.
    fn schema(&mut self, id: NodeId, unknown: Unknown) {
        let node = *self.model.node(id);
        if node.refers_to != UNTYPED {
            return;
        }
        let preserves = node.flags.has(Flags::PRESERVE_UNKNOWN);
        let unknown = if preserves { Unknown::Preserved } else { unknown };
        *self.at(id) = match node.shape {
            // Upstream converts v2 and v3 schemas by different code, which differ here.
            Shape::Any if is_arbitrary_v2(&node) => untyped_deduced(),
            Shape::Any => TypeNode {
                scalar: Some(ScalarType::Untyped),
                list: Some(self.list(&node, unknown)),
                map: Some(self.map(&node, unknown)),
            },
            Shape::Object => TypeNode { map: Some(self.map(&node, unknown)), ..TypeNode::default() },
            Shape::List => TypeNode { list: Some(self.list(&node, unknown)), ..TypeNode::default() },
            shape => TypeNode { scalar: Some(self.scalar(&node, shape)), ..TypeNode::default() },
        };
    }

    fn scalar(&self, node: &Node, shape: Shape) -> ScalarType {
        match (shape, self.model.text(node.format)) {
            (Shape::Integer | Shape::Number, _) => ScalarType::Numeric,
            (Shape::Boolean, _) => ScalarType::Boolean,
            (Shape::String, "" | "byte") => ScalarType::String,
            // Formats such as date-time and int-or-string may hold other scalars.
            _ => ScalarType::Untyped,
        }
    }

    fn list(&mut self, node: &Node, unknown: Unknown) -> ListNode {
        let element = match node.items {
            UNTYPED => UNTYPED_ATOMIC,
            items => self.child(items, unknown),
        };
        ListNode { items: self.items(node), element }
    }

    fn items(&mut self, node: &Node) -> ItemsNode {
        let strategy = self.model.given(node.strategy).and_then(parse_strategy);
        match node.list_type {
            ListType::Atomic => ItemsNode::Atomic,
            ListType::Set => ItemsNode::Set,
            ListType::Map => self.keyed(node, self.model.list_map_keys(node).to_vec()),
            // Lists with patch metadata alone merge under server-side apply too.
            ListType::Unset => match strategy {
                Some(strategy) if strategy.word == "merge" => {
                    let key = Some(node.merge_key).filter(|key| key.is_given());
                    self.keyed(node, key.into_iter().collect())
                }
                _ => ItemsNode::Atomic,
            },
        }
    }

    fn keyed(&mut self, node: &Node, names: Vec<Name>) -> ItemsNode {
        if names.is_empty() {
            // A merge list without a key is a list of scalars.
            return ItemsNode::Set;
        }
        let key = |name: &Name| {
            let name = self.model.text(*name);
            ListKey { name: name.into(), default: self.default_of(node, name) }
        };
        let keys = names.iter().map(key).collect();
        self.lists.push(KeyedList { keys });
        ItemsNode::Keyed(self.lists.len() as u32 - 1)
    }

    /// The default of a field of the items of a list.
    fn default_of(&self, list: &Node, name: &str) -> Option<Value> {
        if list.items == UNTYPED {
            return None;
        }
        let item = self.model.node(self.model.resolve(list.items));
        let field = self.model.field(self.model.find_field(item, name)?);
        let text = self.model.given(self.model.node(field.node).default)?;
        serde_json::from_str(text).ok().filter(|value: &Value| !value.is_null())
    }

    fn map(&mut self, node: &Node, unknown: Unknown) -> MapNode {
        let entries = match node.map_type {
            MapType::Atomic => MapEntries::Atomic,
            MapType::Granular | MapType::Unset => MapEntries::Granular,
        };
        let element = self.undeclared(node, unknown);
        for field in self.model.fields(node) {
            if is_whole_object(node) && self.model.text(field.name) == "metadata" {
                self.metadata.push(field.node);
            } else {
                self.schema(field.node, unknown);
            }
        }
        MapNode { entries, element, fields: node.fields }
    }

    /// The type of undeclared keys.
    fn undeclared(&mut self, node: &Node, unknown: Unknown) -> u32 {
        let open_by_default = node.fields.len == 0 && node.column != Column::V2;
        match node.additional {
            // The v2 conversion upstream does not look at the boolean.
            UNTYPED if node.flags.has(Flags::ADDITIONAL_NONE) && node.column != Column::V2 => UNTYPED,
            UNTYPED if node.flags.has(Flags::ADDITIONAL_ANY) && node.column != Column::V2 => UNTYPED_DEDUCED,
            UNTYPED if unknown == Unknown::Preserved || open_by_default => UNTYPED_DEDUCED,
            UNTYPED if !node.flags.has(Flags::HAS_PROPERTIES) => UNTYPED_DEDUCED,
            UNTYPED => UNTYPED,
            additional => self.child(additional, unknown),
        }
    }

    fn child(&mut self, id: NodeId, unknown: Unknown) -> u32 {
        self.schema(id, unknown);
        place(id)
    }
}

/// The metadata of custom resources and of embedded ones is ObjectMeta, whatever the schema says about it.
fn is_whole_object(node: &Node) -> bool {
    node.flags.has(Flags::CUSTOM_RESOURCE) || node.flags.has(Flags::EMBEDDED_RESOURCE)
}

/// OpenAPI v2 clients take a schema without type and properties as arbitrary.
fn is_arbitrary_v2(node: &Node) -> bool {
    node.column == Column::V2 && !node.flags.has(Flags::HAS_PROPERTIES)
}

/// A map type beside a reference replaces that of the map; of a list only where the type has no map.
fn override_entries(node: &mut TypeNode, map_type: MapType) {
    let atomic = match map_type {
        MapType::Unset => return,
        MapType::Atomic => true,
        MapType::Granular => false,
    };
    if let Some(map) = &mut node.map {
        map.entries = if atomic { MapEntries::Atomic } else { MapEntries::Granular };
    // Upstream: a map type on a reference to a list makes the list atomic.
    } else if let Some(list) = &mut node.list
        && atomic
    {
        list.items = ItemsNode::Atomic;
    }
}
